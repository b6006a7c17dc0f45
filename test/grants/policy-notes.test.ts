import { expect, test } from "vitest";
import { type Policy, policyIn, withinPolicies } from "../../src/grants/policy.ts";
import { policyNotes } from "../../src/grants/policy-notes.ts";

const INSTALLED = [
  { source: "npm:@acme/gate", publisher: "acme-bot" },
  { source: "git:github:me/hooks" },
  { source: "path:/home/me/guard" },
];

const exec = (entry: object): object => ({ maximum: { exec: [{ program: "git", ...entry }] } });
const ANY = "limits nothing";
const HERE = "no hook that is installed here";
const IDLE = "other entries allow all of";

/** The beginning, and a part, of each note about a policy. */
// biome-ignore format: a table
const NOTES: readonly [name: string, policy: object, ...notes: [where: string, says: string][]][] = [
  ["nothing", {}],
  ["sources that are there", { sources: ["npm:@acme/*", "git:github:me/*", "path:**"] }],
  ["a source that is not here", { sources: ["npm:@other/*"] }, ["sources.0", HERE]],
  ["a source without its kind", { sources: ["@acme/*", "npm:@acme/*"] }, ["sources.0", "can match nothing: a source begins"]],
  ["a repository by an address that no lock has", { sources: ["git:https://github.com/acme/*", "git:github.com/acme/*", "!git:https://github.com/acme/*"] }, ["sources.0", "can match nothing: a repository is judged as git:github:OWNER/NAME"], ["sources.1", "can match nothing: a repository"], ["sources.2", "can match nothing: a repository"], ["sources.2", "whatever stands beside it"]],
  ["repositories", { sources: ["git:git+https://git.example/*", "git:g*", "git:{github,gitlab}:acme/*", "git:git@(+https|+ssh)://x/*"] }, ["sources.0", HERE], ["sources.2", HERE], ["sources.3", HERE]],
  ["a bracket that is not closed, and a space", { sources: ["npm:{a,b", "npm:[gate", "npm: *", "npm:@(a|b"] }, ["sources.0", "not closed"], ["sources.1", "not closed"], ["sources.2", "a space"], ["sources.3", "not closed"]],
  ["what is no id", { required: ["@acme/gate@1.0", "npm:gate", "gate", "@acme/gate", "/home/you/a@b/gate.ts"] }, ["required", "no hook is called @acme/gate@1.0"], ["required", "no hook is called npm:gate"]],
  ["a server with a wildcard", { sources: ["https://*.acme.example/*", "git:git+https://*.acme.example/*"] }, ["sources.0", "also fits other servers"], ["sources.1", "also fits other servers"]],
  ["a source of a kind that there is not", { sources: ["github:me/*"] }, ["sources.0", "can match nothing"]],
  ["a choice of kinds", { sources: ["{npm:@acme/*,git:github:me/*}"] }],
  ["a choice after a kind", { sources: ["npm:@(acme|other)/*"] }, ["sources.0", HERE]],
  ["an address", { sources: ["https://acme.example/*"] }, ["sources.0", HERE]],
  ["half a kind", { sources: ["http*"] }, ["sources.0", HERE]],
  ["any source", { sources: ["**"] }, ["sources.0", ANY]],
  ["any source, and others", { sources: ["npm:@acme/*", "*"] }, ["sources.1", ANY]],
  ["no source", { sources: [] }],
  ["all but some", { sources: ["!npm:{a,@b/c}"], publishers: ["!x"] }],
  ["all but some, beside others", { sources: ["npm:@acme/*", "!npm:x"] }, ["sources.1", "whatever stands beside it"]],
  ["a choice that leaves some out", { sources: ["npm:!(x)", "npm:@acme/*"] }],
  ["a folder, and publishers", { sources: ["path:/home/**"], publishers: ["acme-*"] }, ["sources.0", "publishers leaves"]],
  ["a repository that must be signed", { sources: ["git:**"], provenance: "signed" }, ["sources.0", "provenance leaves"]],
  ["packages that must be signed", { sources: ["npm:@acme/*"], provenance: "signed" }],
  ["a publisher that is here", { publishers: ["acme-bot"] }],
  ["a publisher that is not here", { publishers: ["acme-bot", "other"] }, ["publishers.1", HERE]],
  ["events", { maximum: { events: { see: ["*"] } } }, ["maximum.events", "no effect"]],
  ["a power that leaves nothing", { maximum: { ui: [], fs: {} } }, ["maximum.ui", "left out"], ["maximum.fs", "left out"]],
  ["a power that has no parts", { maximum: { send: {} } }],
  ["all variables", { maximum: { env: ["*"] } }],
  ["all variables, and one", { maximum: { env: ["CI", "*"] } }, ["maximum.env.0", IDLE]],
  ["no name of a variable", { maximum: { env: ["*", "A-B"] } }, ["maximum.env", "no grant fits it: A-B"], ["maximum.env.1", IDLE]],
  ["a name twice", { maximum: { ui: ["notify", "notify"] } }, ["maximum.ui.1", IDLE]],
  ["a file in a folder", { maximum: { fs: { read: ["$CWD/a.txt", "$CWD/**"], write: ["$CWD/a.txt"] } } }, ["maximum.fs.read.0", IDLE]],
  ["a server twice", { maximum: { net: { connect: ["a.example:1", "A.example:1"] } } }, ["maximum.net.connect.1", IDLE]],
  ["tools of any name, and the agent's", { maximum: { tools: ["*", "bash"] } }],
  ["a star for a model", { maximum: { model: ["*"] } }, ["maximum.model", "a name like any other"]],
  ["a star for an agent's tools", { maximum: { agents: [{ tools: ["*"] }] } }, ["maximum.agents", "a name like any other"]],
  ["a required hook twice", { required: ["a", "b", "a"] }, ["required", "a is named twice"]],
  ["any arguments of git", exec({ args: [{ rest: "any" }] })],
  ["a command line that another has", { maximum: { exec: [{ program: "git", args: [{ rest: "any" }] }, { program: "git", args: ["status"] }] } }, ["maximum.exec.1", IDLE]],
  ["one command line", exec({ args: ["stash", "create"] })],
  ["all of another program", exec({ program: "npx", args: [{ rest: "any" }], fullAccess: true })],
  ["text for any arguments", exec({ args: [{ rest: "text" }] }), ["maximum.exec.0", '"text" is no option']],
  ["a star", exec({ args: ["*"] }), ["maximum.exec.0", '"*" is no pattern']],
  ["a star in a word", exec({ program: "echo", args: ["a*"] }), ["maximum.exec.0", '"a*" is no pattern']],
  ["a program that needs more", exec({ program: "npx", args: [{ rest: "any" }] }), ["maximum.exec.0", "no grant fits it: npx"]],
  ["a command that needs more", exec({ args: ["push", { kind: "ref" }] }), ["maximum.exec.0", "no grant fits it: git"]],
  ["a number for a command", exec({ args: [{ kind: "int" }] }), ["maximum.exec.0", "no grant fits it: git"]],
  ["a pattern of no root", { maximum: { fs: { read: ["src/**"] } } }, ["maximum.fs", "no grant fits it"]],
];

function policyOf(parts: object): Policy {
  const policy = policyIn(JSON.stringify({ version: 1, ...parts }), "p");
  if ("faults" in policy) throw new Error(policy.faults[0]);
  return policy;
}

test.each(NOTES)("what a policy is told about %s", (_name, parts, ...notes) => {
  expect(policyNotes(policyOf(parts), INSTALLED)).toEqual(
    notes.map(([where, says]) =>
      expect.stringMatching(`^${where.replaceAll(".", "\\.")}: .*${says.replace("*", "\\*")}`),
    ),
  );
});

test("what is called without an effect has none: without it, the same is left", () => {
  const idle = (notes: readonly string[]) =>
    notes.map((note) => /^maximum\.(\w+)(?:\.(\D+))?\.(\d+): other entries/.exec(note)).find((found) => found !== null);
  let tried = 0;
  for (const [, parts] of NOTES) {
    const policy = policyOf(parts);
    const [, power = "", key, at] = idle(policyNotes(policy, INSTALLED)) ?? [];
    if (power === "") continue;
    const without = structuredClone(policy);
    const whole = without.maximum as Record<string, unknown[] & Record<string, unknown[]>>;
    expect((key === undefined ? whole[power] : whole[power]?.[key])?.splice(Number(at), 1)).toHaveLength(1);
    const asked = { [power]: (policy.maximum as Record<string, unknown>)[power] };
    expect(withinPolicies([without], asked)).toEqual(withinPolicies([policy], asked));
    tried++;
  }
  expect(tried).toBe(NOTES.filter(([, , ...notes]) => notes.some(([, says]) => says === IDLE)).length);
});

test("a maximum of all variables leaves each", () => {
  const powers = { env: ["CI", "GITHUB_*"] };
  expect(withinPolicies([policyOf({ maximum: { env: ["*"] } })], powers)).toEqual(powers);
});
