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
  ["a hook that is required, too", ["gate", "gates"], ["gate"], "run: cordon add gates"],
])("of a required hook that is missing, the text says how to mend it: %s", (_claim, required, ids, help) => {
  const [lacking, ...more] = lackingRequired([{ version: 1, required }], ids.map((id) => inPlace(id)));
  if (!lacking) throw new Error("nothing lacks");
  const start = `your organisation's policy requires the hook ${lacking.id}: it is missing`;
  expect([lackText(lacking), more]).toEqual([help === undefined ? start : `${start}; ${help}`, []]);
});
