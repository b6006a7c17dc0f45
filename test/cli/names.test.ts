import fc from "fast-check";
import { expect, test } from "vitest";
import { nearNames } from "../../src/base/near-names.ts";
import { hookNamed, idsNamed, type Named, shortName } from "../../src/cli/names.ts";

const hook = (id: string, more: Partial<Named> = {}): Named => ({ id, key: id, path: id, ...more });
const ofProject = (id: string): Named => hook(id, { key: `/home/you/app/.cordon/${id}`, ofProject: true });

const SHORT: [name: string, here: Named[], shortest: string[]][] = [
  ["packages and a file", [hook("gate"), hook("@acme/guard"), hook("/home/me/hooks/own.ts")], ["gate", "guard", "own"]],
  ["two scopes", [hook("@a/gate"), hook("@b/gate")], ["@a/gate", "@b/gate"]],
  ["a package and a file with the same name", [hook("gate"), hook("/home/me/hooks/gate.ts")], ["gate", "gate.ts"]],
  ["files with the same name", [hook("/a/x/gate.ts"), hook("/b/y/gate.ts")], ["x/gate.ts", "y/gate.ts"]],
  [
    "files with the same name in folders with the same name",
    [hook("/a/x/gate.ts"), hook("/b/x/gate.ts")],
    ["a/x/gate.ts", "b/x/gate.ts"],
  ],
  ["what is called index", [hook("/a/watch/index.ts"), hook("/b/look/index.ts")], ["watch", "look"]],
  ["an index in folders of one name", [hook("/a/x/index.ts"), hook("/b/x/index.ts")], ["a/x/index.ts", "b/x/index.ts"]],
  [
    "an index and a package of its folder's name",
    [hook("watch"), hook("/a/watch/index.ts")],
    ["watch", "watch/index.ts"],
  ],
  ["endings", [hook("/a/gate.ts"), hook("/a/gate.js")], ["gate.ts", "gate.js"]],
  ["several hooks of a package", [hook("many#a/gate.ts"), hook("many#b/gate.ts")], ["a/gate.ts", "b/gate.ts"]],
  ["a path that ends like another", [hook("/a/gate.ts"), hook("/b/a/gate.ts")], ["/a/gate.ts", "b/a/gate.ts"]],
  [
    "a hook of another project",
    [hook("/o/.cordon/gate", { elsewhere: true }), hook("/a/gate.ts")],
    ["/o/.cordon/gate", "gate"],
  ],
];

test.each(SHORT)("%s: each has the shortest unique name, and is found by it", (_name, here, shortest) => {
  expect(here.map((one) => shortName(one, here))).toEqual(shortest);
  for (const one of here)
    for (const name of [shortName(one, here), one.id, one.key]) expect(hookNamed(name, here)).toBe(one);
});

test.each([
  "/a/installed gate without powers.ts",
  "/a/ok   hooks.ts",
  "/a/cordon.ts",
  "/a/cord0n.js",
  "/a/x\u001b[2J.ts",
  "/a/nota\u3164.ts",
])("%j has no short name that could be read as Cordon's own text", (path) => {
  const name = shortName(hook(path), [hook(path)]);
  expect(name).toMatch(/^(\/|a\/)/);
  expect(hookNamed(name, [hook(path)])).toEqual(hook(path));
});

const message = (name: string, here: Named[], file?: string): string => {
  try {
    return hookNamed(name, here, file).id;
  } catch (error) {
    return (error as Error).message;
  }
};

test.each<[name: string, typed: string, here: Named[], says: string]>([
  [
    "an ambiguous name means no hook",
    "gate",
    [hook("@a/gate"), hook("@b/gate")],
    "gate names 2 hooks here; say which: @a/gate, @b/gate",
  ],
  [
    "a hook of a repository does not take the name of another hook",
    "gate",
    [ofProject("gate"), hook("/me/gate.ts")],
    "gate names 2 hooks here; say which: /home/you/app/.cordon/gate, gate.ts",
  ],
  ["a whole id takes precedence over a short name", "gate", [hook("gate"), hook("/me/gate.ts")], "gate"],
  ["a mistyped name", "gaet", [hook("gate"), hook("other")], "no hook here is called gaet; did you mean gate?"],
  [
    "a name that resembles none",
    "zzz",
    [hook("gate"), hook("other")],
    "no hook here is called zzz; there are: gate, other",
  ],
  [
    "a name that resembles none, and hooks that the audit alone knows",
    "zzz",
    [hook("gate"), hook("gone", { recorded: true })],
    "no hook here is called zzz; there are: gate; only on record: gone",
  ],
  ["a name when there are no hooks", "gate", [], "no hook here is called gate; there are: none"],
  [
    "a hook of another project by its short name",
    "gate",
    [hook("/o/.cordon/gate", { elsewhere: true })],
    "no hook here is called gate; there are: /o/.cordon/gate",
  ],
])("%s", (_name, typed, here, says) => {
  expect(message(typed, here)).toBe(says);
});

test("a file's path means that file, even if other hooks have its name", () => {
  const here = [hook("/a/gate.ts"), hook("pack", { realPath: "/b/gate.ts" })];
  expect(message("gate.ts", here, "/a/gate.ts")).toBe("/a/gate.ts");
  expect(message("gate.ts", here, "/b/gate.ts")).toBe("pack");
});

test("in any set of hooks, the short name of each means only that hook", () => {
  const part = fc.constantFrom("a", "b", "gate", "gate.ts", "gate.js", "index.ts");
  const path = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => `/${parts.join("/")}`);
  const name = fc
    .tuple(fc.constantFrom("", "@a/", "@b/"), fc.constantFrom("a", "b", "gate"))
    .map((parts) => parts.join(""));
  const id = fc.oneof(
    path,
    name,
    fc.tuple(name, path).map(([of, file]) => `${of}#${file.slice(1)}`),
  );
  const named = fc
    .tuple(id, fc.boolean())
    .map(([one, project]) => (project && !one.startsWith("/") ? ofProject(one) : hook(one)));
  fc.assert(
    fc.property(fc.uniqueArray(named, { selector: ({ key }) => key, maxLength: 8 }), (here) => {
      const names = here.map((one) => shortName(one, here));
      expect(new Set(names).size).toBe(here.length);
      for (const [at, one] of here.entries()) {
        const ids = here.filter((other) => other.id === one.id);
        if (ids.length === 1) expect(hookNamed(names[at] as string, here)).toBe(one);
      }
    }),
    { numRuns: 3000 },
  );
});

test.each([
  ["tool_cal", ["tool_call"]],
  ["toolcall", ["tool_call"]],
  ["TOOL_CALL", ["tool_call"]],
  ["tool_resutl", ["tool_result"]],
  ["x", []],
  ["y".repeat(100_000), []],
])("near %s there is %j", (typed, near) => {
  expect(nearNames(typed, ["tool_call", "tool_result", "session"])).toEqual(near);
});

const tried = (id: string): Named => hook(id, { onlyTried: true });
const OWN = "/home/me/hooks/gate.ts";

test.each<[name: string, typed: string, here: Named[], recorded: Named[], ids: string[]]>([
  ["a hook here goes before one that was only tried", "gate", [hook(OWN)], [tried("gate")], [OWN]],
  ["so does one that is gone", "gate", [], [tried("gate"), hook("@acme/gate")], ["@acme/gate"]],
  [
    "one that was only tried has its name where no other has it",
    "gate",
    [hook("/a/own.ts")],
    [tried("gate")],
    ["gate"],
  ],
  ["a hook here and one that is gone", "gate", [hook(OWN)], [hook("gate")], ["gate", OWN]],
  [
    "two here and one that is gone",
    "gate",
    [hook(OWN), hook("/b/gate.ts")],
    [hook("gate")],
    ["gate", OWN, "/b/gate.ts"],
  ],
  ["another name of the hook here", "gate.ts", [hook(OWN)], [hook("gate"), tried("gate.ts")], [OWN]],
])("in the audit log: %s", (_name, typed, here, recorded, ids) => {
  expect(idsNamed(typed, here, recorded)).toEqual(ids);
});

test("in the audit log: a short name of several hooks that only it knows is refused with the list", () => {
  const two = () => idsNamed("gate", [], [hook("@acme/gate"), hook("/a/gate.ts")]);
  expect(two).toThrow("gate names 2 hooks here; say which: @acme/gate, gate.ts");
});

test("a name that commands print means that hook, whatever else of that name is on record", () => {
  const here = [hook("/home/me/.cordon/hooks/gate.ts"), hook("/home/me/work/other.ts")];
  const recorded = [hook("/tmp/a/gate.ts"), hook("/tmp/b/gate.ts")];
  const printed = shortName(here[0] as Named, here);
  expect(printed).toBe("gate");
  expect(idsNamed(printed, here, recorded)).toEqual(["/home/me/.cordon/hooks/gate.ts"]);
  expect(idsNamed("a/gate.ts", here, recorded)).toEqual(["/tmp/a/gate.ts"]);
  // One that is gone has no other name.
  expect(idsNamed("gate", here, [hook("gate")])).toEqual(["gate", "/home/me/.cordon/hooks/gate.ts"]);
});
