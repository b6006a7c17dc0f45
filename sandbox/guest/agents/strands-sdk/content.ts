import { ImageBlock, TextBlock } from "./blocks.ts";

export type Content = { type: "text"; text: string } | { type: "image"; data: string; mimeType: string };

/** Converts a tool's content to blocks. */
export const toBlocks = (content: readonly Content[]): { toJSON(): object }[] =>
  content.map((item) =>
    item.type === "text"
      ? new TextBlock(item.text)
      : new ImageBlock({ format: item.mimeType.replace(/^image\//, ""), source: { bytes: fromBase64(item.data) } }),
  );

/** Converts the JSON of blocks to a tool's content. Throws for kinds of blocks that no tool here returns. */
export function fromBlocks(blocks: readonly Record<string, unknown>[]): Content[] {
  return blocks.map((block) => {
    if (typeof block.text === "string") return { type: "text", text: block.text };
    if ("json" in block) return { type: "text", text: JSON.stringify(block.json) };
    const image = block.image as { format: string; source: { bytes: string } } | undefined;
    if (typeof image?.source?.bytes === "string")
      return { type: "image", data: image.source.bytes, mimeType: `image/${image.format}` };
    throw new TypeError(`a tool's result has no block of ${Object.keys(block).join(", ") || "nothing"}`);
  });
}

declare const atob: (text: string) => string;

const fromBase64 = (text: string): Uint8Array => Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
