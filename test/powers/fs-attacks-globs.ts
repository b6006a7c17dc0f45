import type { FsGrant } from "../../src/powers/fs-grant.ts";
import { ALL, type FileAttack, READ } from "./fs-attack.ts";

const reading = (name: string, pattern: string, path: string, near: string, files: Record<string, string> = {}) => ({
  name: `${name}: ${pattern}`,
  grant: { read: [pattern] },
  files: { [`proj/${path}`]: "not granted", [`proj/${near}`]: "granted", ...files },
  body: `return fs.readFileSync(${JSON.stringify(path)}, "utf8");`,
  works: { body: `return fs.readFileSync(${JSON.stringify(near)}, "utf8");`, answer: "granted" },
});

/** What patterns mean, and where they end. */
export const patterns: FileAttack[] = [
  reading("one star stays in its folder", "$CWD/*.md", "docs/x.md", "x.md"),
  reading("one star stays one level deep", "$CWD/docs/*", "docs/deep/x", "docs/x"),
  reading("two stars stay below their folder", "$CWD/docs/**", "docs-private/x", "docs/deep/er/x"),
  reading("a question mark is one character", "$CWD/?.md", "xy.md", "y.md"),
  reading("a question mark is no slash", "$CWD/docs?x", "docs/x", "docs-x"),
  reading("braces are parts of a name", "$CWD/{x,y}.md", "x.md", "{x,y}.md"),
  reading("brackets are one character of some", "$CWD/[x-y].md", "z.md", "y.md"),
  reading("a name without a wildcard is itself", "$CWD/x.md", "x.md.bak", "x.md"),
  reading("a dot is a dot", "$CWD/x.md", "xxmd", "x.md"),
  reading("letters have a case", "$CWD/X.md", "x.md", "X.md"),
  reading("parentheses in a folder's name", "{W}/proj/my (notes)/**", "my notes/x", "my (notes)/x"),
  reading("a pattern with an exclamation mark grants what it names", "$CWD/!(x).md", "y.md", "!(x).md"),
  {
    name: "a folder's name does not cover its content: $CWD/docs",
    grant: { read: ["$CWD/docs"] },
    body: 'return fs.readFileSync("docs/b.txt", "utf8");',
    works: { body: 'return fs.readdirSync("docs").sort();', answer: ["b.txt", "deep"] },
  },
  {
    name: "a folder's content does not cover the folder: $CWD/docs/*.txt",
    grant: { read: ["$CWD/docs/*.txt"] },
    body: 'return fs.readdirSync("docs");',
    works: { body: 'return fs.readFileSync("docs/b.txt", "utf8");', answer: "beta" },
  },
];

const rights = (name: string, grant: FsGrant, body: string, works: FileAttack["works"]): FileAttack => ({
  name,
  grant,
  body,
  works,
});

const [writeOnly, watchOnly]: FsGrant[] = [{ write: ["$CWD/**"] }, { watch: ["$CWD/**"] }];

/** Each right is separate. */
export const rightsApart: FileAttack[] = [
  rights("reading what may be written", writeOnly as FsGrant, 'return fs.readFileSync("a.txt", "utf8");', {
    body: 'fs.appendFileSync("a.txt", "!"); return "done";',
    answer: "done",
  }),
  rights("facts of what may be written", writeOnly as FsGrant, 'return fs.statSync("a.txt").size;', {
    body: 'fs.accessSync("a.txt", fs.constants.W_OK); return "done";',
    answer: "done",
  }),
  rights(
    "copying what may be written to where it may be read",
    { read: ["$CWD/docs/**"], write: ["$CWD/**"] },
    'fs.copyFileSync("a.txt", "docs/a.txt");',
    {
      body: 'fs.copyFileSync("docs/b.txt", "docs/a.txt"); return fs.readFileSync("docs/a.txt", "utf8");',
      answer: "beta",
    },
  ),
  rights("writing what may be read", READ, 'fs.writeFileSync("a.txt", "new");', {
    body: 'return fs.readFileSync("a.txt", "utf8");',
    answer: "alpha",
  }),
  rights("asking whether what may be read may be written", READ, 'fs.accessSync("a.txt", fs.constants.W_OK);', {
    body: 'fs.accessSync("a.txt", fs.constants.R_OK); return "done";',
    answer: "done",
  }),
  rights("reading what may be watched", watchOnly as FsGrant, 'return fs.readFileSync("a.txt", "utf8");', {
    body: 'fs.watch("a.txt").close(); return "done";',
    answer: "done",
  }),
  rights("watching what may be read", READ, 'fs.watch("a.txt").close();', {
    body: 'return fs.statSync("a.txt").size;',
    answer: 5,
  }),
  rights("anything without a grant", {}, 'return fs.existsSync("a.txt") || fs.readFileSync("a.txt", "utf8");', {
    grant: READ,
    body: 'return fs.existsSync("a.txt") && fs.readFileSync("a.txt", "utf8");',
    answer: "alpha",
  }),
];

/** Every call in each of its three forms, with a path outside and a path inside. */
const CALLS: [method: string, outside: string, inside: string][] = [
  ["readFile", '"../outside/note.txt", "utf8"', '"a.txt", "utf8"'],
  ["readdir", '"../outside"', '"docs"'],
  ["stat", '"../outside/note.txt"', '"a.txt"'],
  ["lstat", '"../outside/note.txt"', '"a.txt"'],
  ["access", '"../outside/note.txt"', '"a.txt"'],
  ["access", '"../outside/note.txt", fs.constants.W_OK', '"a.txt", fs.constants.W_OK'],
  ["realpath", '"../outside"', '"docs"'],
  ["writeFile", '"../outside/new.txt", "x"', '"new.txt", "x"'],
  ["appendFile", '"../outside/note.txt", "x"', '"a.txt", "x"'],
  ["mkdir", '"../outside/new"', '"new"'],
  ["mkdir", '"../outside/new/deep", { recursive: true }', '"new/deep", { recursive: true }'],
  ["mkdtemp", '"../outside/temp-"', '"temp-"'],
  ["unlink", '"../outside/note.txt"', '"a.txt"'],
  ["rmdir", '"../outside/empty"', '"empty"'],
  ["rm", '"../outside", { recursive: true, force: true }', '"docs", { recursive: true, force: true }'],
  ["rename", '"../outside/note.txt", "mine"', '"a.txt", "mine"'],
  ["rename", '"a.txt", "../outside/a.txt"', '"a.txt", "docs/a.txt"'],
  ["copyFile", '"../outside/note.txt", "mine"', '"a.txt", "mine"'],
  ["copyFile", '"a.txt", "../outside/a.txt"', '"a.txt", "docs/a.txt"'],
];

export const everyCall: FileAttack[] = CALLS.map(([method, outside, inside]) => ({
  name: `${method}(${outside})`,
  folders: ["proj/empty", "outside/empty"],
  grant: ALL,
  body: `const codes = [];
    for (const act of [
      () => fs.${method}Sync(${outside}),
      () => fsp.${method}(${outside}),
      () => new Promise((done, failed) => fs.${method}(${outside}, (error: any, answer: any) => error ? failed(error) : done(answer))),
    ])
      codes.push(await Promise.resolve().then(act).then(JSON.stringify, (error) => error.code));
    return codes;`,
  answer: ["NOT_GRANTED", "NOT_GRANTED", "NOT_GRANTED"],
  works: { body: `await fsp.${method}(${inside}); return "done";`, answer: "done" },
}));
