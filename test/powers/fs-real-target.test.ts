import { mkdirSync, readdirSync, realpathSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { atPath, MAX_PARTS, realTarget, targetBelow } from "../../src/powers/fs-path.ts";
import { temporaryFolder } from "../support/session.ts";

const names = ["a", "b", "c"] as const;
/** What is at `a/b`, and so on: a folder, a file, or a link to another of these places, by its whole path or from its folder. */
const entry = fc.oneof(
  fc.constant({ kind: "folder" as const }),
  fc.constant({ kind: "file" as const }),
  fc.record({
    kind: fc.constantFrom("whole" as const, "near" as const),
    to: fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 3 }),
  }),
);
const place = fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 3 });
const world = fc.array(fc.tuple(place, entry), { maxLength: 12 });

/** Makes what can be made of it: later entries may lie below what is no folder. */
function made(entries: typeof world extends fc.Arbitrary<infer Entries> ? Entries : never): string {
  const root = realpathSync(temporaryFolder());
  for (const [where, what] of entries) {
    const path = join(root, ...where);
    try {
      mkdirSync(dirname(path), { recursive: true });
      if (what.kind === "folder") mkdirSync(path);
      else if (what.kind === "file") writeFileSync(path, "");
      else {
        const target = join(root, ...what.to);
        symlinkSync(what.kind === "whole" ? target : relative(dirname(path), target) || ".", path);
      }
    } catch {
      // It is there already, or what it is below is no folder.
    }
  }
  return root;
}

function realOr(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

describe("where a path leads", () => {
  test("is what Node says of all that is there", () => {
    fc.assert(
      fc.property(world, place, (entries, where) => {
        const path = join(made(entries), ...where);
        const real = realOr(path);
        if (real !== undefined) expect(realTarget(path, true)).toBe(real);
        const above = realTarget(dirname(path), true);
        if (above !== undefined) expect(targetBelow(above, basename(path))).toBe(realTarget(path, true));
        const folder = realOr(dirname(path));
        if (folder !== undefined) expect(realTarget(path, false)).toBe(join(folder, basename(path)));
      }),
      { numRuns: 300 },
    );
  });

  test.each([
    ["without a link", 0],
    ["through a link", 1],
  ])("is known of %s up to so many parts", (_claim, links) => {
    const root = realpathSync(temporaryFolder());
    if (links === 1) symlinkSync(root, join(root, "l"));
    const below = (parts: number): string =>
      join(root, ...(links === 1 ? ["l"] : []), ..."d".repeat(parts - root.split("/").length + 1 - links).split(""));
    mkdirSync(below(MAX_PARTS + 1), { recursive: true });
    expect(realTarget(below(MAX_PARTS - links), true)).toBe(realpathSync(below(MAX_PARTS - links)));
    expect(realTarget(below(MAX_PARTS + 1), true)).toBeUndefined();
  });
});

const openDescriptors = (): number => (process.platform === "linux" ? readdirSync("/proc/self/fd").length : 0);

describe("what is done at a path", () => {
  test("is done in the folder of that name, and never in one that a link leads to", () => {
    const before = openDescriptors();
    fc.assert(
      fc.property(world, place, (entries, where) => {
        const path = join(made(entries), ...where);
        const folder = dirname(path);
        const reach = (): string => atPath({ asked: path, real: path }, (held) => realpathSync(dirname(held)));
        if (realOr(folder) === folder && isFolder(folder)) expect(reach()).toBe(folder);
        else
          expect(reach).toThrow(
            realOr(folder) === undefined || !isFolder(folder) ? /E(NOENT|LOOP|NOTDIR)/ : "a link came into the way",
          );
      }),
      { numRuns: 300 },
    );
    expect(openDescriptors()).toBe(before);
  });

  test.each(["itself", "above"])("is not done where the folder %s is a link by now", (which) => {
    const root = realpathSync(temporaryFolder());
    mkdirSync(join(root, "elsewhere", "b"), { recursive: true });
    if (which === "above") symlinkSync("elsewhere", join(root, "a"));
    else {
      mkdirSync(join(root, "a"));
      symlinkSync("../elsewhere", join(root, "a", "b"));
    }
    const real = join(root, "a", "b", "f");
    expect(() => atPath({ asked: "f", real }, (path) => writeFileSync(path, ""))).toThrow("a link came into the way");
    expect(readdirSync(join(root, "elsewhere"), { recursive: true })).toEqual(["b"]);
  });

  test.each(["a b", "a\nb", "a (deleted)", "\u202e", "'\"$()", "x".repeat(255)])(
    "is done in a folder named %j",
    (name) => {
      const folder = join(realpathSync(temporaryFolder()), name);
      mkdirSync(folder);
      expect(atPath({ asked: "f", real: join(folder, "f") }, (held) => realpathSync(dirname(held)))).toBe(folder);
    },
  );
});

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
