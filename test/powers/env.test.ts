import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { HookHost } from "../../src/host/host.ts";
import type { Refusal } from "../../src/session/hook-error.ts";
import { startFacts } from "../guest/facts.ts";
import { sampled } from "../support/length.ts";
import { onToolCall, scriptedUi, startSession, temporaryFolder, writeFiles } from "../support/session.ts";
import type { Outcome } from "./env-agent.ts";
import { WAYS } from "./env-ways.ts";
import { SHELL } from "./exec-facts.ts";

afterEach(() => vi.unstubAllEnvs());

/** The agent's environment. */
function surroundings(): void {
  const set = { GR_A: "a", GR_B: "b", GRX: "x", ONE: "1", ONE_MORE: "no", EMPTY: "", SOME_API_KEY: "not-for-hooks" };
  for (const [name, value] of Object.entries(set)) vi.stubEnv(name, value);
}
const granted = (...env: string[]) => ({ grant: { capabilities: { env } } });
const GRANTED = granted("GR_*", "ONE", "EMPTY", "NOT_SET");

test.each([
  ["read", "return [process.env.GR_A, process.env['ONE'], process.env.EMPTY];", ["a", "1", ""]],
  [
    "looked for",
    'return ["GR_A", "EMPTY", "NOT_SET", "GR_NONE"].map((n) => n in process.env);',
    [true, true, false, false],
  ],
  ["listed", "return Object.keys(process.env).sort();", ["EMPTY", "GR_A", "GR_B", "ONE"]],
  [
    "walked through",
    "const seen = []; for (const n in process.env) seen.push(n); return seen.sort();",
    ["EMPTY", "GR_A", "GR_B", "ONE"],
  ],
  ["spread", "return { ...process.env };", { EMPTY: "", GR_A: "a", GR_B: "b", ONE: "1" }],
  [
    "destructured",
    "const { GR_A, ONE, ...rest } = process.env; return [GR_A, ONE, rest];",
    ["a", "1", { EMPTY: "", GR_B: "b" }],
  ],
  ["serialised", "return Object.entries({ ...process.env }).length;", 4],
])("granted names and prefixes are visible when process.env is %s", async (_way, body, expected) => {
  surroundings();
  const { ask, errors } = await startFacts({ seen: body }, GRANTED);
  expect(await ask("seen")).toEqual(expected);
  expect(errors).toEqual([]);
});

test("other names are absent: names without a grant, longer and shorter ones, other letters", async () => {
  surroundings();
  const names = ["SOME_API_KEY", "ONE_MORE", "ON", "GRX", "GR", "gr_a", "PATH", "HOME", "NOT_ANYWHERE"];
  const { ask } = await startFacts(
    { seen: `return ${JSON.stringify(names)}.map((n) => [process.env[n] === undefined, n in process.env]);` },
    GRANTED,
  );
  expect(await ask("seen")).toEqual(names.map(() => [true, false]));
});

test("a read that was not granted is reported once, with the remedy, and audited", async () => {
  surroundings();
  const facts = { read: "return process.env.SOME_API_KEY ?? null;", look: 'return "SOME_API_KEY" in process.env;' };
  const { ask, errors, audit } = await startFacts(facts);
  expect([await ask("read"), await ask("read"), await ask("look")]).toEqual([null, null, false]);
  expect(errors).toMatchObject([{ code: "NOT_GRANTED", event: "tool_call" }]);
  expect(errors[0]?.error).toMatch(
    /^hook teller .*env: SOME_API_KEY; add "env": \["SOME_API_KEY"\] to the grant that its host gives it/,
  );
  expect(audit).toContainEqual(
    expect.objectContaining({ hook: "teller", capability: "env.get", value: "SOME_API_KEY", outcome: "NOT_GRANTED" }),
  );
  expect(JSON.stringify(audit)).not.toContain("not-for-hooks");
});

test("a granted read is audited with its name and without its value", async () => {
  surroundings();
  const { ask, audit } = await startFacts({ read: "return process.env.SOME_API_KEY;" }, granted("SOME_API_KEY"));
  expect(await ask("read")).toBe("not-for-hooks");
  expect(audit).toContainEqual(expect.objectContaining({ value: "SOME_API_KEY", outcome: "allowed" }));
  expect(JSON.stringify(audit)).not.toContain("not-for-hooks");
});

const COMMON = ["CI", "COLORTERM", "DEBUG", "FORCE_COLOR", "NODE_DEBUG", "NODE_ENV", "NO_COLOR", "TERM"];
test("names that many programs read cause no report, and are visible only with a grant", async () => {
  for (const name of COMMON) vi.stubEnv(name, "set");
  const body = `return ${JSON.stringify(COMMON)}.map((n) => process.env[n] ?? null);`;
  const without = await startFacts({ read: body });
  expect(await without.ask("read")).toEqual(COMMON.map(() => null));
  expect(without.errors).toEqual([]);
  const having = await startFacts({ read: body }, granted("CI", "NO_*"));
  expect(await having.ask("read")).toEqual(COMMON.map((name) => (name === "CI" || name === "NO_COLOR" ? "set" : null)));
});

test("properties of Object.prototype are not variables and cause no question", async () => {
  const body = `const e: any = process.env; JSON.stringify(e); await e; try { String(e); } catch {} [e.constructor, e.hasOwnProperty, e.__proto__]; console.log(e); return 1;`;
  const { ask, errors } = await startFacts({ read: body }, GRANTED);
  await ask("read");
  expect(errors.map(({ error }) => error)).toEqual([]);
});

test("a hook's changes of process.env are its own: the host, other hooks and programs never see them", async () => {
  surroundings();
  const change = `Object.assign(process.env, { OWN: "mine", GR_A: "changed", PATH: "/nowhere", LD_PRELOAD: "/x.so", NODE_OPTIONS: "--x", GIT_DIR: "/x" }); delete process.env.HOME; delete process.env.GR_B;`;
  const shown = `execFileSync("sh", ["-c", "env; echo; ls / | head -n 1"], { encoding: "utf8" })`;
  const top = 'import { execFileSync } from "node:child_process";';
  const before = JSON.stringify(process.env);
  const { log, call } = await startSession({
    writer: {
      source: onToolCall(
        `${change} console.log(JSON.stringify([process.env.OWN, process.env.GR_A, process.env.GR_B ?? null, ${shown}]));`,
        top,
      ),
      grant: { capabilities: { env: ["GR_*"], exec: SHELL } },
    },
    reader: {
      source: onToolCall("console.log(JSON.stringify([process.env.OWN ?? null, process.env.GR_A, process.env.GR_B]));"),
      grant: { capabilities: { env: ["GR_*", "OWN"] } },
    },
  });
  await call();
  const [own, changed, gone, output] = JSON.parse(log.find(({ hook }) => hook === "writer")?.text ?? "[]");
  expect([own, changed, gone]).toEqual(["mine", "changed", null]);
  expect(output).toContain(`HOME=${process.env.HOME}`);
  for (const text of ["OWN=", "GR_A", "/nowhere", "LD_PRELOAD", "NODE_OPTIONS", "GIT_DIR"])
    expect(output).not.toContain(text);
  expect(JSON.parse(log.find(({ hook }) => hook === "reader")?.text ?? "[]")).toEqual([null, "a", "b"]);
  expect(JSON.stringify(process.env)).toBe(before);
});

test("nobody is asked about a variable that is not set, nor told of it: no answer would change what the hook gets", async () => {
  surroundings();
  const asked: string[] = [];
  const refused: unknown[] = [];
  const consent = ({ value }: { value: string }) => {
    asked.push(value);
    return "session" as const;
  };
  const body = "return [process.env.NOT_SET ?? null, 'NOT_SET' in process.env, process.env.ONE ?? null];";
  const options = { ui: scriptedUi(), consent, onRefused: ({ wanted }: Refusal) => refused.push(wanted?.grant) };
  const { ask, errors, audit } = await startFacts({ read: body }, options);
  expect(await ask("read")).toEqual([null, false, null]);
  await expect.poll(() => asked).toEqual(["ONE"]);
  expect(errors.map(({ error }) => error)).toEqual([expect.stringContaining("env: ONE")]);
  // What tries a hook out hears of it.
  expect(refused).toEqual([["NOT_SET"], ["ONE"]]);
  expect(audit).toContainEqual(expect.objectContaining({ value: "NOT_SET", outcome: "NOT_GRANTED" }));
});

test("a variable that a person allowed is visible at the next read", async () => {
  surroundings();
  const asked: string[] = [];
  const consent = ({ value }: { value: string }) => {
    asked.push(value);
    return "session" as const;
  };
  const { ask } = await startFacts({ read: "return process.env.ONE ?? null;" }, { ui: scriptedUi(), consent });
  expect(await ask("read")).toBe(null);
  await expect.poll(() => asked).toEqual(["ONE"]);
  expect(await ask("read")).toBe("1");
});

test("a name of any length reads as an unset variable, and the sandbox survives", async () => {
  const { ask, errors } = await startFacts({ read: 'return process.env["A".repeat(10_000)] ?? null;' }, GRANTED);
  expect(await ask("read")).toBe(null);
  expect(errors.map(({ code }) => code)).not.toContain("PROTOCOL_VIOLATION");
});

const BAD: [name: string, env: unknown][] = [
  ...["", "*", "**", "A*B", "*A", "A**", "A?", "A B", "1A", "A=B", "$A", "A-B", "A.B", "É", "A\n", "A\0", " A"].map(
    (name): [string, unknown] => [JSON.stringify(name), [name]],
  ),
  ["a valid and an invalid name", ["A", "B C"]],
  ["a name of 129 letters", ["A".repeat(129)]],
  ["more than 200 names", Array(201).fill("A")],
  ["a text", "A"],
  ["a number", [5]],
  ["an object", { A: true }],
];

describe("a grant with an invalid name is BAD_GRANT", () => {
  test.each(sampled(BAD))("%s", async (_name, env) => {
    const grant = { capabilities: { env } } as never;
    await expect(startSession({ a: { source: onToolCall(""), grant } })).rejects.toMatchObject({ code: "BAD_GRANT" });
  });

  test("also in a file, which the error names", async () => {
    const folder = temporaryFolder();
    writeFiles(folder, {
      "a.ts": onToolCall(""),
      "grants.json": JSON.stringify({ version: 1, hooks: { a: { capabilities: { env: ["A B"] } } } }),
    });
    const hooks = [{ path: join(folder, "a.ts"), id: "a" }];
    const options = { cwd: folder, home: join(folder, "home"), discover: false, hooks, log: () => {} };
    await expect(HookHost.start({ ...options, grantsFile: join(folder, "grants.json") })).rejects.toMatchObject({
      code: "BAD_GRANT",
      message: expect.stringMatching(/grants\.json.*A B/),
    });
  });
});

// `cat /proc/<number of the agent's process>/environ` shows the agent's whole environment.
test.each(["cat", "head", "tail", "wc"])("%s with free text needs full access in its grant", async (program) => {
  for (const args of [
    [{ kind: "text" as const }],
    [{ rest: "text" as const }],
    ["-n", "1", { rest: "text" as const }],
  ]) {
    const grant = { capabilities: { exec: [{ program, args }] } };
    await expect(startSession({ a: { source: onToolCall(""), grant } })).rejects.toMatchObject({ code: "BAD_GRANT" });
  }
});

describe("an API key in the agent's environment cannot be reached by", () => {
  const SECRET = "sk-ant-cordon-test-0123456789";
  const control = {
    name: "control",
    body: "return process.env.ANTHROPIC_API_KEY;",
    powers: { env: ["ANTHROPIC_*"] },
    gets: `found ${SECRET}`,
  };
  let outcomes: Outcome[] | undefined;
  function outcomeOf(number: number): Outcome {
    if (!outcomes) {
      const folder = temporaryFolder();
      const ways = [...WAYS, control].map(({ name, body, top, powers }: Partial<(typeof WAYS)[number]>) => ({
        name,
        body,
        top,
        powers,
      }));
      writeFileSync(join(folder, "ways.json"), JSON.stringify(ways));
      const program = [join(import.meta.dirname, "env-agent.ts"), folder];
      const env = { ...process.env, ANTHROPIC_API_KEY: SECRET, OPENAI_API_KEY: SECRET };
      outcomes = JSON.parse(execFileSync(process.execPath, ["--no-warnings", ...program], { env, encoding: "utf8" }));
    }
    return outcomes?.[number] as Outcome;
  }

  test.each(WAYS.map((way, number) => ({ ...way, number })))("$name", ({ number, gets }) => {
    const { found, told } = outcomeOf(number);
    expect(found).toEqual(typeof gets === "string" ? gets : expect.stringMatching(gets));
    expect(found + told).not.toContain(SECRET);
  });

  test("nothing but a grant, which makes it visible", () => {
    expect(outcomeOf(WAYS.length).found).toBe(control.gets);
  });
});
