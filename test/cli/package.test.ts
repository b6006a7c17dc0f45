import { execFileSync, spawnSync } from "node:child_process";
import {
  existsSync,
  globSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { PACKAGE_ROOT } from "../../src/base/package-root.ts";
import { runtimeIn } from "../support/runtime.ts";

/** What an embedder's project gets at most: packages that npm installs, Cordon among them, and bytes of files and folders. */
const MOST = { packages: 5, bytes: 25 * 1024 * 1024 };

/** OpenTelemetry is asked for, and its SDK is not there: all works without. */
const OTEL = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9" };

/** A home without a runtime, a project that has nothing but the packed package, and a runtime as `cordon runtime install` lays it out. */
const place = realpathSync(mkdtempSync(join(tmpdir(), "cordon-package-")));
const [home, runtime, folder] = ["home", "runtime", "consumer"].map((name) => join(place, name)) as [
  string,
  string,
  string,
];
mkdirSync(folder);
afterAll(() => rmSync(place, { recursive: true, force: true }));
runtimeIn(runtime);

/** Of the machine, with this repository's Node 26 first on PATH. */
function environment(more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const path = [
    dirname(process.execPath),
    ...(process.env.PATH ?? "").split(delimiter).filter((entry) => !entry.startsWith(PACKAGE_ROOT)),
  ].join(delimiter);
  const kept = Object.entries(process.env).filter(([name]) => !/^(npm_|CORDON_)/.test(name));
  return { ...Object.fromEntries(kept), PATH: path, CORDON_HOME: home, ...OTEL, ...more };
}

function npm(args: string[], cwd: string): string {
  // A registry that does not answer would stop the whole test run: nothing interrupts a blocking call.
  return execFileSync("npm", args, {
    cwd,
    env: environment(),
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    timeout: 120_000,
  });
}

/** Bytes of all files and folders below one; a file with two names counts once. */
function bytesOf(folder: string): number {
  const seen = new Map(
    globSync("**", { cwd: folder }).map((path) => {
      const { ino, size } = lstatSync(join(folder, path));
      return [ino, size];
    }),
  );
  return [...seen.values()].reduce((sum, size) => sum + size, 0);
}

const cordon = (args: string[], more: NodeJS.ProcessEnv = {}) => {
  const program = join(folder, "node_modules", ".bin", "cordon");
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd: folder,
    env: environment(more),
    encoding: "utf8",
  });
  return { status, stdout, stderr };
};
const run = (source: string): string =>
  execFileSync(process.execPath, ["--input-type=module", "--eval", source], {
    cwd: folder,
    env: environment({ CORDON_RUNTIME: runtime }),
    encoding: "utf8",
  }).trim();

beforeAll(() => {
  const [packed] = JSON.parse(npm(["pack", "--json", "--ignore-scripts", "--pack-destination", folder], PACKAGE_ROOT));
  writeFileSync(join(folder, "package.json"), '{"name":"consumer","private":true,"type":"module"}');
  npm(["install", "--no-audit", "--no-fund", join(folder, packed.filename)], folder);
}, 180_000);

test("it brings few packages and bytes, no addon and no node", () => {
  const [, ...packages] = npm(["ls", "--all", "--parseable"], folder).trim().split("\n");
  expect(packages.length).toBeLessThanOrEqual(MOST.packages);
  expect(bytesOf(join(folder, "node_modules"))).toBeLessThanOrEqual(MOST.bytes);
  for (const name of ["isolated-vm", "@opentelemetry"])
    expect(existsSync(join(folder, "node_modules", name))).toBe(false);
  expect(readdirSync(join(folder, "node_modules", ".bin"))).not.toContain("node");
});

test("without a runtime, commands and hosts name the one that fetches it", () => {
  writeFileSync(join(folder, "gate.ts"), "export default (pi) => pi.on('tool_call', () => undefined);");
  const said = /^cordon: .*no sandbox runtime: .*not installed; run: cordon runtime install\n$/;
  for (const args of [["demo"], ["check", "gate.ts"]])
    expect(cordon(args)).toMatchObject({ status: 1, stderr: expect.stringMatching(said) });
  const verdict = run(
    `import { HookHost } from "cordon";
    delete process.env.CORDON_RUNTIME;
    const host = await HookHost.start({ cwd: process.cwd(), hooks: ["./gate.ts"], discover: false });
    console.log(JSON.stringify(await host.emitToolCall({ type: "tool_call", toolName: "bash", toolCallId: "1", input: {} })));
    await host.close();`,
  );
  expect(JSON.parse(verdict)).toMatchObject({ block: true, reason: expect.stringContaining("cordon runtime install") });
});

test("with a runtime it runs its demo", { timeout: 300_000 }, () => {
  const { stdout } = cordon(["demo"], { CORDON_RUNTIME: runtime });
  expect(stdout).toContain("intact: 7 of 7");
});

test("what stands in the place of a git that another one would start can be run, and fails", () => {
  const git = join(folder, "node_modules", "cordon", "dist", "src", "no-git", "git");
  expect(spawnSync(git, ["fetch"], { input: "one\ntwo" }).status).toBe(1);
});

test("each entry of the package loads with nothing but the package", () => {
  const { exports } = JSON.parse(readFileSync(join(PACKAGE_ROOT, "package.json"), "utf8"));
  const entries = Object.keys(exports).filter((name) => !name.endsWith(".json"));
  const names = entries.map((name) => name.replace(".", "cordon"));
  const loaded = run(
    `const all = []; for (const name of ${JSON.stringify(names)}) all.push([name, Object.keys(await import(name)).length > 0]); console.log(JSON.stringify(all));`,
  );
  expect(JSON.parse(loaded)).toEqual(names.map((name) => [name, true]));
});

test("each part of its library is there", () => {
  expect(
    run(
      'import { HookHost, wrapToolsWithHooks } from "cordon";\nimport { isBashToolResult } from "cordon/hooks";\nimport { testHook } from "cordon/testing";\nimport { withCordon } from "cordon/ai";\nimport { cordon as langchain } from "cordon/langchain";\nimport { cordon as strands } from "cordon/strands";\nconsole.log([HookHost, wrapToolsWithHooks, isBashToolResult, testHook, withCordon, langchain, strands].map((it) => typeof it).join());\n',
    ),
  ).toBe(Array(7).fill("function").join());
});

const PROGRAM = `
import { CordonError, HookHost, wrapToolsWithHooks } from "cordon";
import type { HookAPI } from "cordon/hooks";
import { testHook } from "cordon/testing";
import { withCordon } from "cordon/ai";
import { createInterceptorRegistry } from "cordon/interceptors";
import { cordon as langchain } from "cordon/langchain";
import pi from "cordon/pi";
import { cordon as strands } from "cordon/strands";

export default (api: HookAPI) => {
  api.on("tool_call", async ({ toolName }) => ({ block: true, reason: toolName }));
};
const host: HookHost = await HookHost.start({ cwd: "/", hooks: [] });
console.log(host, CordonError, createInterceptorRegistry, langchain, pi, strands, testHook, withCordon, wrapToolsWithHooks);
// @ts-expect-error The types are there, and strict.
await HookHost.start({ cwd: 1 });
`;

test("its types need nothing but Node's", () => {
  const types = join(folder, "node_modules", "@types");
  mkdirSync(types, { recursive: true });
  symlinkSync(join(PACKAGE_ROOT, "node_modules", "@types", "node"), join(types, "node"));
  writeFileSync(join(folder, "program.ts"), PROGRAM);
  const compilerOptions = { strict: true, noEmit: true, target: "es2024", module: "nodenext", types: ["node"] };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["program.ts"] }));
  const tsc = join(PACKAGE_ROOT, "node_modules", ".bin", "tsc");
  const { stdout } = spawnSync(tsc, ["-p", folder], { encoding: "utf8" });
  expect(stdout).toBe("");
});

test("it lists each package whose code it has, with its licence", () => {
  const text = readFileSync(join(folder, "node_modules", "cordon", "dist", "LICENCES.md"), "utf8");
  const sections = text.split(/^(?=## )/m).slice(1);
  for (const name of ["pacote", "sigstore", "@npmcli/arborist", "commander", "ws", "zod", "typebox", "comlink"])
    expect(text).toMatch(new RegExp(`^## ${name} [\\d.]+ \\([\\w.-]+\\)$`, "m"));
  expect(sections.filter((one) => one.includes("(undefined)"))).toEqual([]);
  expect(sections.at(-1)).toMatch(/\w{3}/);
});
