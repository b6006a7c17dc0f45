import type { Case } from "./fs-sides.ts";

const open = (name: string, flags: string, act: string): string =>
  `(() => { const fd = fs.openSync("${name}", ${flags}); try { return (${act})(fd); } finally { fs.closeSync(fd); } })()`;
const handle = (name: string, flags: string, act: string): string =>
  `(async () => { const file = await fsp.open("${name}", ${flags}); try { return await (${act})(file); } finally { await file.close(); } })()`;
const text = '"utf8"';

/** `a.txt` contains a text, `dir` is a folder. */
export const descriptors: Case[] = [
  open(
    "a.txt",
    '"r"',
    `(fd) => { const b = Buffer.alloc(3); return [fs.readSync(fd, b, 0, 3, null), b, fs.readSync(fd, b), b]; }`,
  ),
  open("a.txt", '"r"', "(fd) => { const b = Buffer.alloc(100); return [fs.readSync(fd, b), fs.readSync(fd, b)]; }"),
  open(
    "a.txt",
    '"r"',
    "(fd) => { const b = Buffer.alloc(2); return [fs.readSync(fd, b, 0, 2, 1), b, fs.readSync(fd, b, { position: 0 }), b]; }",
  ),
  open(
    "a.txt",
    '"r"',
    "(fd) => { const b = Buffer.alloc(4); return [fs.readSync(fd, b, { offset: 2, length: 1 }), b]; }",
  ),
  open("a.txt", '"r"', "(fd) => fs.readSync(fd, Buffer.alloc(2), 0, 0, null)"),
  open("a.txt", '"r"', `(fd) => [fs.readFileSync(fd, ${text}), fs.readFileSync(fd, ${text})]`),
  open("a.txt", '"r"', "(fd) => [fs.fstatSync(fd).size, fs.fstatSync(fd).isFile()]"),
  open("dir", '"r"', "(fd) => { fs.fsyncSync(fd); return fs.fstatSync(fd).isDirectory(); }"),
  open("a.txt", "fs.constants.O_RDONLY", `(fd) => fs.readFileSync(fd, ${text})`),
  open(
    "new.txt",
    '"w"',
    '(fd) => [fs.writeSync(fd, "one "), fs.writeSync(fd, Buffer.from("two")), fs.writeSync(fd, "ä", null, "latin1")]',
  ),
  open(
    "new.txt",
    '"w"',
    '(fd) => { fs.writeFileSync(fd, "one "); fs.writeFileSync(fd, "two"); fs.appendFileSync(fd, "!"); fs.fsyncSync(fd); }',
  ),
  open("new.txt", '"wx"', '(fd) => fs.writeFileSync(fd, "mine")'),
  open("new.txt", '"w"', '(fd) => [fs.writeSync(fd, "abcdef"), fs.writeSync(fd, "XY", 2), fs.writeSync(fd, "!")]'),
  open("new.txt", '"w"', '(fd) => fs.writeSync(fd, "ab", 3)'),
  open("new.txt", '"w"', '(fd) => fs.writeSync(fd, Buffer.from("abcdef"), 2, 3)'),
  open(
    "new.txt",
    "fs.constants.O_WRONLY | fs.constants.O_CREAT | fs.constants.O_EXCL, 0o600",
    '(fd) => fs.writeSync(fd, "x")',
  ),
  open("a.txt", '"w"', "() => 0"),
  open("a.txt", '"a"', '(fd) => [fs.writeSync(fd, "more"), fs.writeSync(fd, "most", 0)]'),
  open(
    "a.txt",
    '"r+"',
    '(fd) => { const b = Buffer.alloc(2); fs.readSync(fd, b); return [b, fs.writeSync(fd, "Z")]; }',
  ),
  open("a.txt", '"r+"', "(fd) => fs.ftruncateSync(fd, 2)"),
  open("a.txt", '"r+"', "(fd) => fs.ftruncateSync(fd, 20)"),
  open("a.txt", '"r"', "(fd) => [fs.fchmodSync(fd, 0o600), fs.fstatSync(fd).mode & 0o777]"),
  open("a.txt", '"r"', '(fd) => [fs.fchmodSync(fd, "640"), fs.statSync("a.txt").mode & 0o777]'),
  open("a.txt", '"r"', "(fd) => [fs.futimesSync(fd, 1000, 2000), fs.statSync('a.txt').mtimeMs]"),
  '(async () => { const fd = fs.openSync("a.txt"); const told = await new Promise((done) => fs.fchmod(fd, 0o600, done)); fs.closeSync(fd); return [told, fs.statSync("a.txt").mode & 0o777]; })()',
  '(async () => { const fd = fs.openSync("a.txt"); const told = await new Promise((done) => fs.futimes(fd, 1, 2, done)); fs.closeSync(fd); return [told, fs.statSync("a.txt").atimeMs]; })()',
  handle("a.txt", '"r"', "async (file) => [await file.chmod(0o600), (await file.stat()).mode & 0o777]"),
  handle("a.txt", '"r"', "async (file) => [await file.utimes(1000, 2000), (await file.stat()).mtimeMs]"),
  '[fs.truncateSync("a.txt", 2), fs.readFileSync("a.txt", "utf8")]',
  '[fs.truncateSync("a.txt"), fs.readFileSync("a.txt", "utf8")]',
  '(async () => [await fsp.truncate("a.txt", 3), fs.readFileSync("a.txt", "utf8")])()',
  'new Promise((done) => fs.truncate("a.txt", 1, (e) => done([e, fs.readFileSync("a.txt", "utf8")])))',
  'fs.truncateSync("missing.txt", 2)',
  'fsp.truncate("missing.txt")',
  "fs.truncateSync(5.5)",
  open(
    "new.txt",
    '"w+"',
    '(fd) => { fs.writeSync(fd, "back"); const b = Buffer.alloc(4); return [fs.readSync(fd, b, 0, 4, 0), b]; }',
  ),
  'fs.openSync("missing.txt", "r")',
  'fs.openSync("missing.txt", "r+")',
  'fs.openSync("a.txt", "wx")',
  'fs.openSync("missing/new.txt", "w")',
  'fs.closeSync(fs.openSync("a.txt"))',
  '(() => { const fd = fs.openSync("a.txt", "r"); fs.closeSync(fd); try { fs.readSync(fd, Buffer.alloc(1)); } catch ({ code, syscall }) { return [code, syscall]; } })()',
  open(
    "a.txt",
    '"r"',
    '(fd) => { try { fs.writeSync(fd, "x"); } catch ({ code, syscall }) { return [code, syscall]; } }',
  ),
  open(
    "new.txt",
    '"w"',
    "(fd) => { try { fs.readSync(fd, Buffer.alloc(1)); } catch ({ code, syscall }) { return [code, syscall]; } }",
  ),
  'called((done) => fs.open("a.txt", "r", (error, fd) => fs.read(fd, Buffer.alloc(3), 0, 3, null, (wrong, count, b) => fs.close(fd, () => done(error ?? wrong, count, b)))))',
  'called((done) => fs.open("new.txt", "w", (error, fd) => fs.write(fd, "text", (wrong, count) => fs.close(fd, () => done(error ?? wrong, count)))))',
  'called((done) => fs.open("missing.txt", "r", done))',
  handle("new.txt", '"wx"', '(file) => file.writeFile("{}\\n", "utf8")'),
  handle("a.txt", '"r"', `async (file) => [await file.readFile(${text}), await file.readFile(${text})]`),
  handle(
    "a.txt",
    '"r"',
    "async (file) => { const { bytesRead, buffer } = await file.read(Buffer.alloc(3), 0, 3, 1); return [bytesRead, buffer]; }",
  ),
  handle(
    "a.txt",
    '"r"',
    "async (file) => { const { bytesRead, buffer } = await file.read({ buffer: Buffer.alloc(2), position: 1 }); return [bytesRead, buffer]; }",
  ),
  handle("a.txt", '"r"', "async (file) => (await file.stat()).size"),
  handle(
    "new.txt",
    '"w"',
    'async (file) => [(await file.write("ab")).bytesWritten, await file.appendFile("cd"), await file.sync(), await file.truncate(3)]',
  ),
  'fsp.open("a.txt", "wx")',
  'fsp.open("missing.txt")',
  open("a.txt", '"r+"', '(fd) => fs.writeFileSync(fd, "Z")'),
];
