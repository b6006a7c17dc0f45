import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { SHELL, startRunner } from "../powers/exec-facts.ts";
import { isAlive } from "../sandbox/proc.ts";
import { sampled } from "../support/length.ts";
import { onToolCall, startSession, temporaryFolder } from "../support/session.ts";
import { SMUGGLED } from "./smuggled-arguments.ts";

const REQUIRED = `const cp = require("node:child_process"); const { promisify } = require("node:util");`;
/** A function that is called at once, with `node:child_process` as `cp`. */
const using = (body: string): string => `(async () => { ${REQUIRED} ${body} })()`;
const refusal = (act: string): string =>
  using(`try { return ${act}; } catch (error) { return [error.code, error.message]; }`);

/** Every way to run a program, with its result after a refusal and after a run. */
const WAYS = (line: string) => ({
  execFileSync: `try { return String(cp.execFileSync(${line})); } catch (error) { return error.code; }`,
  spawnSync: `const { error, stdout } = cp.spawnSync(${line}); return error ? error.code : String(stdout);`,
  "execFile with a callback": `return await new Promise((done) => cp.execFile(${line}, (error, stdout) => done(error ? error.code : stdout)));`,
  "a promise of execFile": `try { return (await cp.execFile[Symbol.for("nodejs.util.promisify.custom")](${line})).stdout; } catch (error) { return error.code; }`,
  spawn: `return await new Promise((done) => { let all = ""; const child = cp.spawn(${line}); child.on("error", (error) => done(error.code)); child.on("close", () => done(all)); child.stdout.on("data", (part) => { all += part; }); });`,
});
const ways = (line: string) =>
  Object.fromEntries(Object.entries(WAYS(line)).map(([name, body]) => [name, using(body)]));

test("a program that was not granted is refused in every way of running one, reported once and audited", async () => {
  const calls = ways('"git", ["status"]');
  const { ask, errors, audit } = await startRunner([{ program: "git", args: ["log"] }], calls);
  for (const way of Object.keys(calls)) expect([way, await ask(way)]).toEqual([way, "NOT_GRANTED"]);
  expect(errors.map(({ code, event }) => [code, event])).toEqual([["NOT_GRANTED", "tool_call"]]);
  const refused = audit.filter(({ outcome }) => outcome === "NOT_GRANTED");
  expect(refused.map(({ capability, value, event }) => [capability, value, event])).toEqual(
    // Later refusals are a count, after the minute ends.
    [["exec", "git status", "tool_call"]],
  );
});

const REFUSED: { act: string; says: string[] }[] = [
  { act: 'cp.execSync("git status", { shell: "/bin/bash" })', says: ["shell", 'execFile("git", ["status"])'] },
  { act: 'cp.execFileSync("git", ["add", "."], { env: { GIT_DIR: "x" } })', says: ["GIT_DIR"] },
  { act: 'cp.fork("./x.js")', says: ["child_process.fork", "not offered"] },
  { act: 'cp.spawn("echo", ["x"], { shell: "/bin/bash" })', says: ["shell", 'execFile("git", ["status"])'] },
];

test("shells and settings of git are refused, with an alternative", async () => {
  const { ask, audit } = await startRunner(SHELL, Object.fromEntries(REFUSED.map(({ act }) => [act, refusal(act)])));
  for (const { act, says } of REFUSED) {
    const [code, message] = (await ask(act)) as [string, string];
    expect([act, code]).toEqual([act, "ERR_FEATURE_UNAVAILABLE_ON_PLATFORM"]);
    for (const part of says) expect(message).toContain(part);
  }
  expect(audit.filter(({ capability }) => capability === "exec")).toEqual([]);
});

test("a command line instead of a program is not granted", async () => {
  const { ask } = await startRunner([{ program: "echo", args: [{ rest: "text" }] }], ways('"echo x"'));
  for (const way of Object.keys(WAYS(""))) expect(await ask(way)).toBe("NOT_GRANTED");
});

describe("only the granted arguments reach a program", () => {
  test.each(sampled(SMUGGLED))("$name", async ({ set = "", args, gets }) => {
    const entry = { program: "echo", args: ["say", { kind: "enum" as const, values: ["a"] }] };
    const { audit, call } = await startSession({
      runner: {
        source: onToolCall(
          `${set}\n    let told: any; try { told = execFileSync("echo", ${args}, { encoding: "utf8" }); } catch (error: any) { told = error.code ?? error.message; }\n    return { block: true, reason: told };`,
          'import { execFileSync } from "node:child_process";',
        ),
        grant: { capabilities: { exec: [entry] } },
      },
    });
    const verdict = await call();
    const told = verdict && "block" in verdict ? verdict.reason : "";
    const ran = audit.filter(({ capability, outcome }) => capability === "exec" && outcome === "allowed");
    if (gets === "either")
      expect(["NOT_GRANTED", "say a\n"]).toContain(told.replace(/^exec: argument .*$/, "NOT_GRANTED"));
    else expect(told).toEqual(typeof gets === "string" ? gets : expect.stringMatching(gets));
    expect(ran.map(({ value }) => value)).toEqual(told === "say a\n" ? ["echo say a"] : []);
  });
});

// With two names outside of the work tree, git compares files outside of a repository.
test("git diff with free text shows no file outside of the work tree", async () => {
  const secret = join(temporaryFolder(), "secret");
  writeFileSync(secret, "not for hooks\n");
  const exec = [{ program: "git", args: ["diff", { rest: "text" as const }] }];
  const line = `"git", ["diff", "/dev/null", ${JSON.stringify(secret)}]`;
  const shown = await startRunner(exec, {
    diff: using(`return cp.spawnSync(${line}, { encoding: "utf8" }).stdout;`),
  }).then(
    ({ ask }) => ask("diff"),
    (error) => error.code,
  );
  expect(String(shown)).not.toContain("not for hooks");
});

test("a synchronous call blocks the hook, and several run in order", async () => {
  const { ask, folder } = await startRunner(
    SHELL,
    {
      order: using(
        `const order = []; setTimeout(() => order.push("timer"), 10); const start = Date.now();
        cp.execFileSync("sh", ["-c", "sleep 1; echo one >> order"]); order.push(Date.now() - start >= 950 ? "waited" : "went on");
        cp.spawnSync("sh", ["-c", "echo two >> order"]); order.push(cp.execFileSync("sh", ["-c", "echo three >> order; cat order"], { encoding: "utf8" }));
        await new Promise((done) => setTimeout(done, 50)); return order;`,
      ),
    },
    {},
  );
  expect(await ask("order")).toEqual(["waited", "one\ntwo\nthree\n", "timer"]);
  expect(readFileSync(join(folder, "work", "order"), "utf8")).toBe("one\ntwo\nthree\n");
});

test.each(Object.entries(WAYS('"sh", ["-c", "sleep 2; echo done"]')))(
  "the hook's deadline pauses while a program runs by %s",
  async (way, body) => {
    const { ask } = await startRunner(SHELL, { [way]: using(body) }, { hookTimeout: 500 });
    expect(await ask(way)).toBe("done\n");
  },
);

test("after a program the hook's deadline continues", async () => {
  const hang = using(`cp.execFileSync("sh", ["-c", "sleep 1"]); await new Promise(() => {});`);
  const { call } = await startRunner(SHELL, { hang }, { hookTimeout: 500 });
  expect(await call({ fact: "hang" })).toMatchObject({ block: true, reason: expect.stringContaining("TIMEOUT") });
});

test("a program may run while the hook loads, without the hook's deadline", async () => {
  const top = `import { execFileSync } from "node:child_process"; const loaded = execFileSync("sh", ["-c", "sleep 1; echo x"], { encoding: "utf8" });`;
  const source = onToolCall("return { block: true, reason: loaded };", top);
  const { call } = await startSession(
    { early: { source, grant: { capabilities: { exec: SHELL } } } },
    { hookTimeout: 300 },
  );
  expect(await call()).toMatchObject({ reason: "x\n" });
});

describe("no program outlives its requester", () => {
  const WAITING = {
    "a call that waits": "execFileSync(...line)",
    "a call that does not": "await new Promise((done) => execFile(...line, done))",
  };
  test.each(
    Object.entries(WAITING).flatMap(([way, run]) => [
      { way, run, end: "the host is closed" },
      { way, run, end: "the event is given up" },
    ]),
  )("$way, when $end", async ({ run, end }) => {
    const pidFile = join(temporaryFolder(), "pid");
    const script = `echo $$ > ${pidFile}; exec sleep 60`;
    const source = onToolCall(
      `const line: [string, string[]] = ["sh", ["-c", ${JSON.stringify(script)}]]; ${run};`,
      'import { execFile, execFileSync } from "node:child_process";',
    );
    const { host } = await startSession({ runner: { source, grant: { capabilities: { exec: SHELL } } } });
    const giveUp = new AbortController();
    const event = { type: "tool_call", toolName: "bash", toolCallId: "1", input: {} } as const;
    const verdict = host.emitToolCall(event, { signal: giveUp.signal });
    await expect
      .poll(() => existsSync(pidFile) && Number(readFileSync(pidFile, "utf8")), { timeout: 20_000 })
      .toBeGreaterThan(0);
    const pid = Number(readFileSync(pidFile, "utf8"));
    onTestFinished(() => void (isAlive(pid) && process.kill(pid, "SIGKILL")));
    if (end === "the host is closed") await host.close();
    else giveUp.abort();
    expect(await verdict).toMatchObject({ block: true });
    await expect.poll(() => isAlive(pid), { timeout: 8000 }).toBe(false);
  });
});

test.each([
  ["more arguments than a call may have", '"echo", Array(1001).fill("x")'],
  ["a longer argument than a call may have", '"echo", ["x".repeat(1_000_001)]'],
  ["a longer program than a call may have", '"x".repeat(5000), []'],
  ["a list of arguments with a hole", '"echo", ["a", , "b"]'],
])("an honest mistake is an error, and the sandbox survives: %s", async (_mistake, line) => {
  const calls = { ...ways(line), after: using('return cp.execFileSync("echo", ["x"], { encoding: "utf8" });') };
  const { ask, errors } = await startRunner([{ program: "echo", args: [{ rest: "text" }] }], calls);
  for (const way of Object.keys(WAYS(""))) expect(await ask(way)).toBeDefined();
  expect(await ask("after")).toBe("x\n");
  expect(errors.filter(({ code }) => code !== "NOT_GRANTED")).toEqual([]);
});

test("a synchronous call does not wait for a person: it is refused, the question follows, and the next call is allowed", async () => {
  const asked: string[] = [];
  const { ask } = await startRunner(
    undefined,
    { run: using(WAYS('"echo", ["x"]').execFileSync) },
    {
      hasUI: true,
      consent: ({ value }) => {
        asked.push(value);
        return "session";
      },
    },
  );
  expect(await ask("run")).toBe("NOT_GRANTED");
  await expect.poll(() => asked).toEqual(["echo x"]);
  expect(await ask("run")).toBe("x\n");
});
