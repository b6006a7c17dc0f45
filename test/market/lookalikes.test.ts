import { expect, test } from "vitest";
import { lookalikes } from "../../src/market/lookalikes.ts";

const KNOWN = [
  { name: "command-gate", origin: "npm:command-gate", known: "which is installed" },
  { name: "@acme/secrets", origin: "npm:@acme/secrets", known: "which is installed" },
  { name: "house-rules", origin: "git:git+ssh://git.example.com/rules.git", known: "which the index team offers" },
  { name: "gate", origin: "npm:gate", known: "which is installed" },
];

const warned = (name: string, origin = `npm:${name}`): string[] =>
  lookalikes([{ name, origin, subject: "this package" }], KNOWN);

test.each([
  ["command-gaet", "letters that changed places"],
  ["comand-gate", "a letter less"],
  ["command-gatee", "a letter more"],
  ["commandgate", "without the dash"],
  ["command_gate", "another dash"],
  ["command.gate", "a dot for the dash"],
  ["command-gate-js", "what says that it is JavaScript"],
  ["@evil/command-gate", "in another scope"],
  ["secrets", "without the scope"],
  ["@acm3/secrets", "in a scope that is nearly the same"],
  ["acme-secrets", "with the scope as a part of the name"],
  ["acmesecret", "another name with the scope's in it", false],
  ["gaet", "a short name with two letters changed"],
  ["gatr", "a short name with one letter changed"],
  ["gat", "too short to tell", false],
  ["great", "a word of its own", false],
  ["@acme/secretz", "whoever owns the scope names what is in it", false],
  ["think-harder", "another name", false],
  ["command-gate", "the same, from the same registry", false],
])("%s: %s", (name, _why, warns = true) => {
  expect(warned(name)).toHaveLength(warns ? 1 : 0);
});

test.each([
  ["git:github:evil/gate", "git:github:team/gate", true],
  ["git:github:team/gate#v2", "git:github:team/gate#v1", false],
  ["https://evil.example/gate.tgz", "https://team.example/gate.tgz", true],
  ["https://team.example/gate-2.tgz", "https://team.example/gate-1.tgz", false],
  ["git:https://git.example/evil/gate", "git:https://git.example/team/gate", true],
  ["path:./gate", "path:../gate", true],
  ["npm:gate", "npm:gate", false],
])("the same name from %s is warned of, where one from %s is known: %s", (origin, known, warns) => {
  const told = lookalikes(
    [{ name: "gate", origin, subject: "this package" }],
    [{ name: "gate", origin: known, known: "which is installed" }],
  );
  expect(told).toHaveLength(warns ? 1 : 0);
});

test("the same name from another origin gets a warning: a public registry may have a team's name, too", () => {
  expect(warned("house-rules")).toEqual([
    "this package house-rules is from npm:house-rules; house-rules which the index team offers is from git:git+ssh://git.example.com/rules.git",
  ]);
  expect(warned("house-rules", "git:git+ssh://git.example.com/rules.git")).toEqual([]);
});

test("names of dependencies are checked, too, and each warning appears once", () => {
  const dependency = { name: "comand-gate", origin: "npm:", subject: "its dependency" };
  expect(lookalikes([dependency, dependency], KNOWN)).toEqual([
    "its dependency comand-gate is nearly named like command-gate, which is installed",
  ]);
});
