import { expect, test } from "vitest";
import { lackingRequired, lackText } from "../../src/session/required.ts";

const inPlace = (id: string, judges = true) => ({
  ...{ id, origin: undefined, judges, state: "active" as const, reason: undefined, disabled: false, capabilities: {} },
});

// biome-ignore format: a table
test.each<[claim: string, required: string[], inPlace: string[], help: string | undefined]>([
  ["nothing near: it is to be added", ["@acme/gate"], ["command-safety-guard"], "run: cordon add @acme/gate"],
  ["a misspelt id of an installed hook", ["comand-safety-guard"], ["command-safety-guard"], "did you mean command-safety-guard?"],
  ["a misspelt scope", ["@acne/gate"], ["@acme/gate"], "did you mean @acme/gate?"],
  ["the name of a file, misspelt", ["comand-safety-guard"], ["/h/hooks/command-safety-guard.ts"], "did you mean /h/hooks/command-safety-guard.ts?"],
  ["the name of a file, which is no id", ["gate"], ["/h/hooks/gate.ts"], "did you mean /h/hooks/gate.ts?"],
  ["the name of a package without its scope", ["gate"], ["@acme/gate"], "did you mean @acme/gate?"],
  ["a misspelt path", ["/h/hooks/gaet.ts"], ["/h/hooks/gate.ts"], "did you mean /h/hooks/gate.ts?"],
  ["a path that is long, and another name in its folder", ["/home/person/hooks/lint.ts"], ["/home/person/hooks/gate.ts"], undefined],
  ["a name of the same ending in another scope", ["@acme/gate"], ["@other/gate"], "run: cordon add @acme/gate"],
  ["a hook that is required, too", ["gate", "gates"], ["gate"], undefined],
])("of a required hook that is missing, the text says how to mend it: %s", (_claim, required, ids, help) => {
  const [lacking, ...more] = lackingRequired([{ version: 1, required }], ids.map((id) => inPlace(id)));
  if (!lacking) throw new Error("nothing lacks");
  const start = `your organisation's policy requires the hook ${lacking.id}: it is missing`;
  expect([lackText([lacking]), more]).toEqual([help === undefined ? start : `${start}; ${help}`, []]);
});

test.each<[claim: string, required: string[], text: string]>([
  ["two", ["a", "@s/b"], "the hook a: it is missing; and the hook @s/b: it is missing; run: cordon add @s/b"],
  [
    "one that may be misspelt, and another",
    ["gaet", "@acme/lint"],
    "the hook gaet: it is missing; did you mean gate? And the hook @acme/lint: it is missing; run: cordon add @acme/lint",
  ],
  ["as many as are named", ["a", "b", "c", "d", "@s/e"], "run: cordon add @s/e"],
  ["more", ["a", "b", "c", "d", "@s/e", "f"], "run: cordon add @s/e; and 1 more: cordon doctor names all"],
])("a block names all required hooks that are missing: %s", (_claim, required, text) => {
  const all = lackingRequired([{ version: 1, required }], [inPlace("gate")]);
  expect(lackText(all)).toMatch(/^your organisation's policy requires the hook /);
  expect(lackText(all).endsWith(text), lackText(all)).toBe(true);
});

test("in a session that looks for no hooks, a required one is not called missing", () => {
  const policies = [{ version: 1 as const, required: ["@acme/gate", "here"] }];
  expect(lackingRequired(policies, [inPlace("here")], false)).toEqual([
    { id: "@acme/gate", why: "this session looks for no hooks, and it is not among those that it was given" },
  ]);
});

// biome-ignore format: a table
test.each<[claim: string, id: string, sources: string[] | undefined, run: string | undefined]>([
  ["a name that anybody may publish", "guard", undefined, undefined],
  ["a name beside sources that are no packages of npm", "guard", ["path:/opt/hooks/**", "git:*"], undefined],
  ["a name that is not among the sources", "guard", ["npm:@acme/*"], undefined],
  ["a name that is among the sources", "guard", ["npm:guard"], "cordon add guard"],
  ["a package in a scope", "@acme/gate", undefined, "cordon add @acme/gate"],
  ["a hook of a package in a scope", "@acme/gate#one", ["npm:@acme/*"], "cordon add @acme/gate"],
  ["a scope that is not among the sources", "@acme/gate", ["npm:@other/*"], undefined],
  ["a file", "/h/hooks/gate.ts", ["npm:*", "npm:/**"], undefined],
])("a missing hook is added by its name only where it is known whose that is: %s", (_claim, id, sources, run) => {
  const [lacking] = lackingRequired([{ version: 1, required: [id], ...(sources ? { sources } : {}) }], []);
  expect(lacking).toEqual({ id, why: "it is missing", ...(run === undefined ? {} : { run }) });
});
