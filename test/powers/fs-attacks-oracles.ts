import { ALL, type FileAttack, READ, SECRET } from "./fs-attack.ts";

/** Makes the same call for a file outside that exists and for one that does not; the answers must not differ. */
const telling = (
  name: string,
  ask: string,
  there: string,
  missing: string,
  more: Partial<FileAttack> = {},
): FileAttack => ({
  name,
  grant: ALL,
  body: `
    const told = [];
    for (const path of [${JSON.stringify(there)}, ${JSON.stringify(missing)}])
      try {
        told.push(String(await (${ask})(path)));
      } catch (error: any) {
        told.push([error.name, error.code, error.errno, error.syscall, error.message.replaceAll(path, "PATH").replaceAll(path.split("/").at(-1), "NAME")].join());
      }
    return told[0] === told[1] ? "the same" : told;`,
  answer: "the same",
  works: {
    body: `const told = []; for (const path of ["a.txt", "missing"]) try { told.push(await (${ask})(path) ?? "done"); } catch (error: any) { told.push("failed"); } return told[0] !== told[1];`,
    answer: true,
  },
  ...more,
});

const out: [string, string] = ["../outside/note.txt", "../outside/no-such.txt"];
const behindLinks: [string, string] = ["to-there", "to-missing"];
const links = { "proj/to-there": "../outside/note.txt", "proj/to-missing": "../outside/no-such.txt" };

/** Calls whose answers would reveal which files exist. */
const QUESTIONS: [what: string, ask: string][] = [
  ["existsSync", "(path: string) => fs.existsSync(path)"],
  ["exists", "(path: string) => new Promise((done) => fs.exists(path, done))"],
  ["access", "(path: string) => fsp.access(path)"],
  ["statSync that does not throw", "(path: string) => fs.statSync(path, { throwIfNoEntry: false })?.size"],
  ["readFileSync", '(path: string) => fs.readFileSync(path, "utf8")'],
  ["realpathSync", "(path: string) => fs.realpathSync(path).length > 0"],
  ["copyFileSync", "(path: string) => fs.copyFileSync(path, 'docs/copy')"],
  ["watch", "(path: string) => fs.watch(path).close()"],
];

export const oracles: FileAttack[] = [
  ...QUESTIONS.map(([what, ask]) => telling(`${what} of what is outside`, ask, ...out)),
  ...QUESTIONS.map(([what, ask]) => telling(`${what} of what links outside lead to`, ask, ...behindLinks, { links })),
  telling("rmSync with force of what is outside", "(path: string) => fs.rmSync(path, { force: true })", ...out, {
    works: { body: 'fs.rmSync("missing", { force: true }); return "done";', answer: "done" },
  }),
  telling(
    "a new file that links outside lead to",
    '(path: string) => fs.writeFileSync(path, "x", { flag: "wx" })',
    ...behindLinks,
    { links },
  ),
  telling("a new folder that links outside lead to", "(path: string) => fs.mkdirSync(path)", ...behindLinks, { links }),
  telling(
    "folders that are to be made outside",
    "(path: string) => fs.mkdirSync(`${path}/a/b`, { recursive: true })",
    "../outside",
    "../nowhere",
    { works: { body: 'fs.mkdirSync("a/b", { recursive: true }); return "done";', answer: "done" } },
  ),
  telling("moving what is outside", "(path: string) => fs.renameSync(path, 'mine')", ...out),
  telling("existsSync of a secret's name", "(path: string) => fs.existsSync(path)", ".env", ".env.missing"),
  {
    name: "existsSync of a path outside that exists or not",
    grant: ALL,
    body: 'return [fs.existsSync("../outside/note.txt"), fs.existsSync("../outside"), fs.existsSync("../outside/no-such.txt")];',
    answer: [false, false, false],
    works: {
      body: 'return [fs.existsSync("a.txt"), fs.existsSync("docs"), fs.existsSync("no-such.txt")];',
      answer: [true, true, false],
    },
  },
  ...[
    ["the folder of a new folder", "fs.mkdtemp", [], "../outside/note.txt", "../outside/absent.txt"],
    ["folders above a new folder", "fs.mkdir", [true], "../outside/dir/a/b", "../outside/non/a/b"],
    ["what a link leads to", "fs.symlink", ["../outside/dir"], "link-a", "link-b", ["../outside/non"]],
    ["other files of a kind", "fs.read", ["utf8"], "../outside/plan-1a.tmp", "../outside/memo-1a.tmp"],
    [
      "other files of a kind, to be removed",
      "fs.rm",
      [false, false],
      "../outside/plan-1a.tmp",
      "../outside/memo-1a.tmp",
    ],
  ].map(([what, method, rest, there, missing, otherRest = rest]) =>
    telling(
      `the remedy of a refusal, of ${what}`,
      `(path: string) => (globalThis as any)[Symbol.for("cordon.host")].call(${JSON.stringify(method)}, [path, ...(path === ${JSON.stringify(there)} ? ${JSON.stringify(rest)} : ${JSON.stringify(otherRest)})]).catch((error: any) => { throw Object.assign(error, { message: error.message.replaceAll("outside/non", "outside/dir") }); })`,
      there as string,
      missing as string,
      { files: { "outside/plan-mine.tmp": SECRET }, works: { body: 'return "done";', answer: "done" } },
    ),
  ),
  {
    name: "where a folder of a program leads, from the remedy of a refusal",
    grant: ALL,
    links: { "proj/out": "../outside" },
    body: 'return (globalThis as any)[Symbol.for("cordon.host")].call("exec", ["pwd", [], { cwd: "out" }]).catch((error: any) => error.message.includes("outside"));',
    answer: false,
    works: { body: 'return "done";', answer: "done" },
  },
];

/** Listings and watches that would reveal more than was granted. */
export const listings: FileAttack[] = [
  {
    name: "a listing of a folder that is not granted",
    grant: { read: ["$CWD/docs/**"] },
    body: 'return fs.readdirSync(".");',
    works: { body: 'return fs.readdirSync("docs/deep");', answer: ["c.txt"] },
  },
  {
    name: "a recursive listing of a granted folder, with folders in it that are not",
    grant: { read: ["$CWD/docs", "$CWD/docs/*.txt"] },
    body: 'return fs.readdirSync("docs", { recursive: true }).filter((name: string) => name.includes("c.txt"));',
    answer: [],
    works: { body: 'return fs.readdirSync("docs").sort();', answer: ["b.txt", "deep"] },
  },
  {
    name: "a recursive listing of the project, with a folder of keys in it",
    grant: READ,
    files: { "proj/.ssh/id_of_my_bank": "x", "proj/ssh/plain": "x" },
    body: 'return fs.readdirSync(".", { recursive: true }).filter((name: string) => name.includes("bank"));',
    answer: [],
    works: {
      body: 'return fs.readdirSync(".", { recursive: true }).filter((name: string) => name.includes("plain"));',
      answer: ["ssh/plain"],
    },
  },
  {
    name: "a listing of the folder of keys itself",
    grant: READ,
    files: { "proj/.ssh/id_of_my_bank": "x", "proj/ssh/plain": "x" },
    body: 'return fs.readdirSync(".ssh");',
    works: { body: 'return fs.readdirSync("ssh");', answer: ["plain"] },
  },
  {
    name: "size and times of a secret, from a watch of its folder",
    grant: { watch: ["$CWD/**"] },
    body: 'return JSON.parse((globalThis as any)[Symbol.for("cordon.host")].sync("fs.look", ["."]))[".env"] ?? "nothing";',
    answer: "nothing",
    works: {
      body: 'return "a.txt" in JSON.parse((globalThis as any)[Symbol.for("cordon.host")].sync("fs.look", ["."]));',
      answer: true,
    },
  },
  {
    name: "a watch of a secret",
    grant: ALL,
    body: 'fs.watch(".env").close();',
    works: { body: 'fs.watch("a.txt").close(); return "done";', answer: "done" },
  },
  {
    name: "a watch of a secret's stat",
    grant: ALL,
    body: 'fs.watchFile(".env", () => {}); fs.unwatchFile(".env");',
    works: { body: 'fs.watchFile("a.txt", () => {}); fs.unwatchFile("a.txt"); return "done";', answer: "done" },
  },
  {
    name: "a watch through a link to outside",
    grant: ALL,
    links: { "proj/out": "../outside/note.txt", "proj/in": "a.txt" },
    body: 'fs.watch("out").close();',
    works: { body: 'fs.watch("in").close(); return "done";', answer: "done" },
  },
];
