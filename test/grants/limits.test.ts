import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { dangersOf } from "../../src/grants/dangers.ts";
import { grantOf } from "../../src/grants/grant.ts";
import { limitsOf, limitsStillAsked, tighter, USUAL_LIMITS, widerLimits } from "../../src/grants/limits.ts";
import type { Limits } from "../../src/grants/schema.ts";
import { hookLines } from "../../src/market/screen.ts";
import { Machine } from "../market/world.ts";
import { sampled } from "../support/length.ts";
import { onToolCall, startSession, writeFiles } from "../support/session.ts";

const ADD =
  "new Uint8Array([0,97,115,109,1,0,0,0,1,7,1,96,2,127,127,1,127,3,2,1,0,7,7,1,3,97,100,100,0,0,10,9,1,7,0,32,0,32,1,106,11])";
const ADDS = onToolCall(
  `return { block: true, reason: String(new WebAssembly.Instance(new WebAssembly.Module(${ADD})).exports.add(2, 3)) };`,
  "declare const WebAssembly: any;",
);
/** Where machine code can be told from data. */
const HOLDS_WITH_JIT = process.platform === "linux" && process.arch === "x64";

const some = fc.record(
  {
    memoryMb: fc.integer({ min: 8, max: 128 }),
    cpuMs: fc.integer({ min: 10, max: 2000 }),
    jit: fc.boolean(),
    eval: fc.boolean(),
    wasm: fc.boolean(),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<Limits>;

describe("limits beyond the usual ones", () => {
  test("what is wider and what is tighter are all of them, and the usual ones cover nothing wider", () => {
    fc.assert(
      fc.property(some, (limits) => {
        const wider = widerLimits(limits) ?? {};
        expect({ ...tighter(limits), ...wider }).toEqual(limits);
        expect(grantOf({ limits: tighter(limits) })).toMatchObject({ jit: false, eval: false, wasm: false });
        for (const name of ["memoryMb", "cpuMs"] as const)
          expect((wider[name] ?? Number.POSITIVE_INFINITY) > USUAL_LIMITS[name]).toBe(true);
      }),
    );
  });

  test("an update keeps none that the new version does not ask for, and all that a person made tighter", () => {
    fc.assert(
      fc.property(some, some, (had, asked) => {
        const kept = limitsStillAsked(had, { limits: asked });
        expect(limitsOf.covers(widerLimits(had), widerLimits(kept))).toBe(true);
        expect(limitsOf.covers(widerLimits(asked), widerLimits(kept))).toBe(true);
        expect(tighter(kept)).toMatchObject(tighter(had));
        expect(limitsStillAsked(had, undefined)).toEqual(had);
      }),
    );
  });

  const manifest = { limits: { wasm: true, jit: true, eval: true, memoryMb: 65, cpuMs: 1001 } };
  test("a manifest lifts none by itself, and makes any tighter", () => {
    expect(grantOf(undefined, manifest)).toMatchObject({ ...USUAL_LIMITS, jit: false, eval: false, wasm: false });
    expect(grantOf({ limits: manifest.limits })).toMatchObject(manifest.limits);
    expect(grantOf(undefined, { limits: { memoryMb: 63, cpuMs: 999 } })).toMatchObject({ memoryMb: 63, cpuMs: 999 });
  });
});

// biome-ignore format: a table
const DANGERS: readonly [limits: Limits, says: RegExp][] = [
  [{ wasm: true }, /runs WebAssembly.*JIT/],
  [{ jit: true }, /JIT/],
  [{ eval: true }, /nobody reviewed/],
  [{ memoryMb: 65 }, /65 MB/],
  [{ cpuMs: 1001 }, /1001 ms/],
];
test.each(sampled(DANGERS, 2))("%j is shown with its dangers, and what is usual with none", (limits, says) => {
  const said = dangersOf("limits", limits, {}).join("; ");
  expect(said).toMatch(says);
  expect(/no limit holds/.test(said)).toBe(says.source.includes("JIT") && !HOLDS_WITH_JIT);
  expect(dangersOf("limits", { memoryMb: 64, cpuMs: 1000, jit: false }, {})).toEqual([]);
});

// biome-ignore format: a table
const REFUSED: readonly [claim: string, body: string, limits: Limits | undefined, asked: Limits][] = [
  ["WebAssembly", `return { block: true, reason: String(new WebAssembly.Module(${ADD})) };`, undefined, { wasm: true }],
  ["code from strings", 'return { block: true, reason: String(new Function("return 1")()) };', undefined, { eval: true }],
  ["memory that its manifest asks for", "const all: any[] = []; for (;;) all.push(new Array(1e6).fill({}));", { memoryMb: 300 }, { memoryMb: 300 }],
  ["time that its manifest asks for", "for (;;) ;", { cpuMs: 1500 }, { cpuMs: 1500 }],
];
test.each(REFUSED)("a hook that fails for %s gets one line with the command", async (_claim, body, limits, asked) => {
  const source = onToolCall(body, "declare const WebAssembly: any;");
  const { call, errors, log } = await startSession({ gate: { source, ...(limits ? { manifest: { limits } } : {}) } });
  for (let time = 0; time < 2; time++) expect(await call()).toMatchObject({ block: true });
  const told = errors.filter(({ code }) => code === "NOT_GRANTED");
  expect(told).toMatchObject([{ wanted: { capability: "limits", grant: asked } }]);
  expect(told[0]?.error).toMatch(new RegExp(`cordon grant \\S+/gate\\.ts limits '${JSON.stringify(asked)}'`));
  expect(log.filter(({ text }) => /cordon grant \S+ limits/.test(text))).toEqual([]);
});

test("a hook that fails for memory that it never asked for gets no such line", async () => {
  const { call, errors } = await startSession({ gate: onToolCall("for (;;) ;") });
  await call();
  expect(new Set(errors.map(({ code }) => code))).toEqual(new Set(["CPU_EXCEEDED"]));
});

describe("limits that a person lifts in the agent", () => {
  test("hold from the next start of the hook on, and for the session only if they say so", async () => {
    const { host, call, folder } = await startSession({ gate: ADDS });
    const question = host.grants.question("gate", "limits", { wasm: true });
    expect(question.text).toContain("WebAssembly");
    question.answer("session");
    expect(await call()).toMatchObject({ reason: "WebAssembly is not defined" });
    await host.reload("gate");
    expect(await call()).toMatchObject({ reason: "5" });
    expect(host.grants.asShown("gate")).toMatchObject({ limits: { wasm: true } });
    expect(() => readFileSync(join(folder, "home", "grants.json"))).toThrow("ENOENT");
    host.grants.revoke("gate", "limits");
    await host.reload("gate");
    expect(await call()).toMatchObject({ reason: "WebAssembly is not defined" });
  });

  test("other bytes do not get them", async () => {
    const { host, call, folder } = await startSession({ gate: ADDS });
    host.grants.question("gate", "limits", { wasm: true }).answer("session");
    writeFileSync(join(folder, "hooks", "gate.ts"), ADDS.replace("String(", "typeof WebAssembly + String("));
    await host.reload("gate");
    expect(await call()).toMatchObject({ reason: "WebAssembly is not defined" });
  });

  test("for always are in the user's file, beside what was there", async () => {
    const { host, folder } = await startSession({ gate: ADDS });
    expect(host.grants.question("gate", "env", ["CI"]).answer("always")).toBe(true);
    expect(host.grants.question("gate", "limits", { wasm: true }).answer("always")).toBe(true);
    const stored = () => JSON.parse(readFileSync(join(folder, "home", "grants.json"), "utf8")).hooks.gate;
    expect(stored()).toMatchObject({ limits: { wasm: true }, capabilities: { env: ["CI"] } });
    host.grants.revoke("gate");
    expect(stored()).not.toHaveProperty("limits");
  });

  test.each([
    ["no more than usual", { memoryMb: 64 }],
    ["unknown", { threads: 4 }],
    ["out of range", { memoryMb: 100_000 }],
  ])("what is %s is refused", async (_claim, limits) => {
    const { host } = await startSession({ gate: ADDS });
    expect(() => host.grants.question("gate", "limits", limits)).toThrow("limits");
  });
});

test("the screen shows limits that are asked for, with their dangers and the author's reason", () => {
  const manifest = { limits: { wasm: true, memoryMb: 32 }, why: { limits: "parses with tree-sitter" } };
  const hook = {
    id: "gate",
    file: "index.ts",
    manifest,
    digest: "",
    sha256: "",
    builder: "",
    uses: [],
    lacks: [],
    settings: [],
    carries: false,
  };
  const seen = { state: "active", dialect: "pi", hears: ["tool_call"], calls: 4, blocks: [], refused: [], ms: 1 };
  const text = hookLines(hook, seen).map((line) => line.join(" ").trim());
  expect(text).toContain('asks for limits: {"wasm":true}');
  expect(text).toContain("! it runs WebAssembly");
  expect(text).toContain('"parses with tree-sitter"');
});

describe("the command line", () => {
  const asks = (limits: Limits, capabilities = {}) => ({ cordon: { hooks: ["./index.ts"], capabilities, limits } });
  const reason = async (machine: Machine) => (await machine.verdicts("ls")).said[0];

  test("add grants limits only by name, and an update that asks for more waits", { timeout: 120_000 }, async () => {
    const machine = new Machine();
    const from = machine.package("gate", asks({ wasm: true, cpuMs: 500 }), { "index.ts": ADDS });
    expect(await machine.install(from)).toContain('limits: {"wasm":true}');
    expect(await reason(machine)).toBe("WebAssembly is not defined");
    await machine.install(from, "limits");
    expect(machine.disk().grants.gate).toMatchObject({ limits: { wasm: true } });
    expect(machine.disk().lock.gate?.requested).toEqual({ limits: { wasm: true } });
    expect(await reason(machine)).toBe("5");

    machine.package("gate", { version: "2.0.0", ...asks({ wasm: true, eval: true }) }, { "index.ts": ADDS });
    const told = await machine.run(["update", "gate"]);
    expect([told.code, told.stdout]).toEqual([1, expect.stringContaining('asks also for limits: {"eval":true}')]);
    expect(await reason(machine)).toBe("5");

    machine.package("gate", { version: "2.0.0", ...asks({}) }, { "index.ts": ADDS });
    expect((await machine.run(["update", "gate"])).code).toBe(0);
    expect(machine.disk().grants.gate).not.toHaveProperty("limits");
    expect(await reason(machine)).toBe("WebAssembly is not defined");
  });

  test("check and trace name what a bundle needs, and what it is beside its grant", async () => {
    const machine = new Machine();
    const path = machine.file("gate.ts", ADDS);
    expect(await machine.json(["check", path])).toMatchObject({ needs: ["limits.wasm"] });
    const checked = await machine.run(["check", path]);
    expect(checked.stdout.replace(/\s+/g, " ")).toMatch(
      /unasked-power: limits\.wasm: .*cordon grant .*gate\.ts limits '\{"wasm":true\}'/,
    );
    expect(await machine.json(["trace", path])).toMatchObject({ limits: { wasm: true } });
    const other = machine.file("other.ts", onToolCall('ctx.ui.notify("WebAssembly is off", "info");'));
    expect(await machine.json(["check", other])).toMatchObject({ needs: [] });
    expect(await machine.json(["trace", other])).not.toHaveProperty("limits");
  });

  test("what lifts a limit asks a person, and what is no limit is refused before", async () => {
    const machine = new Machine();
    writeFiles(machine.home, { "agent/hooks/gate.ts": ADDS });
    const nobody = await machine.run(["grant", "gate", "limits", '{"wasm":true}']);
    expect([nobody.code, nobody.stderr]).toEqual([1, expect.stringContaining("needs a terminal")]);
    const wrong = await machine.run(["grant", "gate", "limits", '{"wsm":true}']);
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining("wasm?")]);
    const usual = await machine.run(["grant", "gate", "limits", '{"memoryMb":64}']);
    expect([usual.code, usual.stderr]).toEqual([1, expect.stringContaining("no more than every hook has")]);
    expect(machine.disk().grants).toEqual({});
  });

  test("a repository lifts nothing: neither its hook's manifest nor files of its own", async () => {
    const machine = new Machine();
    const limits = { wasm: true, eval: true, jit: true };
    const path = join(machine.work, ".pi", "hooks", "gate.ts");
    const entry = { capabilities: {}, limits };
    writeFiles(machine.work, {
      ".pi/hooks/gate.ts": ADDS,
      ".pi/hooks/gate.hook.json": JSON.stringify({ limits }),
      ".cordon/grants.json": JSON.stringify({ version: 1, hooks: { [path]: entry } }),
    });
    expect((await machine.host()).hooks).toMatchObject([{ state: "pending" }]);
    const { digest } = await machine.json<{ digest: string }>(["check", path]);
    writeFiles(machine.home, {
      "grants.json": JSON.stringify({ version: 1, hooks: { [path]: { digest, capabilities: {} } } }),
    });
    expect(await reason(machine)).toBe("WebAssembly is not defined");
  });
});
