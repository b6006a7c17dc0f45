import type { Case } from "./fs-sides.ts";

/** Closed right before it is used. */
const CLOSED = '(() => { const fd = fs.openSync("a.txt"); fs.closeSync(fd); return fd; })()';

/** No number of a file: each side refuses it before it looks for the file. */
const ODD = [
  "3.5",
  "2 ** 31",
  "2 ** 31 + 0.5",
  "2 ** 32",
  "NaN",
  "Infinity",
  "-Infinity",
  "5n",
  '"3"',
  "undefined",
  "null",
  "({})",
  "[3]",
  "new Number(3)",
  "true",
  "Symbol()",
];
const NEGATIVE = ["-1", "-4", "-(2 ** 31)"];
const NOT_OPEN = ["99_999", "2 ** 31 - 1"];
const EACH = [...ODD, "-0.5", ...NEGATIVE, ...NOT_OPEN];
/** Without those that Node words in another way where it checks a number in JavaScript: see the end of the table. */
const WORDED_ALIKE = EACH.filter((value) => value !== "-0.5" && value !== "2 ** 31 + 0.5");

/** What a function does with each of some values. */
const each = (values: readonly string[], act: string): string =>
  `(async () => { const told = {}; for (const [name, fd] of Object.entries({ ${values
    .map((value) => `${JSON.stringify(value)}: () => ${value}`)
    .join(", ")} })) told[name] = await tried(() => (${act})(fd())); return told; })()`;
const now = (act: string): string => each([...EACH, CLOSED], `(fd) => ${act}`);
const later = (act: string, values: readonly string[] = EACH): string =>
  each(values, `(fd) => called((done) => ${act})`);

const opened = (name: string, flags: string, act: string): string =>
  `(async () => { const fd = fs.openSync("${name}", "${flags}"); try { return await (${act}); } finally { fs.closeSync(fd); } })()`;
const handled = (how: string, act: string): string =>
  `(async () => { const file = await fsp.open("a.txt", "r+"); ${how}; try { return await (${act}); } finally { await file.close().catch(() => {}); } })()`;

const BYTES = "Buffer.alloc(2)";
/** What is done with a handle that is closed, or whose file was closed by its number. */
const WITH_HANDLE = [
  `file.read(${BYTES})`,
  'file.write("x")',
  `file.write(${BYTES})`,
  "file.readFile()",
  'file.readFile("utf8")',
  'file.writeFile("x")',
  'file.appendFile("x")',
  "file.stat()",
  "file.truncate(1)",
  "file.sync()",
  "file.datasync()",
  "file.close()",
];

/** Values in place of the number of an open file. */
export const numbers: Case[] = [
  now("fs.closeSync(fd)"),
  now(`fs.readSync(fd, ${BYTES})`),
  now(`fs.readSync(fd, ${BYTES}, { position: 1 })`),
  now('fs.writeSync(fd, "x")'),
  now(`fs.writeSync(fd, ${BYTES})`),
  now("fs.fstatSync(fd)"),
  now("fs.fsyncSync(fd)"),
  now("fs.fdatasyncSync(fd)"),
  now("fs.ftruncateSync(fd, 1)"),
  now("fs.readFileSync(fd)"),
  now('fs.readFileSync(fd, "utf8")'),
  now('fs.readFileSync(fd, { encoding: "utf-8" })'),
  now('fs.readFileSync(fd, "latin1")'),
  each([...NEGATIVE, ...NOT_OPEN], '(fd) => fs.readFileSync(fd, "nonsense")'),
  ...["writeFileSync", "appendFileSync"].flatMap((name) => [
    now(`fs.${name}(fd, "x")`),
    now(`fs.${name}(fd, "x", null)`),
    now(`fs.${name}(fd, "x", "latin1")`),
    now(`fs.${name}(fd, "x", { encoding: "utf8" })`),
    now(`fs.${name}(fd, ${BYTES})`),
    now(`fs.${name}(fd, "")`),
    each([...NEGATIVE, ...NOT_OPEN], `(fd) => fs.${name}(fd, 5)`),
  ]),
  later("fs.close(fd, done)"),
  each(ODD, "(fd) => fs.close(fd)"),
  later(`fs.read(fd, ${BYTES}, 0, 2, null, done)`, WORDED_ALIKE),
  later('fs.write(fd, "x", done)', WORDED_ALIKE),
  later(`fs.write(fd, ${BYTES}, done)`, WORDED_ALIKE),
  later("fs.fstat(fd, done)"),
  later("fs.fsync(fd, done)"),
  later("fs.fdatasync(fd, done)"),
  later("fs.ftruncate(fd, 1, done)"),
  later("fs.readFile(fd, done)", [...ODD, "-0.5"]),
  ...["writeFile", "appendFile"].flatMap((name) => [
    later(`fs.${name}(fd, "x", done)`),
    later(`fs.${name}(fd, "x", "latin1", done)`),
    later(`fs.${name}(fd, "", done)`),
    each([...NEGATIVE, ...NOT_OPEN], `(fd) => fs.${name}(fd, 5, () => {})`),
  ]),
  each(EACH, "(fd) => fsp.readFile(fd)"),
  each(EACH, '(fd) => fsp.writeFile(fd, "x")'),
  each(EACH, '(fd) => fsp.appendFile(fd, "x")'),

  opened("a.txt", "a", "fs.readFileSync(fd)"),
  opened("a.txt", "a", 'fs.readFileSync(fd, "utf8")'),
  opened("a.txt", "r", 'fs.writeFileSync(fd, "x")'),
  opened("a.txt", "r", `fs.appendFileSync(fd, ${BYTES})`),
  opened("a.txt", "r", 'fs.writeFileSync(fd, "")'),
  opened("a.txt", "r", "fs.writeFileSync(fd, 5)"),
  opened("a.txt", "r", 'called((done) => fs.writeFile(fd, "x", done))'),
  opened("a.txt", "r", "fs.ftruncateSync(fd, 1)"),
  opened("a.txt", "r", "called((done) => fs.ftruncate(fd, 1, done))"),

  opened("a.txt", "r", "called((done) => fs.readFile(fd, done))"),
  opened("a.txt", "r", '[fs.readSync(fd, Buffer.alloc(2)), called((done) => fs.readFile(fd, "utf8", done))][1]'),
  opened("a.txt", "r+", '[fs.readSync(fd, Buffer.alloc(2)), called((done) => fs.writeFile(fd, "ZZ", done))][1]'),
  opened("a.txt", "r+", 'called((done) => fs.appendFile(fd, Buffer.from("Z"), done))'),
  opened(
    "a.txt",
    "r+",
    '[fs.readSync(fd, Buffer.alloc(2)), fs.writeFileSync(fd, "Z"), fs.appendFileSync(fd, "Y"), fs.readFileSync(fd, "utf8")]',
  ),
  'new Promise((done) => { const fd = fs.openSync("a.txt"); fs.close(fd); setTimeout(() => done(tried(() => fs.fstatSync(fd))), 100); })',

  ...WITH_HANDLE.flatMap((act) => [handled("await file.close()", act), handled("fs.closeSync(file.fd)", act)]),
  handled("await file.close()", "file.createReadStream()"),
  handled("await file.close()", "file.readLines()[Symbol.asyncIterator]().next()"),
  handled("", "file.writeFile(5)"),
  ...["file.read()", "file.readFile()"].map((act) =>
    handled("await file.close(); file = await fsp.open('a.txt', 'a')", act).replace("const file", "let file"),
  ),
  ...['file.write("x")', 'file.writeFile("x")', "file.truncate(1)"].map((act) =>
    handled("await file.close(); file = await fsp.open('a.txt', 'r')", act).replace("const file", "let file"),
  ),

  {
    run: `called((done) => fs.read(-0.5, ${BYTES}, 0, 2, null, done))`,
    why: "it has Node's words of the other functions",
    node: { code: "ERR_OUT_OF_RANGE", message: 'The value of "fd" is out of range. It must be an integer.' },
    cordon: {
      code: "ERR_OUT_OF_RANGE",
      message: 'The value of "fd" is out of range. It must be >= 0 && <= 2147483647.',
    },
  },
  {
    run: "called((done) => fs.readFile(99_999, done))",
    why: "Node loses the error, and fails to join what was not read",
    node: [{ code: "ERR_INVALID_ARG_TYPE" }],
    cordon: [{ code: "EBADF", errno: -9, syscall: "fstat", message: "EBADF: bad file descriptor, fstat" }],
  },
];
