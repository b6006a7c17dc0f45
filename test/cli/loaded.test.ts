import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parse } from "acorn";
import { expect, test } from "vitest";
import { builtForHost, PACKAGE_ROOT } from "../../src/base/package-root.ts";
import { circles } from "../support/circles.ts";
import { onToolCall, temporaryFolder, writeFiles } from "../support/session.ts";

/** Modules of Node that take milliseconds to load. An import of `util` loads what Node has for threads. */
const HEAVY = ["dns", "http", "https", "inspector", "tls", "worker_threads", "zlib"];

/** Prints how many files, and KB of them, a command loaded, which heavy modules, and how many segmenters it made. */
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
  const heavy = new Set(${JSON.stringify(HEAVY)});
  console.error("heavy", ...process.moduleLoadList.filter((name) => heavy.has(name.replace("NativeModule ", ""))));
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
  [["disable", "gate"], 400, 25],
  [["revoke", "gate", "ui"], 405, 25],
  [["list"], 850, 25],
])("cordon %j loads what it needs, in few files", (args, mostKilobytes, mostFiles) => {
  expect(loaded(builtForHost("cli", "start.js"), args, mostKilobytes, mostFiles)).toMatch(/^heavy$/m);
});

test("a session loads what it needs of Node", () => {
  const folder = temporaryFolder();
  const options = {
    cwd: folder,
    home: join(folder, "home"),
    discover: false,
    hooks: [{ path: join(folder, "gate.ts") }],
  };
  writeFiles(folder, {
    "gate.ts": onToolCall("return { block: true, reason: 'no' };"),
    "session.mjs": `import { HookHost } from ${JSON.stringify(builtForHost("index.js"))};
const host = await HookHost.start(${JSON.stringify(options)});
const { reason } = await host.emitToolCall({ type: "tool_call", toolName: "bash", toolCallId: "1", input: { command: "true" } });
console.log(reason, ...${JSON.stringify(HEAVY)}.filter((name) => process.moduleLoadList.includes("NativeModule " + name)));
await host.close();`,
  });
  const { stdout, stderr } = spawnSync(process.execPath, [join(folder, "session.mjs")], {
    cwd: folder,
    encoding: "utf8",
  });
  expect(stderr).toBe("");
  expect(stdout).toBe("no\n");
});

test("a build process loads what it needs, in few files", () => {
  // With the library by which it calls esbuild.
  loaded(builtForHost("bundle", "worker.js"), [], 380, 5);
});

/** What a program printed of what it loaded. */
function loaded(file: string, args: readonly string[], mostKilobytes: number, mostFiles: number): string {
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
  return stderr;
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

test("no built file has a character beyond ASCII: V8 would keep two bytes for each of the file", () => {
  const folder = join(PACKAGE_ROOT, "dist");
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => /\.[cm]?js$/.test(name));
  // What hooks are bundled with is no program by itself.
  const programs = files.filter((name) => !/^sandbox[\\/](?:modules|offered)[\\/]/.test(name));
  expect(programs.length).toBeGreaterThan(100);
  expect(programs.filter((name) => /[^\0-\x7f]/.test(readFileSync(join(folder, name), "utf8")))).toEqual([]);
});
