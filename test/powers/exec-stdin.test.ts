import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { execPower, faultOf } from "../../src/powers/exec-grant.ts";
import { writeGrant } from "../../src/store/grants-file.ts";
import { startRunner } from "./exec-facts.ts";

const CAT = { program: "cat", args: [], fullAccess: true };
const READS = { ...CAT, stdin: true };
const SLOW = { program: "sh", args: ["-c", "echo $$ > pid; exec cat"], fullAccess: true, stdin: true };

/** What a body tells that has `cp` and `write`, which spawns `cat` and writes to it. */
const using = (body: string): string => `(async () => { const cp = require("node:child_process");
  const write = (act) => new Promise((done) => { const c = cp.spawn("cat"); let out = ""; c.stdin.on("error", (e) => done([e.code, e.message]));
    c.on("error", (e) => done([e.code, e.message])); c.stdout.on("data", (part) => { out += part; }); c.on("close", () => done(out)); act(c); });
  ${body} })()`;

const WRITES = {
  "a part": using('return write((c) => c.stdin.end("secret"));'),
  "through a waiting call": using(
    'try { return String(cp.execFileSync("cat", { input: "secret" })); } catch (e) { return [e.code, e.message]; }',
  ),
  "an empty input": using(
    'try { return String(cp.execFileSync("cat", { input: "" })); } catch (e) { return [e.code, e.message]; }',
  ),
};

test.each(Object.entries(WRITES))(
  "an entry that does not say stdin lets no hook write to its program: %s",
  async (_claim, call) => {
    const { ask, errors, audit } = await startRunner([CAT], { write: call });
    expect(await ask("write")).toEqual([
      "NOT_GRANTED",
      expect.stringContaining("was not granted exec: cat (writing to its standard input)"),
    ]);
    expect(errors[0]?.wanted).toEqual({
      capability: "exec",
      grant: [{ program: "cat", args: [], stdin: true }].map(({ stdin, ...rest }) => ({
        ...rest,
        stdin,
        fullAccess: true,
      })),
    });
    expect(audit.filter(({ capability, outcome }) => capability === "exec" && outcome === "ok")).toEqual([]);
  },
);

test("a program that is not written to runs under an entry without stdin, and reads nothing", async () => {
  const { ask } = await startRunner([CAT], {
    run: using("return write(() => {});"),
    end: using("return write((c) => c.stdin.end());"),
  });
  expect([await ask("run"), await ask("end")]).toEqual(["", ""]);
});

test("stdin needs full access, and no grant without it covers one with it", () => {
  expect(faultOf({ program: "cat", args: [], stdin: true })).toMatch(/"stdin": true needs "fullAccess": true/);
  expect(faultOf(READS)).toBeUndefined();
  expect([execPower.covers([CAT], [READS]), execPower.covers([READS], [CAT])]).toEqual([false, true]);
  expect(execPower.meet([CAT], [READS])).toEqual([CAT]);
});

test("a part that comes after the turn of the spawn is an error that says what works", async () => {
  const { ask } = await startRunner([READS], {
    late: using('return write((c) => setTimeout(() => c.stdin.write("late"), 1));'),
  });
  expect(await ask("late")).toEqual([
    "ERR_FEATURE_UNAVAILABLE_ON_PLATFORM",
    expect.stringContaining("in the turn that spawns the program, or spawn it with { stdio: 'pipe' }"),
  ]);
});

const RAW = `const host = globalThis[Symbol.for("cordon.host")]; const put = (n, text = "x", end = false) => host.call("exec.write", [n, "utf8", text, end]).then(() => "taken", (e) => e.code);`;

test("a hook that writes past the module waits for its program, one part at a time, to eight of them", async () => {
  // It reads nothing until it is told to, so that a part that is more than a pipe holds is not taken before.
  const waits = { ...READS, program: "sh", args: ["-c", "until [ -e go ]; do sleep 0.1; done; exec wc -c"] };
  const { ask } = await startRunner([READS, waits, { program: "touch", args: ["go"], fullAccess: true }], {
    twice: `(async () => { ${RAW} const early = await put(1); const run = host.call("exec", ["sh", ${JSON.stringify(waits.args)}, { stdin: 1 }]); const first = put(1, "x".repeat(200_000)); const second = await put(1); await host.call("exec", ["touch", ["go"], {}]); const done = await first; await put(1, "y", true); return [early, second, done, (await run).stdout, await put(1)]; })()`,
    many: `(async () => { ${RAW} const runs = Array.from({ length: 9 }, (_, at) => host.call("exec", ["cat", [], { stdin: at + 10 }]).then((r) => r.stdout, (e) => e.code)); const same = await host.call("exec", ["cat", [], { stdin: 10 }]).catch((e) => e.message); const puts = await Promise.all(Array.from({ length: 9 }, (_, at) => put(at + 10, "x", true))); return [same, puts, await Promise.all(runs)]; })()`,
    wrong: `(async () => { ${RAW} return Promise.all([0, -1, 1.5, "1", null].map((n) => put(n).catch((e) => e.message))); })()`,
  });
  expect(await ask("twice")).toEqual(["EPIPE", "RATE_LIMITED", "taken", "200001\n", "EPIPE"]);
  const eight = <T>(one: T, ninth: T): T[] => [...Array<T>(8).fill(one), ninth];
  expect(await ask("many")).toEqual([
    "the input 10 is another program's",
    eight("taken", "EPIPE"),
    eight("x", "RATE_LIMITED"),
  ]);
  expect(await ask("wrong")).toEqual([null, null, null, null, null]);
});

test("a program that waits for input ends with its hook", async () => {
  const { ask, host, folder } = await startRunner([SLOW], {
    begin: using(
      `const c = cp.spawn("sh", ${JSON.stringify(SLOW.args)}, { stdio: "pipe" }); c.stdin.write("x"); const fs = require("node:fs"); await new Promise((done) => setTimeout(done, 300)); return "runs";`,
    ),
  });
  expect(await ask("begin")).toBe("runs");
  const pid = execFileSync("cat", [join(folder, "work", "pid")], { encoding: "utf8" }).trim();
  expect(existsSync(`/proc/${pid}`)).toBe(true);
  await host.close();
  await expect.poll(() => existsSync(`/proc/${pid}`)).toBe(false);
});

/** Spawns `cat` with an open input, acts, and tells what came out, its exit code, and the errors of the stream. */
const piped = (act: string): string =>
  using(`return new Promise((done) => { const c = cp.spawn("cat", { stdio: "pipe" }); let out = ""; const errors = [];
    const pause = (ms) => new Promise((later) => setTimeout(later, ms));
    c.stdin.on("error", (e) => errors.push(e.code)); c.on("error", (e) => done(e.code)); c.stdout.on("data", (part) => { out += part; });
    const closed = new Promise((ended) => c.on("close", ended));
    Promise.resolve((async () => { ${act} })()).then(async () => { const code = await closed; await pause(50); done([out, code, errors]); }); });`);

// biome-ignore format: a table
const LATE: readonly [claim: string, act: string, withGrant: string, refused: boolean][] = [
  ["a write while the program may run", 'await pause(1); c.stdin.end("late");', "late", true],
  ["a write after the program ended", 'await pause(300); c.stdin.end("late");', "late", true],
  ["several", 'await pause(50); c.stdin.write("one "); c.stdin.write("two "); await pause(50); c.stdin.end("three");', "one two three", true],
  ["a stream that is piped into it", 'await pause(50); require("node:stream").Readable.from(["a", "b"]).pipe(c.stdin);', "ab", true],
  ["an empty part", 'await pause(50); c.stdin.write(""); c.stdin.end();', "", true],
  ["an end in a later turn", "await pause(50); c.stdin.end();", "", false],
  ["an end in the same turn", "c.stdin.end();", "", false],
];
test.each(LATE)("an input that is asked for, and %s", async (_claim, act, withGrant, refused) => {
  const own = await startRunner([READS], { act: piped(act) });
  expect(await own.ask("act")).toEqual([withGrant, 0, []]);
  const { ask, errors, audit } = await startRunner([CAT], { act: piped(act) });
  expect(await ask("act")).toEqual(["", 0, refused ? ["NOT_GRANTED"] : []]);
  const wanted = { capability: "exec", grant: [READS] };
  expect(errors.map((error) => error.wanted)).toEqual(refused ? [wanted] : []);
  expect(audit.filter(({ capability }) => capability === "exec.write" && refused)).toEqual([]);
});

test("an input that is asked for and never used needs no grant, and the program reads its end", async () => {
  const { ask, errors } = await startRunner([CAT], { act: piped("") });
  expect(await ask("act")).toEqual(["", 0, []]);
  expect(errors).toEqual([]);
});

test("a program without any grant is proposed without input, whatever its hook may write later", async () => {
  const { ask, errors } = await startRunner([], { act: piped('await pause(10); c.stdin.end("late");') });
  expect(await ask("act")).toBe("NOT_GRANTED");
  expect(errors[0]?.wanted).toEqual({ capability: "exec", grant: [{ program: "cat", args: [] }] });
});

test("a hook that writes past the module to a closed input is told that it is closed, and its program reads nothing", async () => {
  const { ask } = await startRunner([{ program: "sh", args: ["-c", "sleep 0.3; cat"], fullAccess: true }], {
    put: `(async () => { ${RAW} const run = host.call("exec", ["sh", ["-c", "sleep 0.3; cat"], { stdin: 7, late: true }]); await new Promise((d) => setTimeout(d, 100)); const said = await put(7); return [said, (await run).stdout]; })()`,
    lie: `(async () => { ${RAW} const said = put(9); const run = host.call("exec", ["sh", ["-c", "sleep 0.3; cat"], { stdin: 9, late: true }]); return [await said, (await run).stdout]; })()`,
  });
  expect(await ask("put")).toEqual(["EPIPE", ""]);
  expect(await ask("lie")).toEqual(["EPIPE", ""]);
});

test("a revocation of what opened an input ends the program, also where a grant without input is left", async () => {
  const { ask, host, folder } = await startRunner([{ ...SLOW, stdin: false }], {
    begin: using(
      `const c = cp.spawn("sh", ${JSON.stringify(SLOW.args)}, { stdio: "pipe" }); await new Promise((done) => setTimeout(done, 300)); return "runs";`,
    ),
  });
  const [id = ""] = host.hooks.map((hook) => hook.id);
  expect(host.grants.question(id, "exec", [SLOW]).answer("always")).toBe(true);
  expect(await ask("begin")).toBe("runs");
  const pid = execFileSync("cat", [join(folder, "work", "pid")], { encoding: "utf8" }).trim();
  expect(existsSync(`/proc/${pid}`)).toBe(true);
  const entry = { capabilities: { events: { see: ["*"] } }, revokedAt: new Date().toISOString() };
  writeGrant(join(folder, "home", "grants.json"), id, entry);
  await expect.poll(() => existsSync(`/proc/${pid}`), { timeout: 5000 }).toBe(false);
  expect(host.grants.of(id).exec).toEqual([{ ...SLOW, stdin: false }]);
});
