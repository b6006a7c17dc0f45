import {
  closeSync,
  constants,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { codeOf, IN_FOLDER, checked as judged, loadedOn, NOTE, ON_FILE, REPLACED } from "./fs-elsewhere.ts";

// Before any other import of them: later modules get these.
const [{ atPath, openFile }, { permits }] = await loadedOn("darwin", () =>
  Promise.all([import("../../src/powers/fs-path.ts"), import("../../src/powers/fs-grant.ts")]),
);
const { fs } = await import("../../src/powers/fs.ts");
const { attemptAll, SECRET } = await import("./fs-attack.ts");
const { kernel, oddFiles } = await import("./fs-attacks-files.ts");
const { everyCall, patterns, rightsApart } = await import("./fs-attacks-globs.ts");
const { links, linksThemselves } = await import("./fs-attacks-links.ts");
const { moves } = await import("./fs-attacks-moves.ts");
const { codeNames, namedExactly, secretNames } = await import("./fs-attacks-names.ts");
const { listings, oracles } = await import("./fs-attacks-oracles.ts");
const { disguises, spellings } = await import("./fs-attacks-paths.ts");
const behaviour = {
  ...(await import("./fs-behaviour-folders.ts")),
  ...(await import("./fs-behaviour-reading.ts")),
  ...(await import("./fs-behaviour-writing.ts")),
};
const { inCordon, inNode, runOf } = await import("./fs-sides.ts");
const { temporaryFolder, writeFiles } = await import("../support/session.ts");
const { contentOf } = await import("./folder-content.ts");

test("the modules loaded here reach files by their real path", () => {
  const real = join(temporaryFolder(), "file");
  expect(atPath({ asked: "file", real }, (path) => path)).toBe(real);
});

/** Attacks only on Linux. Watching is the only table of behaviour left out, since it takes a minute. */
const OTHERWISE: Record<string, string> = {
  "letters have a case: $CWD/X.md": "the two names are one file on macOS: see below for what a grant covers there",
};

describe("each attack on files has the same outcome without /proc:", () => {
  const tables = { spellings, disguises, links, linksThemselves, kernel, oddFiles, secretNames, codeNames };
  const more = { namedExactly, patterns, rightsApart, everyCall, moves, oracles, listings };
  for (const [name, attacks] of Object.entries({ ...tables, ...more }))
    test(name, () => attemptAll(attacks.filter((attack) => !(attack.name in OTHERWISE))));
});

test.each(Object.entries(behaviour))("behaviour is the same as in Node without /proc: %s", async (_, cases) => {
  const node = await inNode(cases.map(runOf));
  const cordon = await inCordon(cases.map(runOf));
  for (const one of cases) {
    const run = runOf(one);
    if (typeof one === "string") expect.soft(cordon.get(run), run).toEqual(node.get(run));
    else expect.soft(cordon.get(run), run).toMatchObject({ result: one.cordon });
  }
});

/** `work` is granted, and `outside` of the same shape is not. */
function makeWorld(): string {
  const world = temporaryFolder();
  writeFiles(world, { "work/a/b/note.txt": "plain", "work/plain": "more", "work/other": "other" });
  writeFiles(world, { "outside/b/note.txt": SECRET, "outside/b/deep/x": SECRET });
  mkdirSync(join(world, "work/a/b/empty"));
  mkdirSync(join(world, "outside/b/empty"));
  return world;
}

const ALL = { read: ["$CWD/**"], write: ["$CWD/**"], watch: ["$CWD/**"] };
const checked = (world: string, verb: string, args: readonly unknown[]) =>
  judged(fs, join(world, "work"), ALL, verb, args);

const FOLDERS: { name: string; folder: string; target: string }[] = [
  { name: "its folder", folder: "work/a/b", target: "outside/b" },
  { name: "the folder above that", folder: "work/a", target: "outside" },
];

describe.each(FOLDERS)("after a call was checked, $name", ({ folder, target }) => {
  test.each(IN_FOLDER)("is replaced by a link: %s %s is refused", async (verb, ...args) => {
    const world = makeWorld();
    const call = checked(world, verb, args);
    renameSync(join(world, folder), join(world, "aside"));
    symlinkSync(join(world, target), join(world, folder));
    const before = contentOf(world);
    await expect(call.perform()).rejects.toMatchObject({ code: "ELOOP" });
    expect(contentOf(world)).toEqual(before);
  });

  test.each(IN_FOLDER)("is replaced by another folder: %s %s succeeds", async (verb, ...args) => {
    const world = makeWorld();
    const call = checked(world, verb, args);
    cpSync(join(world, folder), join(world, "copy"), { recursive: true });
    renameSync(join(world, folder), join(world, "aside"));
    renameSync(join(world, "copy"), join(world, folder));
    await expect(call.perform()).resolves.not.toThrow();
  });
});

for (const { name, put, codes } of REPLACED)
  test.each(Object.entries(codes))(
    `after it was checked, a file is replaced by ${name}: %s is %s`,
    async (call, code) => {
      const world = makeWorld();
      const path = join(world, "work", NOTE);
      const [verb, ...args] = ON_FILE[call] as [string, ...unknown[]];
      const { perform } = checked(world, verb, args);
      rmSync(path);
      put(path, world);
      const [all, outside] = [contentOf(world), contentOf(join(world, "outside"))];
      const told = await perform().catch((error: NodeJS.ErrnoException) => error);
      expect((told as { code?: string } | null)?.code).toBe(code);
      expect(contentOf(join(world, "outside"))).toEqual(outside);
      if (code !== undefined) expect(contentOf(world)).toEqual(all);
    },
  );

type Swap = (path: string, world: string) => void;

const nothing: Swap = () => {};
const toLink: Swap = (path, world) => {
  rmSync(path);
  symlinkSync(join(world, "outside/b/note.txt"), path);
};
const toAnother: Swap = (path, world) => renameSync(join(world, "work/other"), path);
const folderToLink: Swap = (path, world) => {
  renameSync(dirname(path), join(world, "aside"));
  symlinkSync(join(world, "outside/b"), dirname(path));
};
const thereAndBack: Swap = (path, world) => {
  renameSync(path, join(world, "aside"));
  renameSync(join(world, "aside"), path);
};

/** Changes while a file is opened: before the open call, and between it and the check of the opened file. */
const WHILE_OPENED: { name: string; before?: Swap; after?: Swap; code: string | undefined }[] = [
  { name: "nothing happens", code: undefined },
  { name: "the file becomes a link right before", before: toLink, code: "ELOOP" },
  { name: "the file becomes a link right after", after: toLink, code: "ELOOP" },
  { name: "the file becomes another one right after", after: toAnother, code: "ELOOP" },
  { name: "the file becomes another granted one right before", before: toAnother, code: undefined },
  { name: "its folder becomes a link right before", before: folderToLink, code: "ELOOP" },
  { name: "its folder becomes a link right after", after: folderToLink, code: "ELOOP" },
  { name: "the file is moved away and back right before", before: thereAndBack, code: undefined },
  { name: "the file is moved away and back right after", after: thereAndBack, code: undefined },
  { name: "the file is removed right after", after: (path) => rmSync(path), code: "ENOENT" },
];

test.each(WHILE_OPENED)("while a file is opened, $name", ({ before = nothing, after = nothing, code }) => {
  const world = makeWorld();
  const real = join(world, "work", NOTE);
  let file: number | undefined;
  // `mode` is read right before the file is opened, `alone` right after.
  const options = {
    get mode() {
      before(real, world);
      return 0o666;
    },
    get alone() {
      after(real, world);
      return true;
    },
  };
  const open = readdirSync("/dev/fd").length;
  const failed = codeOf(() => {
    file = openFile({ asked: NOTE, real }, constants.O_RDONLY, options);
  });
  expect(failed).toBe(code);
  expect(readdirSync("/dev/fd").length).toBe(open + (code === undefined ? 1 : 0));
  if (file === undefined) return;
  expect(readFileSync(file, "utf8")).toBe(before === toAnother ? "other" : "plain");
  closeSync(file);
});

const ROOTS = { $CWD: "/Desk", $HOME: "/Users/\u00c4", $TMP: "/tmp" };

/** Whether a pattern covers a path on macOS, in any form of both. */
const FOLDED: [pattern: string, path: string, covered: boolean][] = [
  ["$CWD/X.md", "/desk/x.MD", true],
  ["$CWD/X.md", "/desk/x.md.bak", false],
  ["$CWD/Caf\u00e9/*", "/DESK/CAF\u00c9/x", true],
  ["$CWD/Caf\u00e9/*", "/DESK/CAFE/x", false],
  ["$HOME/**", "/users/\u00e4/x", true],
  ["$HOME/**", "/users/a/x", false],
  ["$CWD/**", "/Desk/.ENV", false],
  ["$CWD/**", "/Desk/ENV", true],
  ["$CWD/**", "/Desk/CAF\u00c9/.Env.Local", false],
  ["$CWD/**", "/Desk/CAF\u00c9/Env.Local", true],
  ["$CWD/**", "/Desk/Caf\u00e9/.Git/Config", false],
  ["$CWD/**", "/Desk/Caf\u00e9/.Git/Head", true],
  ["$CWD/**", "/Desk/Caf\u00e9/\u212aeys/Server.\u212aEY", false],
  ["$CWD/**", "/Desk/Caf\u00e9/\u212aeys/Server.\u212aEYS", true],
  ["$CWD/**", "/Desk/\uff0e\uff45\uff4e\uff56", false],
  ["$CWD/**", "/Desk/\uff45\uff4e\uff56", true],
  ["$CWD/**", "/Desk/.E\u200dNV", false],
  ["$CWD/**", "/Desk/E\u200dNV", true],
  ["$CWD/**", "/Desk/ID_RSA .", false],
  ["$CWD/**", "/Desk/.\u00dfh/config", false],
  ["$CWD/**", "/Desk/.\u1e9eH/config", false],
  ["$CWD/**", "/Desk/IDS_RSA .", true],
  ["$CWD/Caf\u00e9/.ENV*", "/Desk/Caf\u00e9/.env", false],
  ["$CWD/Caf\u00e9/.ENV", "/Desk/CAF\u00c9/.env", true],
  ["$CWD/Caf\u00e9/.ENV", "/Desk/CAFE/.env", false],
  ["$CWD/Caf\u00e9/.git/CONFIG", "/Desk/CAF\u00c9/.Git/Config", true],
];

test.each(FOLDED)("on macOS %s covers %s in any case and form: %s", (pattern, path, covered) => {
  for (const [as, is] of [
    ["NFC", "NFC"],
    ["NFC", "NFD"],
    ["NFD", "NFC"],
    ["NFD", "NFD"],
  ] as const)
    expect(permits([pattern.normalize(as)], "read", path.normalize(is), ROOTS), `${as} ${is}`).toBe(covered);
});

const CODE = [
  "/Desk/Makefile",
  "/Desk/PACKAGE.JSON",
  "/Desk/Caf\u00e9/.Husky/x",
  "/Desk/.GIT/hooks/x",
  "/Desk/Agents.MD",
];

test.each(CODE)("on macOS no wildcard covers writing %s, which something runs in any case", (path) => {
  for (const form of ["NFC", "NFD"]) {
    expect(permits(["$CWD/**"], "write", path.normalize(form), ROOTS)).toBe(false);
    expect(permits(["$CWD/**"], "read", path.normalize(form), ROOTS)).toBe(true);
    expect(permits([path.toLowerCase().normalize(form)], "write", path, ROOTS)).toBe(true);
  }
});
