import { expect, test } from "vitest";
import type { GrantEntry } from "../../src/grants/grant.ts";
import { decisionFacts, isWider, type Standing, type Taken } from "../../src/store/decision.ts";
import { type LockEntry, projectKey } from "../../src/store/hooks-lock.ts";

const ONE = `sha256-${"1".repeat(64)}`;
const TWO = `sha256-${"2".repeat(64)}`;
const EVENTS = { see: ["*"], block: true } as const;
const entry = (capabilities: GrantEntry["capabilities"], more: GrantEntry = {}): GrantEntry => ({
  ...{ digest: ONE, capabilities },
  ...more,
});
const locked = (version: string, digest = ONE): LockEntry => ({
  ...{ version, digest, source: "npm:gate", integrity: "sha512-A", requested: {}, provenance: "none" },
  ...{ package: "gate", file: "index.ts" },
});
const FS = { read: ["$CWD/a"] };
const guard = { events: { see: ["*"], block: true } };
const usual = { events: { see: ["*"], block: true, cancel: true }, ui: ["notify", "select", "confirm", "input"] };

/** `outcome power value`, with `+` before what gives the hook more. */
const lines = (before: Standing, after: Standing, taken?: Taken, key = "gate"): string[] =>
  decisionFacts(key, before, after, taken).map((fact) =>
    [`${isWider(fact) ? "+" : ""}${fact.outcome}`, fact.capability, fact.value].filter(Boolean).join(" "),
  );

test.each<[what: string, Standing, Standing, Taken | undefined, string[]]>([
  ["nothing", { entry: entry(usual as never) }, { entry: entry(usual as never) }, undefined, []],
  [
    "the record of a build is no decision",
    { entry: entry({ fs: FS }), installed: locked("1.0.0") },
    {
      entry: entry({ fs: FS }, { bundle: { digest: ONE } as never }),
      installed: { ...locked("1.0.0"), pending: { version: "2.0.0", wider: [] } },
    },
    undefined,
    [],
  ],
  [
    "a hook is added with a power",
    {},
    { entry: entry({ events: EVENTS as never, fs: FS }), installed: locked("1.0.0") },
    "added",
    ["+added npm:gate 1.0.0", '+granted fs {"read":["$CWD/a"]}'],
  ],
  [
    "to guard as it asks is no power of its own; to rewrite is",
    {},
    {
      entry: entry({ events: { see: ["tool_call"], block: true, rewriteInput: ["bash"] } }),
      installed: locked("1.0.0"),
    },
    "accepted",
    ["+accepted npm:gate 1.0.0", '+granted events {"rewriteInput":["bash"]}'],
  ],
  [
    "an update takes over what it still asks for",
    { entry: entry({ fs: FS, env: ["CI"] }), installed: locked("1.0.0") },
    { entry: entry({ fs: FS }, { digest: TWO }), installed: locked("1.1.0", TWO) },
    "updated",
    ["+updated npm:gate 1.1.0, after 1.0.0", 'revoked env ["CI"]'],
  ],
  [
    "other bytes that are accepted get their powers anew",
    { entry: entry({ ...guard, fs: FS, env: ["CI"] }) },
    { entry: entry({ ...guard, fs: FS }, { digest: TWO }) },
    "accepted",
    ["+accepted", '+granted fs {"read":["$CWD/a"]}', 'revoked env ["CI"]'],
  ],
  [
    "the user's own hook has the usual powers without an entry",
    {},
    { entry: entry({ ...(usual as object), fs: FS }) },
    undefined,
    ['+granted fs {"read":["$CWD/a"]}'],
  ],
  [
    "only what is new of a power is named",
    { entry: entry({ ...guard, fs: FS }) },
    { entry: entry({ ...guard, fs: { read: ["$CWD/a", "$CWD/b"] } }) },
    undefined,
    ['+granted fs {"read":["$CWD/b"]}'],
  ],
  [
    "one power for another",
    { entry: entry({ ...guard, fs: FS }) },
    { entry: entry({ ...guard, env: ["CI"] }) },
    undefined,
    ['+granted env ["CI"]', 'revoked fs {"read":["$CWD/a"]}'],
  ],
  [
    "limits",
    { entry: entry(guard) },
    { entry: entry(guard, { limits: { jit: true } }) },
    undefined,
    ['+granted limits {"jit":true}'],
  ],
  [
    "lower limits",
    { entry: entry(guard, { limits: { jit: true } }) },
    { entry: entry(guard) },
    undefined,
    ['revoked limits {"jit":true}'],
  ],
  [
    "a revocation that finds nothing ends what sessions allowed",
    {},
    { entry: { revokedAt: "2026-01-31T00:00:00.000Z" } },
    undefined,
    ["revoked what running sessions allowed"],
  ],
  ["disabled everywhere", {}, { entry: { disabled: true } }, undefined, ["disabled in all projects"]],
  [
    "disabled in one project more, enabled in another",
    { entry: { disabled: ["/a", "/b"] } },
    { entry: { disabled: ["/b", "/c"] } },
    undefined,
    ["disabled /c", "+enabled /a"],
  ],
  ["enabled", { entry: { disabled: true } }, { entry: {} }, undefined, ["+enabled in all projects"]],
  ["removed", { entry: entry({ fs: FS }), installed: locked("1.0.0") }, {}, undefined, ["removed npm:gate 1.0.0"]],
  ["an entry that is removed", { entry: entry({ fs: FS }) }, {}, undefined, ["removed"]],
])("%s", (_what, before, after, taken, expected) => {
  expect(lines(before, after, taken)).toEqual(expected);
});

test("a line names the hook by its id, and its digest", () => {
  const [of] = decisionFacts(projectKey("/project", "@me/gate"), {}, { installed: locked("1.0.0", TWO) }, "accepted");
  expect(of).toEqual({
    hook: "@me/gate",
    digest: TWO,
    event: "decision",
    value: "npm:gate 1.0.0",
    outcome: "accepted",
  });
  expect(decisionFacts("/hooks/mine.ts", {}, { entry: { disabled: true } })).toMatchObject([
    { hook: "/hooks/mine.ts" },
  ]);
});
