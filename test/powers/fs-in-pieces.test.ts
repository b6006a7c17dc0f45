import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { isAbsolute, join } from "node:path";
import { expect, test } from "vitest";
import { attemptOr } from "../../src/base/attempt.ts";
import { append, replace, writeInParts } from "../../src/powers/fs-files.ts";
import { list, move, remove, unlink } from "../../src/powers/fs-folders.ts";
import type { May } from "../../src/powers/fs-grant.ts";
import { inTurn, type Pieces } from "../../src/powers/fs-work.ts";
import { needs } from "../support/needs.ts";
import { temporaryFolder, writeFiles } from "../support/session.ts";

const at = (path: string) => ({ asked: path, real: path });
const any = () => true;
const never = new AbortController().signal;

/** A folder with so many files, and what moves it. `lay`: between two pieces of that. */
async function moved(files: number, lay: (from: string) => void) {
  const folder = realpathSync(temporaryFolder());
  const [from, to] = [join(folder, "a"), join(folder, "b")];
  writeFiles(from, Object.fromEntries(Array.from({ length: files }, (_, one) => [`f${one}`, ""])));
  mkdirSync(from, { recursive: true });
  const work = move(at(from), at(to), any);
  let pieces = 1;
  let error: unknown;
  try {
    for (let step = work.next(); !step.done; step = work.next()) if (pieces++ === 1) lay(from);
  } catch (thrown) {
    error = thrown;
  }
  return { from, to, pieces, error };
}

test("a folder is moved in pieces, and whole", async () => {
  const { from, to, pieces, error } = await moved(1999, () => {});
  expect([pieces > 20, error, existsSync(from), readdirSync(to).length]).toEqual([true, undefined, false, 1999]);
});

test.each([
  ["a text", "\u20acx"],
  ["bytes", Buffer.from("\u20acx")],
])("%s of megabytes is appended in pieces, and whole", (_name, given) => {
  const file = join(realpathSync(temporaryFolder()), "log");
  const content = typeof given === "string" ? given.repeat(1_000_000) : Buffer.alloc(4_000_000, given);
  const works = [append(at(file), "first\n", 0o644), append(at(file), content, 0o644)];
  const pieces = works.map((work) => {
    let count = 1;
    while (!work.next().done) count++;
    return count;
  });
  expect(pieces[0]).toBe(2);
  expect(pieces[1]).toBeGreaterThan(7);
  expect(readFileSync(file, "utf8")).toBe(`first\n${content.toString()}`);
});

test("a folder whose paths would make a large answer is not listed further", () => {
  const folder = realpathSync(temporaryFolder());
  // Each of its files has a path of more than 3000 characters.
  const deep = Array.from({ length: 15 }, () => "d".repeat(200)).join("/");
  writeFiles(join(folder, deep), Object.fromEntries(Array.from({ length: 654 }, (_, one) => [`f${one}`, ""])));
  const listed = (): unknown[] => {
    const work = list(at(folder), any);
    for (let step = work.next(); ; step = work.next()) if (step.done) return step.value;
  };
  expect(listed()).toHaveLength(654 + 15);
  writeFiles(join(folder, deep), { more: "" });
  expect(listed).toThrow(expect.objectContaining({ code: "EFBIG" }));
});

test("each link of a folder is a piece of its own, wherever it leads", async () => {
  const folder = realpathSync(temporaryFolder());
  const [from, deep] = [join(folder, "a"), Array.from({ length: 80 }, () => "d").join("/")];
  mkdirSync(from);
  for (let one = 0; one < 100; one++) symlinkSync(join(folder, deep), join(from, `l${one}`));
  let looks = 0;
  const may = (_right: string, real: string): boolean => {
    if (real === join(folder, deep)) looks++;
    return true;
  };
  let most = 0;
  const work = move(at(from), at(join(folder, "b")), may);
  for (let [step, before] = [work.next(), 0]; !step.done; step = work.next()) {
    most = Math.max(most, looks - before);
    before = looks;
  }
  // By its name, and where it leads.
  expect([most, readdirSync(join(folder, "b")).length]).toEqual([2, 100]);
});

test("a link that became another one while its folder is looked at is not moved", async () => {
  const folder = realpathSync(temporaryFolder());
  const [from, to] = [join(folder, "a"), join(folder, "b")];
  mkdirSync(from);
  for (const name of ["l", "m"]) symlinkSync("l", join(from, name));
  const work = move(at(from), at(to), any);
  const act = (): void => {
    for (let [step, at] = [work.next(), 0]; !step.done; step = work.next()) {
      rmSync(join(from, "l"));
      symlinkSync(`other${at++}`, join(from, "l"));
    }
  };
  expect(act).toThrow(expect.objectContaining({ code: "EBUSY" }));
  expect(existsSync(to)).toBe(false);
});

test.each<[string, (from: string) => void]>([
  ["gets a file", (from) => writeFileSync(join(from, "new"), "")],
  ["gets a link", (from) => symlinkSync("/etc", join(from, "link"))],
  ["gets a folder", (from) => mkdirSync(join(from, "deep"))],
  ["becomes another", replaced],
])("a folder that %s while it is looked at is not moved", async (_what, lay) => {
  const { from, to, error } = await moved(300, lay);
  expect(error).toMatchObject({ code: "EBUSY" });
  expect([existsSync(from), existsSync(to)]).toEqual([true, false]);
});

function replaced(from: string): void {
  rmSync(from, { recursive: true });
  writeFiles(from, { other: "" });
}

/** Files of a folder that this process has open, also those that have no name any more. */
const openIn = (folder: string): string[] =>
  readdirSync("/proc/self/fd").filter((file) =>
    attemptOr(() => readlinkSync(`/proc/self/fd/${file}`), "").startsWith(folder),
  );
const LARGE = Buffer.alloc(17 * 1024 * 1024, 1);

test.each<[string, (path: string, other: string) => Pieces<void>, left: string | undefined]>([
  ["unlinked", (path) => unlink(at(path)), undefined],
  ["removed", (path) => remove(at(path), false, false, any), undefined],
  ["replaced", (path) => replace(at(path), 0o600, false, (file) => writeInParts(file, "new")), "new"],
  ["replaced by another name", (path, other) => move(at(other), at(path), any), "other"],
])(
  "a large file is %s, and nothing holds it",
  needs(process.platform !== "linux" && "/proc"),
  async (_how, act, left) => {
    const folder = realpathSync(temporaryFolder());
    const [path, other] = [join(folder, "large"), join(folder, "other")];
    writeFileSync(path, LARGE);
    writeFileSync(other, "other");
    let isElsewhere = false;
    await inTurn({ unread: 0 }, never, function* (): Pieces<void> {
      const work = act(path, other);
      for (let step = work.next(); !step.done; step = work.next()) {
        isElsewhere ||= typeof step.value === "function";
        yield step.value;
      }
    });
    expect(isElsewhere).toBe(true);
    expect(existsSync(path) ? readFileSync(path, "utf8") : undefined).toBe(left);
    expect(openIn(folder)).toEqual([]);
  },
);

test(
  "a large file that cannot be replaced stays, and nothing holds it",
  needs(process.platform !== "linux" && "/proc"),
  async () => {
    const folder = realpathSync(temporaryFolder());
    const path = join(folder, "large");
    writeFileSync(path, LARGE);
    const work = () => replace(at(path), 0o600, true, (file) => writeInParts(file, "new"));
    await expect(inTurn({ unread: 0 }, never, work)).rejects.toMatchObject({ code: "EEXIST" });
    expect([openIn(folder), readFileSync(path).length, readdirSync(folder)]).toEqual([[], LARGE.length, ["large"]]);
  },
);

test.each<[what: string, swap: (draft: string, folder: string) => void]>([
  ["another file", (draft, folder) => renameSync(join(folder, "other"), draft)],
  ["a folder", (draft, folder) => void [unlinkSync(draft), renameSync(join(folder, "full"), draft)]],
  ["a link", (draft) => void [unlinkSync(draft), symlinkSync("other", draft)]],
  ["nothing", (draft) => unlinkSync(draft)],
  ["itself, with another name", (draft, folder) => linkSync(draft, join(folder, "also"))],
])("a draft in whose place is %s while it is written replaces nothing", (_what, swap) => {
  const folder = realpathSync(temporaryFolder());
  writeFiles(folder, { target: "old", other: "other", "full/a": "a" });
  const work = replace(at(join(folder, "target")), 0o600, false, (file) => writeInParts(file, "x".repeat(600_000)));
  work.next();
  const draft = readdirSync(folder).find((name) => name.startsWith(".cordon-")) as string;
  swap(join(folder, draft), folder);
  const before = readdirSync(folder);
  expect(() => {
    while (!work.next().done);
  }).toThrow(expect.objectContaining({ code: "ENOENT" }));
  expect(readFileSync(join(folder, "target"), "utf8")).toBe("old");
  // What is there now is not Cordon's to remove.
  expect(readdirSync(folder)).toEqual(before);
});

test.each<[what: string, text: (root: string) => string, isMoved: boolean]>([
  ["a file outside, by its whole path", (root) => join(root, "secret"), false],
  ["a file outside", () => "../secret", false],
  ["a folder outside", () => "..", false],
  ["what is not there, outside", () => "../none", false],
  ["a file that may be read alone", () => "read/a", true],
  ["a file that may be written", () => "write/a", true],
  ["a folder that may be read, by its whole path", (root) => join(root, "work", "read"), true],
])("a link to %s takes the place of a file only if that is granted", (_what, text, isMoved) => {
  const root = realpathSync(temporaryFolder());
  const work = join(root, "work");
  writeFiles(root, { secret: "s", "work/read/a": "r", "work/write/a": "w", "work/f": "f", "work/d/x": "x" });
  const to = text(root);
  symlinkSync(to, join(work, "link"));
  symlinkSync(isAbsolute(to) ? to : join("..", to), join(work, "d", "link"));
  const isIn = (folder: string, path: string) => path === folder || path.startsWith(`${folder}/`);
  const may: May = (right, path) => isIn(work, path) && (right !== "write" || !isIn(join(work, "read"), path));
  const moves = (from: string, to: string) => () => {
    for (const _ of move(at(join(work, from)), at(join(work, to)), may));
  };
  const refused = expect.objectContaining({ code: "NOT_GRANTED" });
  if (!isMoved) {
    expect(moves("link", "f")).toThrow(refused);
    expect(moves("d", "e")).toThrow(refused);
    expect(readFileSync(join(work, "f"), "utf8")).toBe("f");
  } else {
    moves("link", "f")();
    expect(lstatSync(join(work, "f")).isSymbolicLink()).toBe(true);
  }
});
