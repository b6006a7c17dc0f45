import { expect, onTestFinished, test } from "vitest";
import type { Circumstances } from "../../src/powers/capability.ts";
import type { ExecEntry } from "../../src/powers/exec-grant.ts";
import { faultOf } from "../../src/powers/exec-grant.ts";
import { CAPABILITIES } from "../../src/powers/index.ts";
import { startFacts } from "../guest/facts.ts";

type Variables = NonNullable<ExecEntry["env"]>;

const any = { kind: "text" } as const;
// biome-ignore format: a table
const ROWS: readonly [claim: string, granted: Variables | undefined, asked: Record<string, string>, told: string | undefined][] = [
  ["none", undefined, { LANG: "C" }, "A= LANG=C NODE_OPTIONS="],
  ["one that is not granted", undefined, { A: "1" }, undefined],
  ["one that is granted", { A: "1" }, { A: "1", LANG: "C" }, "A=1 LANG=C NODE_OPTIONS="],
  ["another value", { A: "1" }, { A: "2" }, undefined],
  ["any value", { A: any }, { A: "x y", LANG: "C" }, "A=x y LANG=C NODE_OPTIONS="],
  ["a value that the hook leaves to the grant", { A: "1" }, { LANG: "C" }, "A=1 LANG=C NODE_OPTIONS="],
  ["any value that the hook leaves out", { A: any }, { LANG: "C" }, "A= LANG=C NODE_OPTIONS="],
  ["a language that is a path", undefined, { LANG: "/tmp/x" }, undefined],
  ["the longest plain value", undefined, { LANG: "x".repeat(64) }, `A= LANG=${"x".repeat(64)} NODE_OPTIONS=`],
  ["one more", undefined, { LANG: "x".repeat(65) }, undefined],
  ["what decides what is loaded", undefined, { LANG: "C", NODE_OPTIONS: "--require=/tmp/x", LD_PRELOAD: "/tmp/x.so", PATH: "/tmp" }, "A= LANG=C NODE_OPTIONS="],
  ["a name of every object", undefined, { constructor: "1" }, undefined],
  ["what git has anyway", undefined, { LANG: "C", GIT_OPTIONAL_LOCKS: "0", GIT_NO_LAZY_FETCH: "1", PAGER: "cat" }, "A= LANG=C NODE_OPTIONS="],
];

/** The variables `A`, `LANG` and `NODE_OPTIONS` of a program that a hook starts with these, under such an entry. */
async function seen(granted: Variables | undefined, lists: readonly Record<string, string>[]): Promise<string[]> {
  const args = ["-c", "echo A=$A LANG=$LANG NODE_OPTIONS=$NODE_OPTIONS SHOWN=$CORDON_SHOWN"];
  const facts = lists.map(
    (asked) => `const { execFileSync } = await import("node:child_process");
      return execFileSync("sh", ${JSON.stringify(args)}, { encoding: "utf8", env: { ...process.env, ...${JSON.stringify(asked)} } });`,
  );
  const entry: ExecEntry = { program: "sh", args, fullAccess: true, ...(granted ? { env: granted } : {}) };
  const { ask } = await startFacts(Object.fromEntries(facts.entries()), {
    grant: { capabilities: { env: ["CORDON_SHOWN"], exec: [entry] } },
  });
  const told: string[] = [];
  for (const name of facts.keys()) {
    const said = await ask(String(name));
    told.push(typeof said === "string" ? said.trim() : JSON.stringify(said));
  }
  return told;
}

test.each([undefined, { A: "1" }, { A: any }] as const)("variables of a program under %j", async (granted) => {
  process.env.CORDON_SHOWN = "shown";
  onTestFinished(() => {
    delete process.env.CORDON_SHOWN;
  });
  const rows = ROWS.filter(([, one]) => JSON.stringify(one) === JSON.stringify(granted));
  const told = await seen(
    granted,
    rows.map(([, , asked]) => asked),
  );
  // What the hook was granted to read is not handed on.
  const expected = rows.map(([, , , one]) =>
    one === undefined ? expect.stringContaining("NOT_GRANTED") : `${one} SHOWN=`,
  );
  expect(Object.fromEntries(rows.map(([claim], at) => [claim, told[at]]))).toEqual(
    Object.fromEntries(rows.map(([claim], at) => [claim, expected[at]])),
  );
});

test("what changes git is an error that names it", async () => {
  expect(await seen(undefined, [{ GIT_DIR: "/tmp/x" }])).toEqual([
    expect.stringContaining("GIT_DIR changes what git does"),
  ]);
});

test("a grant may name the author of commits", () => {
  const entry: ExecEntry = { program: "git", args: ["commit", "-m", "x"], env: { GIT_AUTHOR_NAME: any } };
  expect(faultOf(entry)).toBeUndefined();
});

test.each([
  "LD_PRELOAD",
  "GIT_DIR",
  "GIT_ICASE_PATHSPECS",
  "NODE_OPTIONS",
  "PATH",
  "BASH_ENV",
  "npm_config_script_shell",
  "PATH=/x:",
  "A\n",
])("no grant names %s, with any value or one", (name) => {
  for (const value of ["1", any])
    expect(faultOf({ program: "make", args: [], fullAccess: true, env: { [name]: value } })).toContain(name);
});

test("a question about a command shows the name of each variable as what it is", () => {
  const capability = CAPABILITIES.get("exec");
  const describe = (env: [string, string][]): string | undefined =>
    capability?.ask(["git", ["status"], { env }], {} as Circumstances).describe();
  expect(describe([["LANG", "C"]])).toBe("LANG=C git status");
  expect(describe([['A=")" sh -c "x', "y z"]])).toBe('"A=\\")\\" sh -c \\"x"="y z" git status');
});

test("of a command that nobody can read, its beginning is shown, and no grant is proposed", () => {
  const capability = CAPABILITIES.get("exec");
  const asked = (args: string[]) => capability?.ask(["git", args, {}], {} as Circumstances);
  const many = asked(Array.from({ length: 900 }, () => "\u2800".repeat(990)));
  expect(many?.describe()).toMatch(/^git "(\\u2800)+" …$/);
  expect(many?.describe().length).toBeLessThan(12_000);
  expect([many?.propose(), many?.tells()]).toEqual([undefined, undefined]);
  expect(asked(["log", "x".repeat(20_000 - 3)])?.propose()).toEqual([
    { program: "git", args: ["log", "x".repeat(19_997)] },
  ]);
  expect(asked(["log", "x".repeat(20_000 - 2)])?.propose()).toBeUndefined();
});
