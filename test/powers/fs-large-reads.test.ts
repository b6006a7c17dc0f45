import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startFacts } from "../guest/facts.ts";
import { sampled } from "../support/length.ts";

/** Bytes that the host reads and answers in one piece. */
const PIECE = 255 * 1024;
const SIZES = [PIECE - 1, PIECE, PIECE + 1, PIECE + 2, 2 * PIECE, 2 * PIECE + 1, 3 * PIECE - 1];

const CONTENTS: Record<string, string> = {
  "one letter": "x",
  "emoji, one of them across two pieces": "a😀",
  "letters of two bytes": "é",
  "signs that are escaped, few of them": 'a line with "quotes", a \\ and its end\n',
  "signs that are all escaped": '"\\',
  "control characters": "\u0000\u001b\u2028",
};

const digest = (codes: string) =>
  `let sum = 0; for (let at = 0; at < all.length; at++) sum = (Math.imul(sum, 31) + ${codes}) | 0; return [all.length, sum];`;
const ofText = digest("all.charCodeAt(at)");
const ofBytes = digest("all[at]");

/** Ways to read the file `name`. */
const WAYS: Record<string, { read: string; digest: string }> = {
  "text, blocking": { read: 'fs.readFileSync(name, "utf8")', digest: ofText },
  text: { read: 'await fs.promises.readFile(name, "utf8")', digest: ofText },
  "bytes, blocking": { read: "fs.readFileSync(name)", digest: ofBytes },
  bytes: { read: "await fs.promises.readFile(name)", digest: ofBytes },
};

const facts = Object.fromEntries(
  Object.entries(WAYS).map(([way, { read, digest }]) => [
    way,
    `const fs: any = await import("node:fs"); const told: any = {};
     const digest = (all: any) => { ${digest} };
     for (const name of fs.readdirSync(".")) told[name] = digest(${read}); return told;`,
  ]),
);

const LARGEST = 5 * 1024 * 1024;

const CASES: [name: string, content: Buffer][] = [
  ...Object.entries(CONTENTS).map(([name, text]): [string, Buffer] => [name, Buffer.from(text)]),
  ["no UTF-8", Buffer.from([0xf0, 0x9f, 0x98, 0x41, 0xff])],
  ["characters that are cut off", Buffer.from([0xe2, 0x82, 0xff])],
];

test.each(sampled(CASES, 3))("a file of %s is read as it is, whatever its size", async (_name, content) => {
  const session = await startFacts(facts, {
    grant: {
      capabilities: { fs: { read: ["$CWD/**"] } },
      limits: { memoryMb: 256, cpuMs: 60_000 },
    },
  });
  const work = join(session.folder, "work");
  // Some are longer than a frame then, as JSON: where signs are escaped, or replaced.
  const sizes =
    Buffer.byteLength(JSON.stringify(content.toString())) > 1.7 * content.length ? [...SIZES, LARGEST] : SIZES;
  const files = Object.fromEntries(sizes.map((size) => [`${size}`, Buffer.alloc(size, content)]));
  for (const [name, bytes] of Object.entries(files)) writeFileSync(join(work, name), bytes);
  for (const [way, { digest }] of Object.entries(WAYS)) {
    const digestOf = new Function("all", digest);
    const expected = Object.entries(files).map(([name, bytes]) => [
      name,
      digestOf(way.startsWith("text") ? bytes.toString() : bytes),
    ]);
    expect.soft(await session.ask(way), way).toEqual(Object.fromEntries(expected));
  }
});

test("a large text comes as text, which an isolate reads far faster than bytes, as long as its JSON fits a frame", async () => {
  const session = await startFacts(
    {
      members: `const host = (globalThis as any)[Symbol.for("cordon.host")];
        return ["json", "quotes"].map((name) => Object.keys(host.sync("fs.read", [name, "utf8"])));`,
    },
    { grant: { capabilities: { fs: { read: ["$CWD/**"] } }, limits: { memoryMb: 128 } } },
  );
  const work = join(session.folder, "work");
  writeFileSync(join(work, "json"), Buffer.alloc(LARGEST, '"a": "b",\n'));
  writeFileSync(join(work, "quotes"), Buffer.alloc(LARGEST, '"'));
  expect(await session.ask("members")).toEqual([["text"], ["base64"]]);
});

test.each(sampled(["utf8", null]))(
  "a hook reads many files at once (%s), and its process has time to take them",
  async (encoding) => {
    const { ask, folder } = await startFacts(
      {
        all: `const fs: any = await import("node:fs"); let all = 0;
        const read = async (name: string) => { const { length } = await fs.promises.readFile(name, ${JSON.stringify(encoding)}); all += length; };
        await Promise.all(fs.readdirSync(".").map(read));
        return all;`,
      },
      { grant: { capabilities: { fs: { read: ["$CWD/**"] } }, limits: { cpuMs: 60_000 } } },
    );
    const [files, size] = [120, 1024 * 1024];
    const content = Buffer.alloc(size, 97);
    for (let at = 0; at < files; at++) writeFileSync(join(folder, "work", `${at}`), content);
    expect(await ask("all")).toBe(files * size);
  },
);
