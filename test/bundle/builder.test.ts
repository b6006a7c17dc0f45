import { readdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { MAX_BUNDLE_BYTES } from "../../sandbox/wire/messages.ts";
import { buildHook } from "../../src/bundle/build.ts";
import { eventually } from "../support/eventually.ts";
import { sampled } from "../support/length.ts";
import { needsTime } from "../support/needs.ts";
import { onToolCall, startSession } from "../support/session.ts";
import { UNHURRIED } from "../support/unhurried.ts";
import { answering, hookFolder, startFolder } from "./hook-folder.ts";
import { watching } from "./processes.ts";

const MB = 1024 * 1024;

function doublingEnum(start: string): string {
  const members = Array.from({ length: 28 }, (_, n) => `b${n} = ${n === 0 ? "a + a" : `b${n - 1} + b${n - 1}`}`);
  return `enum E { a = "${start}", ${members.join(", ")} }\nexport default () => E;`;
}

const killers = [
  { name: "an enum whose members double", source: doublingEnum("x".repeat(64)) },
  {
    name: "a const enum of templates that double",
    source: `const ${doublingEnum("y".repeat(64)).replace(/(b\d+) \+ b\d+/g, "`${$1}${$1}`")}`,
  },
  { name: "1.2 MB of parentheses", source: `export default ${"(".repeat(1_200_000)}` },
  { name: "1.2 MB of matched parentheses", source: `export default ${"(".repeat(600_000)}1${")".repeat(600_000)}` },
  { name: "1.2 MB of brackets", source: `export default ${"[".repeat(1_200_000)}` },
  { name: "1.2 MB of minus signs", source: `export default ${"- ".repeat(600_000)}1` },
];

test.each(sampled(killers, 3))(
  "a build that exhausts the builder fails only its hook and leaves nothing: $name",
  async ({ source }) => {
    const { value, seen, left } = await watching(() =>
      startSession({ bomb: source, gate: onToolCall('return { block: true, reason: "from the gate" };') }),
    );
    const { host, errors, call } = value;
    expect(host.hooks).toMatchObject([
      { id: "bomb", state: "failed" },
      { id: "gate", state: "active" },
    ]);
    const verdict = await call();
    expect(verdict).toMatchObject({ block: true, hook: "bomb", reason: expect.stringContaining("(LOAD_FAILED)") });
    expect(errors.filter((error) => error.code !== "LOAD_FAILED")).toEqual([]);
    await host.close();
    if (process.platform !== "linux") return;
    expect(seen.size).toBeGreaterThan(0);
    await eventually(() => expect(left()).toEqual([]));
  },
  120_000,
);

test.each(["日", "x"])(
  "a bundle of 16 MB with %s in it runs; one byte more is BUNDLE_TOO_LARGE",
  { ...needsTime(), timeout: 120_000 },
  async (letter) => {
    const source = (length: number): string =>
      answering("text.length", `const one = "${letter}"; const text: string = one + "${"x".repeat(length - 1)}";`);
    const folder = hookFolder({ "index.ts": source(1000) });
    const path = join(folder, "hook", "index.ts");
    // A character beyond Latin makes two bytes of each in memory.
    const start = () =>
      startFolder(folder, "index.ts", {}, { grant: { limits: { ...UNHURRIED, memoryMb: letter === "x" ? 64 : 128 } } });
    const first = await start();
    const around = bundleSize(folder, first.hook().digest as string) - 1000;
    await first.host.close();

    writeFileSync(path, source(MAX_BUNDLE_BYTES - around));
    const atLimit = await start();
    expect(atLimit.hook().state, atLimit.hook().reason).toBe("active");
    expect(await atLimit.reason()).toBe(String(MAX_BUNDLE_BYTES - around));
    await atLimit.host.close();

    // It is built without its spaces then.
    writeFileSync(path, source(MAX_BUNDLE_BYTES - around + 1));
    const denser = await start();
    const least = bundleSize(folder, denser.hook().digest as string) - (MAX_BUNDLE_BYTES - around + 1);
    expect(least).toBeLessThan(around);
    await denser.host.close();

    writeFileSync(path, source(MAX_BUNDLE_BYTES - least));
    const densest = await start();
    expect(densest.hook().state, densest.hook().reason).toBe("active");
    await densest.host.close();

    writeFileSync(path, source(MAX_BUNDLE_BYTES - least + 1));
    const over = await start();
    expect(over.hook()).toMatchObject({ state: "failed", reason: expect.stringContaining(String(MAX_BUNDLE_BYTES)) });
    expect(await over.reason()).toContain("BUNDLE_TOO_LARGE");
  },
);

test("a build that computes without end is stopped, and one that waits is not", {
  ...needsTime(),
  timeout: 300_000,
}, async () => {
  const folder = hookFolder({ "index.ts": answering("1") });
  const request = { root: join(folder, "hook"), entry: "index.ts" };
  // A Node that computes, and one that stands still for longer than the limit of CPU time allows to compute.
  const program = (body: string): string => {
    const path = join(folder, `node-${body.length}`);
    writeFileSync(path, `#!/bin/sh\n${body}\n`, { mode: 0o755 });
    return path;
  };
  const started = performance.now();
  const waits = buildHook(program(`sleep 33; exec ${process.execPath} "$@"`), request);
  await expect(buildHook(program("while :; do :; done"), request)).rejects.toThrow("more than 30 s of CPU time");
  expect((await waits).ok).toBe(true);
  expect(performance.now() - started).toBeGreaterThan(33_000);
});

test("many files that are too large in total are BUNDLE_TOO_LARGE", async () => {
  const parts = Array.from({ length: 17 }, (_, n) => [`part${n}.ts`, `export const part${n} = "${"x".repeat(MB)}";`]);
  const imports = parts.map((_, n) => `import { part${n} } from "./part${n}";`).join("\n");
  const folder = hookFolder({
    "index.ts": answering(`[${parts.map((_, n) => `part${n}`).join(", ")}].length`, imports),
    ...Object.fromEntries(parts),
  });
  const { reason } = await startFolder(folder);
  expect(await reason()).toContain("BUNDLE_TOO_LARGE");
});

test("a file of terabytes is not read", async () => {
  const folder = hookFolder({ "index.ts": answering("1", 'import "./huge";'), "huge.ts": "" });
  truncateSync(join(folder, "hook", "huge.ts"), 2 ** 40);
  const { hook } = await startFolder(folder);
  expect(hook()).toMatchObject({ state: "failed", reason: expect.stringMatching(/huge\.ts.*larger than/) });
});

test("a build sees none of the agent's environment", async () => {
  vi.stubEnv("NODE_OPTIONS", "--require=./no-such-file.cjs");
  vi.stubEnv("NODE_PATH", "/");
  vi.stubEnv("ESBUILD_BINARY_PATH", "/no/such/esbuild");
  const { hook, reason } = await startFolder(hookFolder({ "index.ts": answering("1") }));
  vi.unstubAllEnvs();
  expect(hook().state, hook().reason).toBe("active");
  expect(await reason()).toBe("1");
});

function bundleSize(folder: string, digest: string): number {
  const bundles = join(folder, "home", "bundles");
  const name = readdirSync(bundles).find((file) => file.startsWith(digest)) as string;
  const kept = JSON.parse(readFileSync(join(bundles, name), "utf8"));
  return Buffer.byteLength(JSON.parse(kept.bundle).code);
}
