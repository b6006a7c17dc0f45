import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { builtForHost } from "../../src/base/package-root.ts";
import { onToolCall, temporaryFolder, writeFiles } from "../support/session.ts";

/** Prints how many KB of files a command loaded, and how many segmenters it made. */
const COUNTS = `import { registerHooks } from "node:module";
import { statSync } from "node:fs";
const own = new Set();
registerHooks({ load(url, context, next) { if (url.startsWith("file:")) own.add(url); return next(url, context); } });
process.on("exit", () => {
  let bytes = 0;
  for (const url of own) bytes += statSync(new URL(url)).size;
  console.error("KB", Math.ceil(bytes / 1024));
  console.error("segmenter", made);
});
let made = 0;
Intl.Segmenter = class extends Intl.Segmenter { constructor(...args) { super(...args); made++; } };
`;

test.each([
  [["--version"], 120],
  [["completion", "bash"], 400],
  [["audit"], 400],
  [["why"], 400],
  [["restart", "gate"], 400],
  [["disable", "gate"], 430],
  [["revoke", "gate", "ui"], 430],
])("cordon %j loads what it needs, and no host", (args, most) => {
  const folder = temporaryFolder();
  writeFiles(folder, { "counts.mjs": COUNTS, "home/.cordon/hooks/gate.ts": onToolCall("") });
  const command = ["--import", join(folder, "counts.mjs"), builtForHost("cli", "start.js"), ...args];
  const { stderr } = spawnSync(process.execPath, command, {
    cwd: folder,
    encoding: "utf8",
    env: { HOME: join(folder, "home"), PATH: process.env.PATH },
  });
  const kilobytes = Number(/^KB (\d+)$/m.exec(stderr)?.[1]);
  expect(kilobytes).toBeGreaterThan(50);
  expect(kilobytes).toBeLessThan(most);
  expect(stderr).toMatch(/^segmenter 0$/m);
});
