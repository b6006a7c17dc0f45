import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import type { Capabilities } from "../../src/grants/schema.ts";
import { stillAsked } from "../../src/grants/still-asked.ts";
import { HookHost } from "../../src/host/host.ts";
import type { ConsentAnswer } from "../../src/session/consent.ts";
import { writeGrant } from "../../src/store/grants-file.ts";
import { cordon } from "../support/command.ts";
import { on, onToolCall, scriptedUi, startSession, temporaryFolder, writeFiles } from "../support/session.ts";

const ECHOES = onToolCall(`
  console.log("TOLD " + await ctx.exec("echo", ["a"]).then((done: any) => done.stdout.trim(), (error: any) => error.code));`);

async function startEchoes(answers: ConsentAnswer[]) {
  const questions: string[] = [];
  const consent = ({ value }: { value: string }): ConsentAnswer => {
    questions.push(value);
    return answers.shift() ?? "deny";
  };
  const session = await startSession({ teller: ECHOES }, { ui: scriptedUi(), consent });
  const home = join(session.folder, "home");
  const ask = async (): Promise<string | undefined> => {
    await delay(20);
    await session.call();
    return session.log.findLast(({ text }) => text.startsWith("TOLD "))?.text.slice(5);
  };
  const stored = () => JSON.parse(readFileSync(join(home, "grants.json"), "utf8")).hooks;
  return { ...session, home, questions, ask, stored };
}

test("a revoked power leads to a question again, and nothing restores it", async () => {
  const { ask, home, folder, questions, stored } = await startEchoes(["always", "deny"]);
  expect(await ask()).toBe("a");
  expect(stored().teller.capabilities.exec).toEqual([{ program: "echo", args: ["a"] }]);
  expect((await cordon(["revoke", "teller", "exec"], { cwd: folder, home })).code).toBe(0);
  expect(await ask()).toBe("NOT_GRANTED");
  expect(questions).toEqual(["echo a", "echo a"]);
  expect(await ask()).toBe("NOT_GRANTED");
  expect(stored().teller.capabilities).not.toHaveProperty("exec");
  expect(questions).toHaveLength(2);
});

test("a revocation also ends what was allowed for the session, even for a power that the file lacks", async () => {
  const { ask, home, folder, questions } = await startEchoes(["session"]);
  writeGrant(join(home, "grants.json"), "teller", { capabilities: { events: { see: ["*"] } } });
  expect(await ask()).toBe("a");
  const { code, stderr } = await cordon(["revoke", "teller", "exec"], { cwd: folder, home });
  expect([code, stderr]).toEqual([
    1,
    "cordon: teller was not granted exec; it has: events. If a running session allowed it, that ends now\n",
  ]);
  expect(await ask()).toBe("NOT_GRANTED");
  expect(questions).toEqual(["echo a", "echo a"]);
});

test("the same holds for a hook without an entry: the command names its file", async () => {
  const folder = temporaryFolder();
  const home = join(folder, "home");
  writeFiles(folder, { "hook.ts": ECHOES, "work/a": "" });
  const answers: ConsentAnswer[] = ["session"];
  const log: string[] = [];
  await using host = await HookHost.start({
    spare: false,
    cwd: join(folder, "work"),
    home,
    discover: false,
    hooks: [join(folder, "hook.ts")],
    ui: scriptedUi(),
    consent: () => answers.shift() ?? "deny",
    log: ({ text }) => log.push(text),
  });
  const ask = async () => {
    await delay(20);
    await host.emitToolCall({ type: "tool_call", toolName: "bash", toolCallId: "1", input: {} });
    return log.findLast((text) => text.startsWith("TOLD "));
  };
  expect(await ask()).toBe("TOLD a");
  expect((await cordon(["revoke", join(folder, "hook.ts")], { cwd: folder, home })).stdout).toContain("revoked ui");
  expect(await ask()).toBe("TOLD NOT_GRANTED");
});

test("a denial survives a revocation: a person who said no is not asked again", async () => {
  const { ask, home, folder, questions } = await startEchoes(["deny"]);
  writeGrant(join(home, "grants.json"), "teller", { capabilities: { ui: ["notify"] } });
  expect(await ask()).toBe("NOT_GRANTED");
  await cordon(["revoke", "teller", "ui"], { cwd: folder, home });
  expect(await ask()).toBe("NOT_GRANTED");
  expect(questions).toHaveLength(1);
});

test.each([
  ["cancel", { cancel: false }, { cancel: true }, true],
  ["cancel, which was absent", {}, { cancel: true }, true],
  ["compact, with cancel unchanged", { cancel: true }, { cancel: true, compact: true }, false],
])("a running host ignores additions in the file: %s", async (_name, before, now, dropped) => {
  const folder = temporaryFolder();
  const [home, hook] = [join(folder, "home"), join(folder, "hook.ts")];
  writeFiles(folder, { "hook.ts": on("session", "return { cancel: true };"), "work/a": "" });
  const grant = (more: object) =>
    writeGrant(join(home, "grants.json"), hook, { capabilities: { events: { see: ["session"], ...more } } });
  grant(before);
  await using host = await HookHost.start({
    spare: false,
    cwd: join(folder, "work"),
    home,
    discover: false,
    hooks: [hook],
    log: () => {},
  });
  grant(now);
  await delay(20);
  const event = {
    type: "session",
    reason: "before_switch",
    entries: [],
    sessionFile: null,
    previousSessionFile: null,
  } as never;
  expect(await host.emit(event)).toEqual(dropped ? undefined : { cancel: true });
});

test("a guard whose `events` is revoked still guards, and does not fall back to a wider default", async () => {
  const folder = temporaryFolder();
  const home = join(folder, "home");
  const events = { see: ["tool_call"], guardResult: ["read"], rewriteInput: ["*"], cancel: true };
  writeGrant(join(home, "grants.json"), "gate", { capabilities: { events } });
  expect((await cordon(["revoke", "gate", "events"], { cwd: folder, home })).code).toBe(0);
  const { hooks } = JSON.parse(readFileSync(join(home, "grants.json"), "utf8"));
  expect(hooks.gate.capabilities).toEqual({ events: { see: ["tool_call"], guardResult: ["read"] } });
});

test("grant refuses a project's hook that is not accepted, and names accept, which shows its screen", async () => {
  const folder = temporaryFolder();
  const home = join(folder, "home");
  writeFiles(folder, { "work/.pi/hooks/gate.ts": ECHOES });
  const hook = join(folder, "work", ".pi", "hooks", "gate.ts");
  const { code, stderr } = await cordon(["grant", hook, "exec", '[{"program":"echo","args":["a"]}]'], {
    cwd: join(folder, "work"),
    home,
  });
  expect([code, stderr]).toEqual([1, "cordon: gate is this project's and was never accepted; run: cordon accept\n"]);
  expect(existsSync(join(home, "grants.json"))).toBe(false);
});

test("an answer to a running hook of a project does not accept it again after it was removed", async () => {
  const folder = temporaryFolder();
  const home = join(folder, "home");
  const hook = join(folder, "work", ".pi", "hooks", "gate.ts");
  writeFiles(folder, { "work/.pi/hooks/gate.ts": ECHOES });
  const settings = { cwd: join(folder, "work"), home, agentDir: join(folder, "agent"), log: () => {} };
  // A project's hook is not built before it is accepted: its digest is known only if a person names the hook.
  await using named = await HookHost.start({ spare: false, ...settings, discover: false, hooks: [hook] });
  const digest = named.hooks[0]?.digest as string;
  const file = join(home, "grants.json");
  writeGrant(file, hook, { digest, capabilities: { events: { see: ["*"] } } });
  const log: string[] = [];
  await using host = await HookHost.start({
    spare: false,
    ...settings,
    ui: scriptedUi(),
    consent: () => "always",
    log: ({ text }) => log.push(text),
  });
  expect(host.hooks[0]?.state).toBe("active");
  writeGrant(file, hook, undefined);
  await host.emitToolCall({ type: "tool_call", toolName: "bash", toolCallId: "1", input: {} });
  expect(log).toContain("TOLD a");
  expect(log.join("\n")).toContain("allowed for this session only");
  expect(JSON.parse(readFileSync(file, "utf8")).hooks).toEqual({});
});

test("a policy's maximum limits a grant to the part within it", async () => {
  const folder = temporaryFolder();
  const policy = join(folder, "policy.json");
  writeFileSync(policy, JSON.stringify({ version: 1, maximum: { fs: { read: ["$CWD/**"] } } }));
  vi.stubEnv("CORDON_POLICY", policy);
  const reads = onToolCall(`
    const { readFileSync } = require("node:fs");
    const tried = (path: string) => { try { return readFileSync(path, "utf8"); } catch (error: any) { return error.code; } };
    return { block: true, reason: [tried("src/a.txt"), tried(event.input.other)].join(" ") };`);
  const other = join(folder, "other.txt");
  const session = await startSession({
    reader: { source: reads, grant: { capabilities: { fs: { read: ["$CWD/src/**", other] } } } },
  });
  writeFiles(session.folder, { "work/src/a.txt": "A" });
  writeFileSync(other, "B");
  expect(await session.call({ other })).toMatchObject({ reason: "A NOT_GRANTED" });
  vi.unstubAllEnvs();
});

const git = { program: "git", args: ["stash", "apply", { kind: "sha" as const }] };
const CASES: { name: string; has: Capabilities; asks: Capabilities | undefined; keeps: Capabilities }[] = [
  {
    name: "a narrowed list if the manifest asks for all",
    has: { events: { see: ["*"], rewriteInput: ["bash"] } },
    asks: { events: { see: ["*"], rewriteInput: ["*"] } },
    keeps: { events: { see: ["*"], block: true, rewriteInput: ["bash"] } },
  },
  {
    name: "a narrowed list if the manifest asks for other names",
    has: { events: { see: ["*"], rewriteInput: ["bash"] } },
    asks: { events: { see: ["*"], rewriteInput: ["read", "write"] } },
    keeps: { events: { see: ["*"], block: true } },
  },
  {
    name: "a lower number",
    has: { send: { perMinute: 2 } },
    asks: { send: { perMinute: 10 } },
    keeps: { send: { perMinute: 2 } },
  },
  {
    name: "a subfolder of the requested folder",
    has: { fs: { read: ["$CWD/src/**"] } },
    asks: { fs: { read: ["$CWD/**"], write: ["$CWD/**"] } },
    keeps: { fs: { read: ["$CWD/src/**"] } },
  },
  {
    name: "the requested part of a wider grant",
    has: { fs: { read: ["$CWD/**"] }, exec: [git] },
    asks: { fs: { read: ["$CWD/src/**"] }, exec: [{ ...git, timeoutMs: 5 }] },
    keeps: { fs: { read: ["$CWD/src/**"] }, exec: [{ ...git, timeoutMs: 5 }] },
  },
  {
    name: "nothing of a power that was refused, nor of one that it no longer asks for",
    has: { events: { see: ["tool_call"], block: true, cancel: true }, ui: ["notify"] },
    asks: { events: { see: ["*"] }, exec: [git] },
    keeps: { events: { see: ["tool_call"], block: true } },
  },
  {
    name: "the whole grant of a hook without a manifest",
    has: { exec: [git] },
    asks: undefined,
    keeps: { exec: [git] },
  },
];
test.each(CASES)("an update keeps $name", ({ has, asks, keeps }) => {
  expect(stillAsked(has, asks && { capabilities: asks })).toEqual(keeps);
});

test("a manifest's optional powers count as requested, too", () => {
  expect(stillAsked({ exec: [git] }, { capabilities: {}, optional: { exec: [git] } })).toEqual({ exec: [git] });
});
