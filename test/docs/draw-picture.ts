import { POWERS } from "../../src/powers/powers.ts";

/** `docs/picture.json`: boxes, and arrows from a side of one to a side of another. Lengths are in pixels. */
export interface Picture {
  title: string;
  desc: string;
  width: number;
  height: number;
  boxes: Box[];
  arrows: { from: End; to: End; label: string }[];
}

interface Box {
  id: string;
  kind: "trusted" | "sandbox" | "hook" | "yours" | "plain";
  x: number;
  y: number;
  w: number;
  h: number;
  label: string;
  /** `$powers`: the names of all powers. */
  lines: string[];
}

/** A box, its side, and where on it: 0 is its left or upper end. */
type End = [box: string, side: "left" | "right" | "top" | "bottom", at: number];

const LABEL = 15;
const LINE = 12.5;
/** Width of a letter against the size of its font, at the most. */
const WIDE = 0.56;

const STYLE = `
    .page { fill: #ffffff }
    text { font-family: system-ui, -apple-system, "Segoe UI", sans-serif; font-size: ${LINE}px; fill: #57606a }
    .label { font-size: ${LABEL}px; font-weight: 600; fill: #1f2328 }
    rect { stroke-width: 1.5 }
    .trusted { fill: #eaf5ec; stroke: #1a7f37 }
    .sandbox { fill: #fff4e5; stroke: #9a6700; stroke-dasharray: 7 4 }
    .hook { fill: #ffebe9; stroke: #cf222e }
    .yours { fill: #eaf2fd; stroke: #0969da }
    .plain { fill: #ffffff; stroke: #8c959f }
    path { fill: none; stroke: #57606a; stroke-width: 1.5 }
    .tip { fill: #57606a; stroke: none }
    .said { fill: #1f2328 }
    @media (prefers-color-scheme: dark) {
      .page { fill: #0d1117 }
      text { fill: #9198a1 }
      .label, .said { fill: #f0f6fc }
      .trusted { fill: #0f2417; stroke: #3fb950 }
      .sandbox { fill: #2a1f0a; stroke: #d29922 }
      .hook { fill: #2d1214; stroke: #f85149 }
      .yours { fill: #0c1f38; stroke: #4493f8 }
      .plain { fill: #151b23; stroke: #656c76 }
      path { stroke: #9198a1 }
      .tip { fill: #9198a1 }
    }`;

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

/** Splits words into lines of at most so many pixels. */
function wrapped(words: readonly string[], width: number): string[] {
  const lines = [""];
  for (const word of words) {
    const last = lines.at(-1) ?? "";
    const longer = last === "" ? word : `${last} ${word}`;
    if (longer.length * LINE * WIDE <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

const powers = (): string[] => Object.keys(POWERS).map((name, at, all) => (at < all.length - 1 ? `${name},` : name));

function drawBox({ kind, x, y, w, h, label, lines }: Box): string {
  const shown = lines.flatMap((line) => (line === "$powers" ? wrapped(powers(), w - 28) : [line]));
  const needed = Math.max(label.length * LABEL, ...shown.map((line) => line.length * LINE)) * WIDE + 24;
  if (needed > w || 28 + shown.length * 18 > h) throw new Error(`${label}: its text does not fit its box`);
  const texts = shown.map((line, at) => `  <text x="${x + 14}" y="${y + 44 + at * 18}">${escaped(line)}</text>`);
  return [
    `  <rect class="${kind}" x="${x}" y="${y}" width="${w}" height="${h}" rx="8"/>`,
    `  <text class="label" x="${x + 14}" y="${y + 24}">${escaped(label)}</text>`,
    ...texts,
  ].join("\n");
}

/** Draws it. Throws for texts that do not fit, boxes beyond the page, and arrows to boxes that do not exist. */
export function drawPicture({ title, desc, width, height, boxes, arrows }: Picture): string {
  const placed = new Map(boxes.map((box) => [box.id, box]));
  for (const { id, x, y, w, h } of boxes)
    if (x < 0 || y < 0 || x + w > width || y + h > height) throw new Error(`${id} is beyond the page`);
  const pointOf = ([id, side, at]: End): [number, number] => {
    const box = placed.get(id);
    if (!box) throw new Error(`no box ${id}`);
    const { x, y, w, h } = box;
    if (side === "left" || side === "right") return [side === "left" ? x : x + w, y + h * at];
    return [x + w * at, side === "top" ? y : y + h];
  };
  const drawn = arrows.map(({ from, to, label }) => {
    const [[x1, y1], [x2, y2]] = [pointOf(from), pointOf(to)];
    const along = Math.hypot(x2 - x1, y2 - y1);
    const [dx, dy] = [(x2 - x1) / along, (y2 - y1) / along];
    const [bx, by] = [x2 - dx * 9, y2 - dy * 9];
    const tip = [x2, y2, bx - dy * 4.5, by + dx * 4.5, bx + dy * 4.5, by - dx * 4.5].map((one) => one.toFixed(1));
    const isFlat = Math.abs(dx) > Math.abs(dy);
    const place = isFlat
      ? `x="${((x1 + x2) / 2).toFixed(1)}" y="${((y1 + y2) / 2 - 7).toFixed(1)}" text-anchor="middle"`
      : `x="${((x1 + x2) / 2 + (dx > 0.1 ? 18 : 8)).toFixed(1)}" y="${((y1 + y2) / 2 + 10).toFixed(1)}"`;
    return [
      `  <path d="M${x1.toFixed(1)} ${y1.toFixed(1)} L${bx.toFixed(1)} ${by.toFixed(1)}"/>`,
      `  <polygon class="tip" points="${tip.join(" ")}"/>`,
      `  <text class="said" ${place}>${escaped(label)}</text>`,
    ].join("\n");
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title desc">
  <title id="title">${escaped(title)}</title>
  <desc id="desc">${escaped(desc)}</desc>
  <style>${STYLE}
  </style>
  <rect class="page" width="${width}" height="${height}" rx="12"/>
${[...boxes.map(drawBox), ...drawn].join("\n")}
</svg>
`;
}
