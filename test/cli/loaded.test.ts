import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parse } from "acorn";
import { expect, test } from "vitest";
import { builtForHost } from "../../src/base/package-root.ts";
import { circles } from "../support/circles.ts";
import { onToolCall, temporaryFolder, writeFiles } from "../support/session.ts";

/** Prints how many files, and KB of them, a command loaded, and how many segmenters it made. */
const COUNTS = `import { registerHooks } from "node:module";
import { statSync } from "node:fs";
const own = new Set();
registerHooks({ load(url, context, next) { if (url.startsWith("file:")) own.add(url); return next(url, context); } });
process.on("exit", () => {
  let bytes = 0;
  for (const url of own) bytes += statSync(new URL(url)).size;
  console.error("KB", Math.ceil(bytes / 1024));
  console.error("files", own.size);
  console.error("segmenter", made);
});
let made = 0;
Intl.Segmenter = class extends Intl.Segmenter { constructor(...args) { super(...args); made++; } };
`;

test.each([
  [["--version"], 120, 10],
  [["completion", "bash"], 400, 20],
  [["audit"], 400, 20],
  [["why"], 400, 20],
  [["restart", "gate"], 400, 20],
  [["disable", "gate"], 430, 25],
  [["revoke", "gate", "ui"], 430, 25],
  [["list"], 830, 25],
])("cordon %j loads what it needs, in few files", (args, mostKilobytes, mostFiles) => {
  expectLoads(builtForHost("cli", "start.js"), args, mostKilobytes, mostFiles);
});

test("a build process loads what it needs, in few files", () => {
  // With the library by which it calls esbuild.
  expectLoads(builtForHost("bundle", "worker.js"), [], 380, 5);
});

function expectLoads(file: string, args: readonly string[], mostKilobytes: number, mostFiles: number): void {
  const folder = temporaryFolder();
  writeFiles(folder, { "counts.mjs": COUNTS, "home/.cordon/hooks/gate.ts": onToolCall("") });
  const { stderr } = spawnSync(process.execPath, ["--import", join(folder, "counts.mjs"), file, ...args], {
    cwd: folder,
    encoding: "utf8",
    env: { HOME: join(folder, "home"), PATH: process.env.PATH },
  });
  const kilobytes = Number(/^KB (\d+)$/m.exec(stderr)?.[1]);
  expect(kilobytes).toBeGreaterThan(50);
  expect(kilobytes).toBeLessThan(mostKilobytes);
  const files = Number(/^files (\d+)$/m.exec(stderr)?.[1]);
  expect(files).toBeGreaterThan(1);
  expect(files).toBeLessThan(mostFiles);
  expect(stderr).toMatch(/^segmenter 0$/m);
}

test("no built file imports itself, be it through others: its names would not be there yet", () => {
  const folder = builtForHost();
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".js"));
  const imports = new Map(
    files.map((name) => {
      const path = join(folder, name);
      const { body } = parse(readFileSync(path, "utf8"), { ecmaVersion: "latest", sourceType: "module" });
      const named = body.flatMap((one) => ("source" in one && one.source ? [String(one.source.value)] : []));
      return [path, named.filter((to) => to.startsWith(".")).map((to) => join(dirname(path), to))];
    }),
  );
  expect([...imports.values()].flat().length).toBeGreaterThan(300);
  expect(circles(imports)).toEqual([]);
});
