import { copyFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { PACKAGE_ROOT } from "../../src/base/package-root.ts";
import { hookFolder, startFolder } from "../bundle/hook-folder.ts";
import { sampled } from "../support/length.ts";
import { needs } from "../support/needs.ts";
import { onToolCall, startSession, type TestSession } from "../support/session.ts";

/** Modules as bytes: one adds two numbers, one never ends. */
const ADD =
  "new Uint8Array([0,97,115,109,1,0,0,0,1,7,1,96,2,127,127,1,127,3,2,1,0,7,7,1,3,97,100,100,0,0,10,9,1,7,0,32,0,32,1,106,11])";
const LOOP = "new Uint8Array([0,97,115,109,1,0,0,0,1,4,1,96,0,0,3,2,1,0,7,5,1,1,102,0,0,10,9,1,7,0,3,64,12,0,11,11])";

const gate = (body: string, limits: object) => ({
  source: onToolCall(
    `let told: any; try { told = await (async () => { ${body} })(); } catch (error: any) { told = error.name + ": " + error.message; } return { block: true, reason: JSON.stringify(told) };`,
    "declare const WebAssembly: any;",
  ),
  grant: { limits },
});

async function reasonOf(call: TestSession["call"]): Promise<string | undefined> {
  const verdict = await call();
  return verdict && "reason" in verdict ? verdict.reason : undefined;
}

// biome-ignore format: a table
const WORKS: readonly [claim: string, body: string, told: unknown][] = [
  ["a module is compiled and run", `return new WebAssembly.Instance(new WebAssembly.Module(${ADD})).exports.add(2, 3);`, 5],
  ["with promises", `const { instance, module } = await WebAssembly.instantiate(${ADD}); const again = await WebAssembly.instantiate(await WebAssembly.compile(${ADD}), {}); return [instance.exports.add(1, 1), module instanceof WebAssembly.Module, again.exports.add(2, 2)];`, [2, true, 4]],
  ["what is no module rejects", `return WebAssembly.instantiate(new Uint8Array([0])).catch((error: any) => [error instanceof WebAssembly.CompileError]);`, [true]],
  ["nothing comes over the network", `return [typeof WebAssembly.compileStreaming, typeof WebAssembly.instantiateStreaming];`, ["undefined", "undefined"]],
];
test.each(sampled(WORKS, 2))("with limits.wasm %s", async (_claim, body, told) => {
  const { call } = await startSession({ gate: gate(body, { wasm: true }) });
  expect(JSON.parse((await reasonOf(call)) ?? "null")).toEqual(told);
});

test.each([{}, { jit: true }, { eval: true }])("%j does not turn WebAssembly on", async (limits) => {
  const { call } = await startSession({ gate: gate("return typeof WebAssembly;", limits) });
  expect(await reasonOf(call)).toBe('"undefined"');
});

/** With enough CPU time to end as they do. */
const ENDS: readonly [claim: string, body: string, code: string, cpuMs: number][] = [
  ["an endless loop", `new WebAssembly.Instance(new WebAssembly.Module(${LOOP})).exports.f();`, "CPU_EXCEEDED", 500],
  [
    "tables without end",
    `const table = new WebAssembly.Table({ element: "anyfunc", initial: 1 }); for (;;) table.grow(1e6);`,
    "OUT_OF_MEMORY",
    20_000,
  ],
  ["compiling without end", `for (;;) new WebAssembly.Module(${ADD});`, "CPU_EXCEEDED", 500],
];
test.each(sampled(ENDS, 2))("%s ends the hook, and blocks the call", async (_claim, body, code, cpuMs) => {
  const { call, errors } = await startSession({ gate: gate(body, { wasm: true, cpuMs }), other: onToolCall("") });
  expect(await call()).toMatchObject({ block: true, reason: expect.stringContaining(code) });
  expect(errors.map((error) => [basename(error.hookPath), error.code])).toContainEqual(["gate.ts", code]);
  expect(errors.filter((error) => basename(error.hookPath) !== "gate.ts")).toEqual([]);
});

/** Each fills all that it gets, and says how many MB that were. */
const BOMBS: readonly [claim: string, body: string][] = [
  [
    "one memory",
    "const memory = new WebAssembly.Memory({ initial: 1 }); let mb = 0; for (;;) { try { memory.grow(16); } catch { return mb; } new Uint8Array(memory.buffer).fill(1); mb++; }",
  ],
  [
    "many memories",
    "const all: any[] = []; for (;;) { try { all.push(new WebAssembly.Memory({ initial: 16 })); } catch { return all.length; } new Uint8Array(all.at(-1).buffer).fill(1); }",
  ],
  ["a memory of 4 GB", "try { new WebAssembly.Memory({ initial: 65536 }); } catch { return 0; } return 4096;"],
];
test(
  "memory counts as the heap does",
  needs((process.platform !== "linux" || process.arch !== "x64") && "Linux on x64"),
  async () => {
    for (const [claim, body] of BOMBS) {
      const { call, host } = await startSession({ gate: gate(body, { wasm: true, cpuMs: 20_000, memoryMb: 64 }) });
      const said = (await reasonOf(call)) ?? "";
      // It may need memory itself when there is none left.
      if (!said.includes("OUT_OF_MEMORY")) expect(Number(said), claim).toBeLessThanOrEqual(200);
      await host.close();
    }
    const { call } = await startSession({
      gate: gate(BOMBS[0]?.[1] as string, { wasm: true, cpuMs: 20_000, memoryMb: 256 }),
    });
    expect(Number(await reasonOf(call))).toBeGreaterThan(256);
  },
);

test("a program that emscripten made runs, from the hook's own files", async () => {
  const folder = hookFolder({
    "index.ts": `import { readFileSync } from "node:fs";
import create from "./doom.cjs";
export default (pi: any) => pi.on("tool_call", async () => {
  const wasmBinary = readFileSync(new URL("./doom.wasm", import.meta.url));
  const doom = await create({ wasmBinary, noInitialRun: true, print() {}, printErr() {} });
  const at = doom._malloc(16);
  doom.setValue(at, 42, "i32");
  return { block: true, reason: [doom._DG_GetScreenWidth(), doom._DG_GetScreenHeight(), doom.getValue(at, "i32")].join(" ") };
});`,
  });
  const build = join(
    PACKAGE_ROOT,
    "node_modules/@earendil-works/pi-coding-agent/examples",
    "extensions",
    "doom-overlay",
    "doom",
    "build",
  );
  copyFileSync(join(build, "doom.js"), join(folder, "hook", "doom.cjs"));
  copyFileSync(join(build, "doom.wasm"), join(folder, "hook", "doom.wasm"));
  const capabilities = { fs: { read: [join(folder, "hook", "doom.wasm")] } };
  const session = await startFolder(folder, "index.ts", {}, { grant: { capabilities, limits: { wasm: true } } });
  expect(await session.reason(), JSON.stringify(session.errors)).toBe("640 400 42");
});
