import type { Case } from "./fs-sides.ts";

/** Opens, does something with the number `f`, closes. */
const opened = (path: string, flags: string, act: string): string =>
  `(() => { const f = fs.openSync(${JSON.stringify(path)}, ${flags}); try { return [${act}]; } finally { fs.closeSync(f); } })()`;
const handled = (path: string, flags: string, act: string): string =>
  `(async () => { const h = await fsp.open(${JSON.stringify(path)}, ${flags}); try { ${act} } finally { await h.close(); } })()`;
const B = "const b = Buffer.alloc(5);";

export const openFiles: Case[] = [
  opened("a.txt", '"r"', 'fs.readFileSync(f, "utf8"), fs.readFileSync(f, "utf8")'),
  opened(
    "a.txt",
    '"r"',
    "((b) => [fs.readSync(f, b, 1, 3, 0), b.toString(), fs.readSync(f, b, 0, 2), fs.readSync(f, b, 0, 2, null), b.toString(), fs.readSync(f, b, { position: 1 }), fs.readSync(f, b)])(Buffer.alloc(5))",
  ),
  opened("a.txt", '"r"', "((b) => [fs.readSync(f, b, 0, 5, 10_000), fs.readSync(f, b, 0, 0, 0)])(Buffer.alloc(5))"),
  opened("a.txt", '"r"', "fs.fstatSync(f).size, fs.fstatSync(f).isFile(), fs.fsyncSync(f), fs.fdatasyncSync(f)"),
  opened("a.txt", "fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW", 'fs.readFileSync(f, "utf8")'),
  opened("dir", '"r"', "fs.fstatSync(f).isDirectory(), fs.fsyncSync(f)"),
  opened("dir", "fs.constants.O_DIRECTORY", "fs.fstatSync(f).isDirectory()"),
  opened(
    "new.txt",
    '"w"',
    'fs.writeSync(f, "one "), fs.writeSync(f, Buffer.from("two three"), 0, 4), fs.writeSync(f, "THREE", null, "utf8"), fs.writeSync(f, "ONE", 0)',
  ),
  opened("new.txt", '"wx", 0o600', 'fs.writeFileSync(f, "text"), fs.appendFileSync(f, " more"), fs.fsyncSync(f)'),
  opened("a.txt", '"w"', "1"),
  opened(
    "a.txt",
    '"w+"',
    '((b) => [fs.writeSync(f, "12345"), fs.readSync(f, b, 0, 5, 1), b.toString()])(Buffer.alloc(5))',
  ),
  opened("a.txt", '"r+"', 'fs.writeSync(f, "XY", 1), fs.writeSync(f, "Z"), fs.readFileSync("a.txt", "utf8")'),
  opened("a.txt", '"a"', 'fs.writeSync(f, "more"), fs.writeSync(f, "over", 0)'),
  opened("new.txt", '"a"', 'fs.writeSync(f, "text")'),
  opened("new.txt", '"a+"', 'fs.writeSync(f, "text"), fs.readFileSync(f, "utf8")'),
  opened("new.txt", "fs.constants.O_RDWR | fs.constants.O_CREAT", 'fs.writeSync(f, "text"), fs.ftruncateSync(f, 2)'),
  opened("a.txt", '"r+"', "fs.ftruncateSync(f, 1)"),
  opened("a.txt", '"r+"', "fs.ftruncateSync(f, 20), fs.fstatSync(f).size"),
  opened("a.txt", '"r"', 'fs.writeSync(f, "no")'),
  opened("new.txt", '"w"', "fs.readSync(f, Buffer.alloc(1))"),
  'fs.openSync("missing.txt")',
  'fs.openSync("missing/new.txt", "w")',
  'fs.openSync("a.txt", "wx")',
  'fs.openSync("dir", "w")',
  'fs.openSync("a.txt", "rw")',
  'fs.openSync("to-file", fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW)',
  'fs.openSync("a.txt", fs.constants.O_DIRECTORY)',
  "fs.closeSync(4711)",
  "fs.fstatSync(4711)",
  'fs.closeSync("3")',
  'fs.readSync(fs.openSync("a.txt"), "text")',
  '(() => { const f = fs.openSync("a.txt"); fs.closeSync(f); return fs.readSync(f, Buffer.alloc(1)); })()',
  'called((done) => fs.open("a.txt", "r", (error, f) => fs.read(f, Buffer.alloc(4), 0, 4, 0, (error, count, b) => fs.close(f, () => done(error, count, b)))))',
  'called((done) => fs.open("new.txt", "w", (error, f) => fs.write(f, "text", (error, count, text) => fs.fsync(f, () => fs.close(f, () => done(error, count, text))))))',
  'called((done) => fs.open("missing.txt", "r", done))',
  'called((done) => fs.open("a.txt", "r", (error, f) => fs.fstat(f, (error, facts) => fs.close(f, () => done(error, facts.size)))))',
  handled("a.txt", '"r"', 'return [await h.readFile("utf8"), (await h.stat()).size];'),
  handled(
    "a.txt",
    '"r"',
    `${B} const { bytesRead, buffer } = await h.read(b, 0, 3, 1); return [bytesRead, buffer === b, b.toString(), (await h.read({ buffer: b, position: 0 })).bytesRead, (await h.read(b)).bytesRead];`,
  ),
  handled(
    "new.txt",
    '"wx", 0o600',
    'const { bytesWritten, buffer } = await h.write("text"); await h.writeFile(" more"); await h.appendFile(" yet"); await h.sync(); await h.datasync(); return [bytesWritten, buffer];',
  ),
  handled("a.txt", '"r+"', "await h.truncate(2); return (await h.stat()).size;"),
  handled("a.txt", '"r"', "const lines = []; for await (const line of h.readLines()) lines.push(line); return lines;"),
  handled(
    "a.txt",
    '"r"',
    "const parts = []; for await (const part of h.createReadStream({ start: 1, autoClose: false })) parts.push(part); return Buffer.concat(parts).toString();",
  ),
  'fsp.open("missing.txt")',
  'fsp.open("a.txt", {})',
  '(async () => { const h = await fsp.open("a.txt"); await h.close(); return [h.fd, await tried(() => h.readFile())]; })()',
  '(async () => { await using h = await fsp.open("a.txt"); return typeof h.fd; })()',
  '[fs.chmodSync("a.txt", 0o600), fs.statSync("a.txt").mode & 0o777]',
  '[fs.chmodSync("dir", "700"), fs.statSync("dir").mode & 0o777]',
  'fsp.chmod("missing.txt", 0o600)',
  'fs.chmodSync("a.txt", "x")',
  '[fs.utimesSync("a.txt", 1_600_000_000, new Date(1_600_000_001_000)), fs.statSync("a.txt").atimeMs, fs.statSync("a.txt").mtimeMs]',
  'fs.utimesSync("a.txt", NaN, 1)',
  {
    run: '(() => { const f = fs.openSync("a.txt", "r"); fs.renameSync("a.txt", "b.txt"); try { return fs.readFileSync(f, "utf8").length > 0; } finally { fs.closeSync(f); } })()',
    why: "an open file is its path",
    node: true,
    cordon: { code: "ENOENT" },
  },
  {
    run: '(() => { fs.chmodSync("a.txt", 0o4755); return fs.statSync("a.txt").mode & 0o7777; })()',
    why: "a file that runs as its owner is not a hook's to make",
    node: 0o4755,
    cordon: 0o755,
  },
];
