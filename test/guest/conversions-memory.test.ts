import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sampled } from "../support/length.ts";
import { startFacts } from "./facts.ts";

/** As much as a hook reads at once. */
const SIZE = 5 * 1024 * 1024;

// biome-ignore format: a table
const WORK: readonly [name: string, before: string, again: string][] = [
  ["text becomes bytes", `const text = "a".repeat(${SIZE});`, "Buffer.from(text).length"],
  ["text is measured", `const text = "a".repeat(${SIZE});`, "Buffer.byteLength(text)"],
  ["text of wide characters becomes bytes", `const text = "€".repeat(${SIZE / 4});`, "Buffer.from(text).length"],
  ["text is encoded", `const text = "a".repeat(${SIZE});`, "new TextEncoder().encode(text).length"],
  ["bytes become text", `const bytes = Buffer.alloc(${SIZE}, 97);`, "bytes.toString().length"],
  ["bytes that are no UTF-8 become text", `const bytes = Buffer.alloc(${SIZE / 4}, 0xff);`, "bytes.toString().length"],
  ["bytes are decoded", `const bytes = Buffer.alloc(${SIZE}, 97);`, "new TextDecoder().decode(bytes).length"],
  ["bytes become base64", `const bytes = Buffer.alloc(${SIZE}, 97);`, `bytes.toString("base64").length`],
  ["bytes are hashed", `const bytes = Buffer.alloc(${SIZE}, 97);`, `createHash("sha256").update(bytes).digest("hex").length`],
  ["bytes have a code", `const bytes = Buffer.alloc(${SIZE}, 97);`, `createHmac("sha256", "key").update(bytes).digest("hex").length`],
  ["text is hashed", `const text = "a".repeat(${SIZE / 2});`, `createHash("sha256").update(text).digest("hex").length`],
  ["a file is read", "", `readFileSync("five").length`],
  ["a file becomes text", "", "readFileSync(\"five\").toString().length"],
  ["a file of text is read", "", `readFileSync("five", "utf8").length`],
  ["a file is hashed", "", `createHash("sha256").update(readFileSync("five")).digest("hex").length`],
  ["a file is written", `const text = "a".repeat(${SIZE / 2});`, `(writeFileSync("made", text), text.length)`],
  ["a file is hashed, without blocking", "", `createHash("sha256").update(await readFile("five")).digest("hex").length`],
];

const IMPORTS = `const { Buffer } = await import("node:buffer"); const { createHash, createHmac } = await import("node:crypto");
  const { readFileSync, writeFileSync } = await import("node:fs"); const { readFile } = await import("node:fs/promises");`;

/** Starts a hook that does this, and says whether it did. */
async function does(work: string): Promise<unknown> {
  const { ask, folder } = await startFacts(
    { many: `${IMPORTS} let all = 0; ${work} return all > 0;` },
    { grant: { capabilities: { fs: { read: ["$CWD/**"], write: ["$CWD/**"] } }, limits: { cpuMs: 60_000 } } },
  );
  writeFileSync(join(folder, "work", "five"), Buffer.alloc(SIZE, 97));
  return ask("many");
}

const repeated = (times: number, before: string, again: string): string =>
  `await (async () => { ${before} for (let at = 0; at < ${times}; at++) all += ${again}; })();`;

test.each(sampled(WORK, 3))("%s again and again, within a hook's usual memory", async (_name, before, again) => {
  expect(await does(repeated(25, before, again))).toBe(true);
});

test("and all of this, one after the other", async () => {
  expect(await does(WORK.map(([_name, before, again]) => repeated(4, before, again)).join("\n"))).toBe(true);
});
