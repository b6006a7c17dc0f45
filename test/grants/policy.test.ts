import { existsSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { type Policy, policyFault, policyIn, policyPaths, withinPolicies } from "../../src/grants/policy.ts";
import type { Capabilities } from "../../src/grants/schema.ts";
import { onToolCall, type Sources, scriptedUi, startSession, temporaryFolder } from "../support/session.ts";

afterEach(() => {
  vi.unstubAllEnvs();
});

/** Makes this the policy of the organisation, in addition to the machine's own. */
function decree(policy: object | string): string {
  const path = join(temporaryFolder(), "policy.json");
  writeFileSync(path, typeof policy === "string" ? policy : JSON.stringify(policy));
  vi.stubEnv("CORDON_POLICY", path);
  return path;
}

const echo = { program: "echo", args: ["hello"] };
const ECHOES = onToolCall(`
  const { stdout } = await ctx.exec("echo", [event.input.word]).catch((error: any) => ({ stdout: error.code }));
  return { block: true, reason: stdout.trim() };`);

test("no hook gets a power over the policy's maximum, whoever granted it", async () => {
  decree({ version: 1, maximum: { exec: [{ program: "date", args: [] }], ui: ["notify"] } });
  const { call } = await startSession({ hook: { source: ECHOES, grant: { capabilities: { exec: [echo] } } } });
  expect(await call({ word: "hello" })).toMatchObject({ reason: "NOT_GRANTED" });
});

test("a power within the maximum applies as granted", async () => {
  decree({ version: 1, maximum: { exec: [echo, { program: "date", args: [] }] } });
  const { call } = await startSession({ hook: { source: ECHOES, grant: { capabilities: { exec: [echo] } } } });
  expect(await call({ word: "hello" })).toMatchObject({ reason: "hello" });
});

test("a policy that somebody named and that is not there is an error, and the administrator's may be missing", async () => {
  vi.stubEnv("CORDON_POLICY", join(temporaryFolder(), "policy.json"));
  await expect(startSession({ hook: { source: ECHOES } })).rejects.toThrow(
    /policy\.json: there is no such policy; mend CORDON_POLICY/,
  );
  vi.stubEnv("CORDON_POLICY", "");
  await startSession({ hook: { source: ECHOES } });
});

describe("a required hook cannot be put out of force", () => {
  const hung = { source: onToolCall("for (;;) {}"), grant: { failure: "open" as const, limits: { cpuMs: 50 } } };

  test.each([
    ["throws", onToolCall('throw new Error("no");')],
    ["hangs", hung.source],
    ["does not load", 'throw new Error("no");'],
  ])("by a grant that lets its failures pass, if it %s", async (_name, source) => {
    const hooks = { gate: { ...hung, source } };
    const { call: free } = await startSession(hooks);
    expect(await free()).toBeUndefined();
    vi.stubEnv("CORDON_POLICY", decree({ version: 1, required: ["gate"] }));
    const { call } = await startSession(hooks);
    expect(await call()).toMatchObject({ block: true });
  });

  test("by an answer in the dialog after a failure, or after many blocks", async () => {
    vi.stubEnv("CORDON_POLICY", decree({ version: 1, required: ["gate"] }));
    const offered: string[][] = [];
    const ui = scriptedUi({
      select(_title, options) {
        offered.push(options);
        return "Disable it for this session";
      },
    });
    const grant = { limits: { cpuMs: 50 } };
    const source = onToolCall('if (event.input.command === "hang") for (;;) {}\nreturn { block: true, reason: "no" };');
    const { call } = await startSession({ gate: { source, grant } }, { ui, hasUI: true });
    for (let turn = 0; turn < 7; turn++) expect(await call()).toMatchObject({ block: true });
    expect(await call("hang")).toMatchObject({ block: true });
    expect(await call()).toMatchObject({ block: true });
    expect(offered).toEqual([["Restart it", "Keep blocking"]]);
  });
});

describe("a trusted hook, which runs without a sandbox", () => {
  const trusted = (mark: string) => ({
    own: {
      source: `import { writeFileSync } from "node:fs";\nwriteFileSync(${JSON.stringify(mark)}, "ran");\n${onToolCall("")}`,
      trust: "full" as const,
    },
  });

  test.each<[string, object[]]>([
    ["no powers", [{ maximum: {} }]],
    ["some powers", [{ maximum: { ui: ["notify"] } }]],
    ["powers by one of two policies", [{ required: [] }, { maximum: { env: ["CI"] } }]],
  ])("is not run where hooks have at most %s, and blocks what it guards", async (_name, policies) => {
    vi.stubEnv("CORDON_POLICY", policies.map((policy) => decree({ version: 1, ...policy })).join(delimiter));
    const mark = join(temporaryFolder(), "ran");
    const { host, call, audit } = await startSession(trusted(mark));
    const refusal = "your organisation's policy limits what hooks may do, and a trusted hook has no sandbox";
    const isRefused = async (): Promise<void> => {
      expect(await call()).toMatchObject({ block: true, hook: "own", reason: expect.stringContaining(refusal) });
      expect(existsSync(mark)).toBe(false);
    };
    await isRefused();
    await host.reload("own");
    await isRefused();
    expect(host.hooks).toMatchObject([{ state: "failed", events: [] }]);
    expect(audit.filter(({ event }) => event === "load").map(({ hook, outcome }) => [hook, outcome])).toEqual([
      ["own", "failed"],
      ["own", "failed"],
    ]);
  });

  test("runs under a policy without a maximum, and the record says that it has no sandbox", async () => {
    decree({ version: 1, sources: ["npm:@acme/*"] });
    const mark = join(temporaryFolder(), "ran");
    const { call, audit } = await startSession(trusted(mark));
    expect([await call(), existsSync(mark)]).toEqual([undefined, true]);
    expect(audit).toContainEqual(
      expect.objectContaining({ hook: "own", event: "load", outcome: "trusted: no sandbox" }),
    );
  });
});

describe("the limit { rest: any } on command lines", () => {
  type Exec = NonNullable<Capabilities["exec"]>;
  const left = (limit: object, grant: object): Exec | undefined => {
    const policy = policyIn(JSON.stringify({ version: 1, maximum: { exec: [limit] } }), "p");
    if ("faults" in policy) throw new Error(policy.faults[0]);
    return withinPolicies([policy], { exec: [grant] as Exec }).exec;
  };
  const any = { rest: "any" };
  const ask = { kind: "text" };
  test.each<[string, object, object, boolean]>([
    ["an option", { args: [any] }, { args: ["status", "--short"] }, true],
    ["no argument", { args: [any] }, { args: [] }, true],
    ["a kind", { args: [any] }, { args: ["commit", "-m", { kind: "text", lines: true }] }, true],
    ["any number of a kind", { args: [any] }, { args: ["add", { rest: "relpath" }] }, true],
    ["a folder and variables", { args: [any] }, { args: ["log"], cwd: "$CWD/sub", env: { LANG: "C" } }, true],
    ["the name of a file with a secret", { args: [any] }, { args: ["diff", ".env"] }, true],
    ["what follows a fixed start", { args: ["stash", any] }, { args: ["stash", "drop", "--quiet"] }, true],
    ["another start", { args: ["stash", any] }, { args: ["push", "--force"] }, false],
    ["an open start", { args: ["stash", any] }, { args: [ask, "x"] }, false],
    ["less than its start", { args: ["stash", any] }, { args: [] }, false],
    ["another program", { args: [any] }, { program: "npx", args: ["x"] }, false],
    ["full access", { args: [any] }, { args: ["push"], fullAccess: true }, false],
    ["full access under full access", { args: [any], fullAccess: true }, { args: ["push"], fullAccess: true }, true],
    ["input", { args: [any] }, { args: ["add"], stdin: true }, false],
    ["other machines", { args: [any] }, { args: ["fetch"], gitNetwork: true }, false],
  ])("%s", (_name, limit, grant, isLeft) => {
    const whole = { program: "git", ...grant };
    expect(left({ program: "git", ...limit }, whole)).toEqual(isLeft ? [whole] : undefined);
  });

  test("bounds of the limit hold, and no effective grant has it", () => {
    const limit = { program: "git", args: [any], timeoutMs: 1000 };
    expect(left(limit, { program: "git", args: ["log", "--all"] })).toEqual([
      { program: "git", args: ["log", "--all"], timeoutMs: 1000 },
    ]);
    for (const args of [[ask, { rest: "text" }], [{ rest: "text" }], [{ rest: "ref" }]])
      expect(JSON.stringify(left(limit, { program: "git", args, fullAccess: true }) ?? [])).not.toContain("any");
  });

  test("it is no grant", async () => {
    const grant = { capabilities: { exec: [{ program: "git", args: [any], fullAccess: true }] } };
    await expect(startSession({ hook: { source: ECHOES, grant: grant as never } })).rejects.toMatchObject({
      code: "BAD_GRANT",
    });
  });
});

test("there is no question about a power that the policy forbids", async () => {
  decree({ version: 1, maximum: { exec: [echo] } });
  const questions: string[] = [];
  const consent = async ({ value }: { value: string }) => {
    questions.push(value);
    return "once" as const;
  };
  const { call } = await startSession({ hook: ECHOES }, { ui: scriptedUi(), consent });
  expect(await call({ word: "hello" })).toMatchObject({ reason: "hello" });
  expect(await call({ word: "secret" })).toMatchObject({ reason: "NOT_GRANTED" });
  expect(questions).toEqual(["echo hello"]);
});

test("a policy does not limit what a hook hears and blocks", () => {
  const events = { see: ["*"], block: true };
  const policy = { version: 1, maximum: {} } as const;
  expect(withinPolicies([policy], { events, ui: ["notify"] })).toEqual({ events });
});

describe("a hook that must be active", () => {
  const policy = { version: 1, required: ["gate"] };
  test("passes calls after it judged them", async () => {
    decree(policy);
    const { call } = await startSession({ gate: onToolCall("return undefined;") });
    expect(await call()).toBeUndefined();
  });
  const [own, elsewhere] = [
    { gate: onToolCall("") },
    "it is not installed, and your organisation's policy says from where it has to be",
  ];
  test.each<[string, Sources, string, object?]>([
    ["is missing", {}, "this session looks for no hooks, and it is not among those that it was given"],
    ["is misspelt", { gaet: onToolCall("") }, "it is missing; did you mean gaet?"],
    [
      "may not block",
      { gate: { source: onToolCall(""), grant: { capabilities: { events: { see: ["*"], block: false } } } } },
      `it may not block; run: cordon grant gate events '{"see":["tool_call"],"block":true}'`,
    ],
    ["hears no call", { gate: "export default () => {};" }, "it has no handler for tool calls"],
    [
      "hears no call because of its grant",
      { gate: { source: onToolCall(""), grant: { capabilities: { events: { see: [] } } } } },
      `it may not hear tool calls; run: cordon grant gate events '{"see":["tool_call"],"block":true}'`,
    ],
    ["has only the name of one from the right source", own, elsewhere, { sources: ["npm:*"] }],
    ["has only the name of one of the right publisher", own, elsewhere, { publishers: ["acme"] }],
    ["has only the name of one that is vouched for", own, elsewhere, { provenance: "signed" }],
  ])("blocks every call while it %s, which is on record", async (_name, hooks, why, more = {}) => {
    decree({ ...policy, ...more });
    const { call, host, audit } = await startSession(hooks);
    expect(host.hasHandlers("tool_call")).toBe(true);
    const reason = `your organisation's policy requires the hook gate: ${why}`;
    expect(await call()).toEqual({ block: true, reason, hook: "" });
    expect(audit.at(-1)).toMatchObject({ hook: "", event: "tool_call", value: `bash: ${reason}`, outcome: "block" });
    expect(host.lastBlock).toMatchObject({ hook: "", tool: "bash", reason, input: { command: "ls" } });
  });
});

test("all policies apply: each one can only narrow the others", async () => {
  const [one, two] = [
    decree({ version: 1, maximum: { exec: [echo] } }),
    decree({ version: 1, maximum: { ui: ["notify"] } }),
  ];
  vi.stubEnv("CORDON_POLICY", `${one}:${two}`);
  const { call } = await startSession({ hook: { source: ECHOES, grant: { capabilities: { exec: [echo] } } } });
  expect(await call({ word: "hello" })).toMatchObject({ reason: "NOT_GRANTED" });
});

test.each([
  ["no JSON", "{", "not JSON"],
  ["an unknown key", '{"version":1,"allow":["*"]}', 'unknown key "allow"'],
  ["another version", '{"version":2}', "version"],
])("a policy with %s stops the host: half a policy protects nothing", async (_name, text, says) => {
  const path = decree(text);
  await expect(startSession({})).rejects.toMatchObject({ code: "BAD_GRANT", message: expect.stringContaining(says) });
  await expect(startSession({})).rejects.toThrow(path);
});

describe("what may be installed", () => {
  const from = (source: string, more: object = {}) => ({ source, provenance: "none", ...more });
  test.each([
    ["any source, without a rule", {}, from("npm:anything"), undefined],
    ["a source that the policy names", { sources: ["npm:@acme/*"] }, from("npm:@acme/gate"), undefined],
    ["another scope", { sources: ["npm:@acme/*"] }, from("npm:@acmé/gate"), "does not allow hooks from npm:@acmé/gate"],
    ["a path that only looks like it", { sources: ["npm:@acme/*"] }, from("path:/npm:@acme/gate"), "does not allow"],
    ["a publisher that the policy names", { publishers: ["bot"] }, from("npm:a", { publisher: "bot" }), undefined],
    [
      "another publisher",
      { publishers: ["bot"] },
      from("npm:a", { publisher: "bott" }),
      "does not allow hooks of bott",
    ],
    ["no publisher", { publishers: ["bot"] }, from("npm:a"), "an unknown publisher"],
    ["a scope, by a star alone", { sources: ["npm:*"] }, from("npm:@acme/gate"), undefined],
    ["one of a choice", { sources: ["npm:{gate,@acme/*}"] }, from("npm:@acme/x"), undefined],
    ["none of a choice", { sources: ["npm:{gate,@acme/*}"] }, from("npm:other"), "does not allow"],
    ["one character more than ?", { sources: ["npm:?ate"] }, from("npm:grate"), "does not allow"],
    ["a forbidden one", { sources: ["!npm:{gate,@acme/old}"] }, from("npm:@acme/old"), "does not allow"],
    ["what is not forbidden", { sources: ["!npm:{gate,@acme/old}"] }, from("git:github:a/gate"), undefined],
    ["a forbidden one, beside another entry", { sources: ["!npm:gate", "!npm:x"] }, from("npm:gate"), undefined],
    [
      "a signed package under a rule for signed ones",
      { provenance: "signed" },
      from("npm:a", { provenance: "signed" }),
      undefined,
    ],
    [
      "an attested package under a rule for signed ones",
      { provenance: "signed" },
      from("npm:a", { provenance: "attested" }),
      undefined,
    ],
    [
      "a signed package under a rule for attested ones",
      { provenance: "attested" },
      from("npm:a", { provenance: "signed" }),
      "attested",
    ],
    [
      "an unsigned package under a rule for signed ones",
      { provenance: "signed" },
      from("npm:a"),
      "requires hooks that are signed",
    ],
  ])("%s", (_name, rules, what, fault) => {
    const found = policyFault([{ version: 1, ...rules } as never], what);
    if (fault === undefined) expect(found).toBeUndefined();
    else expect(found).toContain(fault);
  });
});

test.each([[undefined], [""], [delimiter], ["/elsewhere/policy.json"], [`${delimiter}/dev/null${delimiter}`]])(
  "CORDON_POLICY adds to the system's policy, and never replaces it: %j",
  (more) => {
    const [system, ...others] = policyPaths(more === undefined ? {} : { CORDON_POLICY: more });
    expect(system).toBe(
      process.platform === "win32" ? "C:\\ProgramData\\cordon\\policy.json" : "/etc/cordon/policy.json",
    );
    expect(others).toEqual((more ?? "").split(delimiter).filter(Boolean));
    // Whatever the file says that is added: the first still takes as much.
    const maximum = (ui: ("notify" | "select")[]): Policy => ({ version: 1, maximum: { ui } });
    for (const second of [maximum(["notify", "select"]), { version: 1 } as const])
      expect(withinPolicies([maximum(["notify"]), second], { ui: ["notify", "select"] })).toEqual({ ui: ["notify"] });
  },
);

test("hooks that are tried out alone are not blocked for want of a required one; all others are", async () => {
  decree({ version: 1, required: ["guard"] });
  const said = async (more: object) => (await startSession({ gate: onToolCall("") }, more)).call();
  const missing = { block: true, hook: "", reason: expect.stringContaining("requires the hook guard") };
  expect(await said({ trial: "alone" })).toBeUndefined();
  expect(await said({ trial: true })).toEqual(missing);
  expect(await said({})).toEqual(missing);
});

test("what a policy allows is no less for hooks that are tried out alone", async () => {
  decree({ version: 1, maximum: {} });
  const hooks = { hook: { source: ECHOES, grant: { capabilities: { exec: [echo] } } } };
  const { call } = await startSession(hooks, { trial: "alone" });
  expect(await call({ word: "hello" })).toMatchObject({ reason: "NOT_GRANTED" });
});

test("nobody is asked to disable a required hook", async () => {
  decree({ version: 1, required: ["gate"] });
  const asked: string[] = [];
  const consent = ({ text }: { text: string }) => {
    asked.push(text);
    return "session" as const;
  };
  const { host, call } = await startSession(
    { gate: onToolCall('return { block: true, reason: "no" };'), other: onToolCall("") },
    { ui: scriptedUi(), consent },
  );
  await expect(host.disable("gate")).rejects.toMatchObject({
    code: "BAD_GRANT",
    message: "gate is required by your organisation's policy: without it, all tool calls would be blocked",
  });
  expect(asked).toEqual([]);
  expect(await call()).toMatchObject({ reason: "no" });
  expect(await host.disable("other")).toBe(true);
});
