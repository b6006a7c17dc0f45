import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { expect, test } from "vitest";
import { PACKAGE_ROOT } from "../../src/base/package-root.ts";
import { temporaryFolder } from "../support/session.ts";

/** OpenTelemetry is asked for, and its SDK is not there: all works without. */
const OTEL = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9" };

/** npm of the machine, with this repository's Node 26 first on PATH. */
function npm(args: string[], cwd: string): string {
  const path = [
    dirname(process.execPath),
    ...(process.env.PATH ?? "").split(delimiter).filter((entry) => !entry.startsWith(PACKAGE_ROOT)),
  ].join(delimiter);
  const env = Object.fromEntries(
    Object.entries({ ...process.env, PATH: path, ...OTEL }).filter(([name]) => !name.startsWith("npm_")),
  );
  // A registry that does not answer would stop the whole test run: nothing interrupts a blocking call.
  return execFileSync("npm", args, { cwd, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], timeout: 120_000 });
}

test("the packed package, installed into an empty folder, runs its demo and brings no node", {
  timeout: 300_000,
}, () => {
  const folder = temporaryFolder();
  const [packed] = JSON.parse(npm(["pack", "--json", "--ignore-scripts", "--pack-destination", folder], PACKAGE_ROOT));
  writeFileSync(join(folder, "package.json"), '{"name":"consumer","private":true,"type":"module"}');
  npm(["install", "--no-audit", "--no-fund", join(folder, packed.filename)], folder);

  expect(readdirSync(join(folder, "node_modules", ".bin"))).not.toContain("node");
  expect(existsSync(join(folder, "node_modules", "isolated-vm"))).toBe(true);

  expect(existsSync(join(folder, "node_modules", "@opentelemetry"))).toBe(false);

  const demo = npm(["exec", "--", "cordon", "demo"], folder);
  expect(demo).toContain("intact: 7 of 7");
  expect(demo).toMatch(/sandbox processes left: 0/);

  writeFileSync(
    join(folder, "agent.js"),
    'import { HookHost, wrapToolsWithHooks } from "cordon";\nimport { isBashToolResult } from "cordon/hooks";\nimport { testHook } from "cordon/testing";\nimport { withCordon } from "cordon/ai";\nimport { cordon as langchain } from "cordon/langchain";\nimport { cordon as strands } from "cordon/strands";\nconsole.log([HookHost, wrapToolsWithHooks, isBashToolResult, testHook, withCordon, langchain, strands].map((it) => typeof it).join());\n',
  );
  expect(execFileSync(process.execPath, ["agent.js"], { cwd: folder, encoding: "utf8" }).trim()).toBe(
    Array(7).fill("function").join(),
  );
});
