import { expect } from "vitest";
import { ALL, type FileAttack, READ, WRITE } from "./fs-attack.ts";

const reads = (path: string) => `return fs.readFileSync(${JSON.stringify(path)}, "utf8");`;
/** Writes, and reads the result. */
const writes = (path: string, then = path) => `fs.writeFileSync(${JSON.stringify(path)}, "new"); ${reads(then)}`;

const OUT = "{W}/outside";

/** Links that are followed. */
export const links: FileAttack[] = [
  {
    name: "a link to a file outside",
    links: { "proj/out": `${OUT}/note.txt`, "proj/in": "a.txt" },
    grant: READ,
    body: reads("out"),
    works: { body: reads("in"), answer: "alpha" },
  },
  {
    name: "a link to a folder outside, by a relative path",
    links: { "proj/out": "../outside", "proj/in": "docs/../docs" },
    grant: READ,
    body: reads("out/note.txt"),
    works: { body: reads("in/b.txt"), answer: "beta" },
  },
  {
    name: "a link in the middle of a path",
    links: { "proj/docs/out": "../../outside", "proj/docs/in": "deep" },
    grant: READ,
    body: reads("docs/out/dir/note.txt"),
    works: { body: reads("docs/in/c.txt"), answer: "gamma" },
  },
  {
    name: "links to links",
    links: {
      "proj/1": "2",
      "proj/2": "docs/3",
      "proj/docs/3": OUT,
      "proj/4": "5",
      "proj/5": "docs/6",
      "proj/docs/6": "../docs",
    },
    grant: READ,
    body: reads("1/note.txt"),
    works: { body: reads("4/b.txt"), answer: "beta" },
  },
  {
    name: "links in a circle",
    links: { "proj/1": "2", "proj/2": "1", "proj/3": "4", "proj/4": "a.txt" },
    grant: READ,
    body: reads("1"),
    works: { body: reads("3"), answer: "alpha" },
  },
  {
    name: "a link to itself",
    links: { "proj/self": "self", "proj/here": "." },
    grant: READ,
    body: reads("self/self"),
    works: { body: reads("here/here/here/a.txt"), answer: "alpha" },
  },
  {
    name: "more links in a row than the kernel follows",
    links: Object.fromEntries(
      Array.from({ length: 42 }, (_, at) => [`proj/l${at}`, at === 0 ? "a.txt" : `l${at - 1}`]),
    ),
    grant: READ,
    body: reads("l41"),
    works: { body: reads("l9"), answer: "alpha" },
  },
  {
    name: "a link to a file of the project that is granted only by its own name",
    links: { "proj/plain.txt": ".env", "proj/also.txt": "a.txt" },
    grant: READ,
    body: reads("plain.txt"),
    works: { body: reads("also.txt"), answer: "alpha" },
  },
  {
    name: "a link from the granted folder to another of the project",
    links: { "proj/docs/up": "..", "proj/docs/here": "." },
    grant: { read: ["$CWD/docs/**"] },
    body: reads("docs/up/a.txt"),
    works: { body: reads("docs/here/b.txt"), answer: "beta" },
  },
  {
    name: "a link that has the name of a granted file",
    files: { "proj/mine": "granted" },
    links: { "proj/docs/x.txt": "../a.txt" },
    grant: { read: ["$CWD/docs/x.txt", "$CWD/mine"] },
    body: reads("docs/x.txt"),
    works: { body: reads("mine"), answer: "granted" },
  },
  {
    name: "a link to a folder whose name starts with the project's",
    links: { "proj/out": "{W}/proj-secret", "proj/in": "{W}/proj" },
    grant: READ,
    body: reads("out/note.txt"),
    works: { body: reads("in/a.txt"), answer: "alpha" },
  },
  {
    name: "a path outside that leads into the project",
    links: { "outside/in": "{W}/proj/a.txt", "proj/in": "{W}/proj/a.txt" },
    grant: READ,
    body: reads("../outside/in"),
    works: { body: reads("in"), answer: "alpha" },
  },
  {
    name: "a write through a link to a file outside",
    links: { "proj/out": `${OUT}/note.txt`, "proj/in": "a.txt" },
    grant: WRITE,
    body: writes("out"),
    works: { body: writes("in", "a.txt"), answer: "new" },
  },
  {
    name: "a write through a link to a new file outside",
    links: { "proj/out": `${OUT}/new.txt`, "proj/in": "docs/new.txt" },
    grant: WRITE,
    body: writes("out"),
    works: { body: writes("in", "docs/new.txt"), answer: "new" },
  },
  {
    name: "an append through a folder that is a link",
    links: { "proj/out": "../outside", "proj/in": "docs" },
    grant: WRITE,
    body: 'fs.appendFileSync("out/note.txt", "new");',
    works: { body: `fs.appendFileSync("in/b.txt", "new"); ${reads("docs/b.txt")}`, answer: "betanew" },
  },
  {
    name: "a write through a link to a file that is granted only by its own name",
    links: { "proj/plain.txt": "package.json", "proj/also.txt": "a.txt" },
    grant: WRITE,
    body: writes("plain.txt"),
    works: { body: writes("also.txt", "a.txt"), answer: "new" },
  },
  {
    name: "a new folder through a link",
    links: { "proj/out": "../outside", "proj/in": "docs" },
    grant: WRITE,
    body: 'fs.mkdirSync("out/new/deep", { recursive: true });',
    works: {
      body: 'fs.mkdirSync("in/new/deep", { recursive: true }); return fs.readdirSync("docs/new");',
      answer: ["deep"],
    },
  },
  {
    name: "a temporary folder through a link",
    links: { "proj/out": "../outside", "proj/in": "docs" },
    grant: WRITE,
    body: 'fs.mkdtempSync("out/temp-");',
    works: { body: 'return fs.mkdtempSync("in/temp-").length;', answer: 14 },
  },
];

/** Links that are read, moved or removed. */
export const linksThemselves: FileAttack[] = [
  {
    name: "the real path of a link to outside",
    links: { "proj/out": "../outside", "proj/in": "docs" },
    grant: READ,
    body: 'return fs.realpathSync("out");',
    works: { body: 'return fs.realpathSync("in") === W + "/proj/docs";', answer: true },
  },
  {
    name: "reading the target of a link that is outside",
    links: { "proj/out": "../outside", "outside/link": "note.txt" },
    grant: READ,
    body: 'return fs.readlinkSync("out/link");',
    works: { body: 'return fs.lstatSync("out").isSymbolicLink();', answer: true },
  },
  {
    name: "stat of a file through a link in its path",
    links: { "proj/out": "../outside", "proj/in": "docs" },
    grant: READ,
    body: 'return fs.lstatSync("out/note.txt").size;',
    works: { body: 'return fs.lstatSync("in/b.txt").size;', answer: 4 },
  },
  {
    name: "stat of the target of a link to outside",
    links: { "proj/out": "../outside/note.txt" },
    grant: READ,
    body: 'return fs.statSync("out").size;',
    works: { body: 'return fs.lstatSync("out").size;', answer: "../outside/note.txt".length },
  },
  {
    name: "a listing through a link",
    links: { "proj/out": "../outside", "proj/in": "docs/deep" },
    grant: READ,
    body: 'return fs.readdirSync("out");',
    works: { body: 'return fs.readdirSync("in");', answer: ["c.txt"] },
  },
  {
    name: "a recursive listing over a link",
    links: { "proj/docs/out": "../../outside" },
    grant: READ,
    body: 'return fs.readdirSync("docs", { recursive: true }).filter((name: string) => name.includes("note"));',
    answer: [],
    works: {
      body: 'return fs.readdirSync("docs", { recursive: true }).sort();',
      answer: ["b.txt", "deep", "deep/c.txt", "out"],
    },
  },
  {
    name: "making a link that leads outside",
    grant: ALL,
    body: 'fs.symlinkSync("../outside/note.txt", "out");',
    works: { body: `fs.copyFileSync("a.txt", "copy"); ${reads("copy")}`, answer: "alpha" },
  },
  {
    name: "giving a file outside a second name",
    grant: ALL,
    body: 'fs.linkSync(W + "/outside/note.txt", "out");',
    works: { body: `fs.copyFileSync("a.txt", "copy"); ${reads("copy")}`, answer: "alpha" },
  },
  {
    name: "removing everything behind a link",
    links: { "proj/docs/out": "../../outside" },
    grant: WRITE,
    body: 'fs.rmSync("docs/out/dir", { recursive: true });',
    works: { body: 'fs.rmSync("docs", { recursive: true }); return fs.existsSync("docs");', answer: false },
  },
  {
    name: "removing a file through a link in its path",
    links: { "proj/out": "../outside" },
    grant: WRITE,
    body: 'fs.unlinkSync("out/note.txt");',
    works: { body: 'fs.unlinkSync("out"); return fs.existsSync("out");', answer: false },
  },
  {
    name: "moving a file out through a link",
    links: { "proj/out": "../outside", "proj/in": "docs" },
    grant: WRITE,
    body: 'fs.renameSync("a.txt", "out/a.txt");',
    works: { body: `fs.renameSync("a.txt", "in/a.txt"); ${reads("docs/a.txt")}`, answer: "alpha" },
  },
  {
    name: "a link to outside, moved to a granted path",
    links: { "proj/docs/out": "../../outside/note.txt", "proj/docs/in": "b.txt" },
    grant: WRITE,
    body: `fs.renameSync("docs/out", "out"); try { ${reads("out")} } finally { fs.renameSync("out", "docs/out"); }`,
    works: {
      body: `fs.renameSync("docs/in", "docs/deep/in"); return fs.lstatSync("docs/deep/in").isSymbolicLink();`,
      answer: true,
    },
  },
  ...[
    ["its exact name", ".pi/extensions/state.json", "$CWD/.pi/extensions/state.json"],
    ["a temporary name", ".pi/extensions/x.json.1.tmp", "$CWD/.pi/extensions/x.json.*.tmp"],
    ["the name of a folder of skills", ".claude/skills", "$CWD/.claude/skills"],
    ["the name of a secret", ".env.local", "$CWD/.env.local"],
    ["a name in which places of code begin", ".config", "$CWD/.config"],
  ].flatMap(([what, path = "", pattern = ""]): FileAttack[] => {
    const grant = { read: ["$CWD/**", `$CWD/${path}`], write: ["$CWD/**", pattern] };
    const folders = ["proj/.pi", "proj/.pi/extensions", "proj/.claude"];
    const answer = expect.objectContaining({ code: "EPERM" });
    return [
      {
        ...{ name: `a link where code is looked for, by ${what}`, folders, grant, answer },
        body: `fs.symlinkSync(W + "/proj/docs", ${JSON.stringify(path)});`,
        works: { body: writes(path), answer: "new" },
      },
      {
        ...{ name: `a link that is moved to where code is looked for, by ${what}`, folders, grant, answer },
        links: { "proj/near": "{W}/proj/docs" },
        body: `fs.renameSync("near", ${JSON.stringify(path)});`,
        works: {
          body: `fs.renameSync("near", "next"); return fs.readlinkSync("next") === W + "/proj/docs";`,
          answer: true,
        },
      },
    ];
  }),
  {
    name: "a link in the folder of an extension, to what is not granted",
    folders: ["proj/.pi", "proj/.pi/goals"],
    grant: { read: ["$CWD/**"], write: ["$CWD/.pi/goals/**"] },
    body: 'fs.symlinkSync("../../docs", ".pi/goals/docs");',
    works: {
      body: 'fs.symlinkSync("x", ".pi/goals/y"); return fs.readlinkSync(".pi/goals/y");',
      answer: "x",
    },
  },
];
