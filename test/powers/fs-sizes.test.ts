import { closeSync, ftruncateSync, mkdirSync, openSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startFacts } from "../guest/facts.ts";

const MB = 1024 * 1024;
const grant = {
  capabilities: { events: { see: ["*"], block: true }, fs: { read: ["$CWD/**"], write: ["$CWD/**"] } },
  limits: { memoryMb: 128, cpuMs: 20_000 },
};

/** Starts a hook whose facts are expressions over `fs`, with files of some sizes: sparse, or filled with one byte. */
async function start(facts: Record<string, string>, files: Record<string, number | Buffer>) {
  const session = await startFacts(
    Object.fromEntries(
      Object.entries(facts).map(([name, run]) => [name, `const fs: any = await import("node:fs"); return ${run};`]),
    ),
    { grant },
  );
  const work = join(session.folder, "work");
  for (const [name, content] of Object.entries(files)) {
    if (typeof content !== "number") writeFileSync(join(work, name), content);
    else {
      const file = openSync(join(work, name), "w");
      ftruncateSync(file, content);
      closeSync(file);
    }
  }
  return { ...session, work };
}

const tooLarge = { code: "EFBIG" };

test("a file of 5 MB is read as bytes and as text; one byte more is EFBIG, and so is a huge file", async () => {
  const { ask } = await start(
    {
      bytes: 'fs.readFileSync("five").length',
      text: 'fs.readFileSync("five", "utf8").length',
      moreBytes: 'fs.readFileSync("more").length',
      moreText: 'fs.readFileSync("more", "utf8").length',
      huge: 'fs.readFileSync("huge").length',
      size: 'fs.statSync("huge").size',
    },
    { five: Buffer.alloc(5 * MB, "x"), more: Buffer.alloc(5 * MB + 1, "x"), huge: 2 ** 40 },
  );
  expect(await ask("bytes")).toBe(5 * MB);
  expect(await ask("text")).toBe(5 * MB);
  expect(await ask("moreBytes")).toMatchObject(tooLarge);
  expect(await ask("moreText")).toMatchObject(tooLarge);
  expect(await ask("huge")).toMatchObject(tooLarge);
  expect(await ask("size")).toBe(2 ** 40);
});

const FILLINGS: { name: string; content: Buffer; characters: number }[] = [
  { name: "nulls", content: Buffer.alloc(5 * MB), characters: 5 * MB },
  { name: "quotes", content: Buffer.alloc(5 * MB, '"'), characters: 5 * MB },
  { name: "newlines", content: Buffer.alloc(5 * MB, "\n"), characters: 5 * MB },
  { name: "backslashes", content: Buffer.alloc(5 * MB, "\\"), characters: 5 * MB },
  { name: "invalid UTF-8", content: Buffer.alloc(5 * MB, 0xff), characters: 5 * MB },
  { name: "emoji", content: Buffer.alloc(5 * MB, "😀"), characters: (5 * MB) / 2 },
];

test.each(FILLINGS)("a file of 5 MB of $name is read as text", async ({ content, characters }) => {
  const { ask } = await start({ text: 'fs.readFileSync("five", "utf8").length' }, { five: content });
  expect(await ask("text")).toBe(characters);
});

const WRITES: { name: string; call: string; data: (bytes: string) => string }[] = [
  { name: "text is written", call: "writeFileSync", data: (bytes) => `"x".repeat(${bytes})` },
  { name: "bytes are written", call: "writeFileSync", data: (bytes) => `new Uint8Array(${bytes})` },
  { name: "text is appended", call: "appendFileSync", data: (bytes) => `"x".repeat(${bytes})` },
];

test.each(WRITES)("5 MB of $name; one byte more is EFBIG and changes nothing", async ({ call, data }) => {
  const { ask, work } = await start(
    {
      five: `fs.${call}("new", ${data(`${5 * MB}`)})`,
      more: `fs.${call}("other", ${data(`${5 * MB + 1}`)})`,
    },
    { other: Buffer.alloc(0) },
  );
  expect.soft(await ask("more")).toMatchObject(tooLarge);
  expect.soft(statSync(join(work, "other")).size).toBe(0);
  expect.soft(await ask("five")).toBeUndefined();
  expect.soft(statSync(join(work, "new"), { throwIfNoEntry: false })?.size).toBe(5 * MB);
});

test("a file of 64 MB is copied; one byte more is EFBIG and leaves nothing behind", async () => {
  const { ask, work } = await start(
    {
      copy: 'fs.copyFileSync("whole", "copy") ?? fs.statSync("copy").size',
      more: 'fs.copyFileSync("more", "no-copy")',
      left: "fs.readdirSync('.').sort()",
    },
    { whole: 64 * MB, more: 64 * MB + 1 },
  );
  expect.soft(await ask("more")).toMatchObject(tooLarge);
  expect.soft(await ask("left")).toEqual(["more", "whole"]);
  expect.soft(await ask("copy")).toBe(64 * MB);
  expect.soft(statSync(join(work, "copy"), { throwIfNoEntry: false })?.size).toBe(64 * MB);
});

test("20,000 entries are listed; one more is EFBIG", async () => {
  const { ask, work } = await start(
    {
      most: 'fs.readdirSync("most").length',
      more: 'fs.readdirSync("more", { recursive: true }).length',
      remove: 'fs.rmSync("more", { recursive: true })',
    },
    {},
  );
  for (const [folder, count] of Object.entries({ most: 20_000, "more/deep": 20_000 })) {
    mkdirSync(join(work, folder), { recursive: true });
    for (let at = 0; at < count; at++) closeSync(openSync(join(work, folder, `entry-${at}`), "w"));
  }
  expect.soft(await ask("most")).toBe(20_000);
  expect.soft(await ask("more")).toMatchObject(tooLarge);
  expect.soft(await ask("remove")).toMatchObject(tooLarge);
});

test("a folder with 400 folders, or 2000 entries, is moved; one more is EFBIG and moves nothing", async () => {
  const move = (name: string): [string, string] => [name, `(fs.renameSync("${name}", "moved-${name}"), "moved")`];
  const { ask, work } = await start(Object.fromEntries(["folders", "moreFolders", "files", "moreFiles"].map(move)), {});
  for (const [folder, count] of Object.entries({ folders: 400, moreFolders: 401 }))
    for (let at = 0; at < count; at++) mkdirSync(join(work, folder, `folder-${at}`), { recursive: true });
  for (const [folder, count] of Object.entries({ files: 2000, moreFiles: 2001 })) {
    mkdirSync(join(work, folder));
    for (let at = 0; at < count; at++) closeSync(openSync(join(work, folder, `file-${at}`), "w"));
  }
  expect.soft([await ask("folders"), await ask("files")]).toEqual(["moved", "moved"]);
  for (const name of ["moreFolders", "moreFiles"]) {
    expect.soft(await ask(name)).toMatchObject(tooLarge);
    expect.soft(statSync(join(work, name), { throwIfNoEntry: false })?.isDirectory()).toBe(true);
  }
});

test("what has 6000 names in its paths is moved; one more is EFBIG and moves nothing", async () => {
  const move = (name: string): [string, string] => [name, `(fs.renameSync("${name}", "moved-${name}"), "moved")`];
  const { ask, work } = await start(Object.fromEntries(["deep", "deeper"].map(move)), {});
  // Four folders, one in the other, have ten names.
  for (const [name, count] of Object.entries({ deep: 1198, deeper: 1199 })) {
    const inner = join(work, name, "a", "b", "c", "d");
    mkdirSync(inner, { recursive: true });
    for (let at = 0; at < count; at++) closeSync(openSync(join(inner, `file-${at}`), "w"));
  }
  expect.soft(await ask("deep")).toBe("moved");
  expect.soft(await ask("deeper")).toMatchObject(tooLarge);
  expect.soft(statSync(join(work, "deeper"), { throwIfNoEntry: false })?.isDirectory()).toBe(true);
});

const LONG: { name: string; run: string; code: string }[] = [
  { name: "a path of the maximum length", run: 'fs.statSync("./".repeat(2045) + "a")', code: "ENOENT" },
  { name: "a longer path", run: 'fs.statSync("x".repeat(4097))', code: "ENAMETOOLONG" },
  {
    name: "a temporary folder's prefix that makes the path longer",
    run: 'fs.mkdtempSync("./".repeat(2047) + "x")',
    code: "ENAMETOOLONG",
  },
  { name: "a path of surrogate pairs", run: 'fs.statSync("\\u{1f600}".repeat(2049))', code: "ENAMETOOLONG" },
];

test.each(LONG)("$name is an error to the hook, and its process survives", async ({ run, code }) => {
  const { ask, errors } = await start({ long: run, after: "'alive'" }, {});
  expect.soft(await ask("long").catch((error: Error) => ({ blocked: error.message }))).toMatchObject({ code });
  expect(await ask("after")).toBe("alive");
  expect(errors.map((error) => error.code)).toEqual([]);
});
