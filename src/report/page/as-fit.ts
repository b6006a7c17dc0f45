import { Markup } from "./html.ts";

/** Markup of items until it has so many bytes, and a short form of the others. */
export function asFit<Item>(
  items: readonly Item[],
  most: number,
  whole: (item: Item, at: number) => Markup,
  short: (item: Item, at: number) => Markup,
): Markup[] {
  let bytes = 0;
  return items.map((item, at) => {
    if (bytes > most) return short(item, at);
    const markup = whole(item, at);
    bytes += Buffer.byteLength(Markup.text(markup));
    return markup;
  });
}
