import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { PACKAGE_ROOT } from "../../src/base/package-root.ts";
import { buildHook, IDLE_MS } from "../../src/bundle/build.ts";
import { eventually } from "../support/eventually.ts";
import { hookFolder } from "./hook-folder.ts";
import { watching } from "./processes.ts";

const NODE = process.execPath;

const requestFor = (files: Record<string, string>) => ({ root: join(hookFolder(files), "hook"), entry: "index.ts" });

const HONEST = {
  "index.ts":
    'import { join } from "node:path"; import one from "one";\nexport default (pi: any) => pi.on("tool_call", () => ({ block: true, reason: join(one, "a") }));\n',
  "node_modules/one/package.json": '{ "name": "one", "main": "lib/main.js", "sideEffects": false }',
  "node_modules/one/lib/main.js": 'module.exports = "one";\n',
};

/** What of a build does not depend on the folder. */
const without = (root: string, value: unknown) => JSON.stringify(value).replaceAll(root, "");

/** Build processes of this one. */
const workers = (seen: Map<string, string>) => [...seen.values()].filter((command) => command.includes("worker.js"));

describe("hooks that are built one after another have one process", () => {
  test("four builds start one, and it ends when nothing is built any more", async () => {
    // Those of the tests before have ended then.
    await pause(IDLE_MS + 500);
    const { seen, left } = await watching(async () => {
      for (let n = 0; n < 4; n++) await buildHook(NODE, requestFor({ "index.ts": `export default () => ${n};` }));
    });
    if (process.platform !== "linux") return;
    expect(workers(seen)).toHaveLength(1);
    await eventually(() => expect(left()).toEqual([]));
  });

  const own = (json: string, code = "module.exports = 1;") => ({
    "index.ts": 'import one from "one"; export default () => one;',
    "node_modules/one/package.json": json,
    "node_modules/one/lib/main.js": code,
  });
  const POLLUTED =
    '{ "mainFields": ["evil"], "sideEffects": ["**"], "exports": "./evil.js", "ok": false, "path": "/evil" }';

  test.each<[string, Record<string, string>]>([
    ["a prototype in package.json", own(`{ "main": "lib/main.js", "__proto__": ${POLLUTED} }`)],
    ["a prototype in its fields", own(`{ "main": "lib/main.js", "imports": { "__proto__": ${POLLUTED} } }`)],
    [
      "a constructor in its fields",
      own(`{ "main": "lib/main.js", "browser": { "constructor": { "prototype": ${POLLUTED} } } }`),
    ],
    ["conditions that are prototypes", own(`{ "exports": { "__proto__": "./lib/main.js", ".": "./lib/main.js" } }`)],
    [
      "a package named __proto__",
      { ...own("{}"), "index.ts": 'import one from "__proto__"; export default () => one;' },
    ],
    [
      "a name that is asked of a prototype",
      { "index.ts": 'import { __proto__ } from "node:fs"; export default () => __proto__;' },
    ],
    [
      "globs that are patterns of everything",
      own('{ "main": "lib/main.js", "sideEffects": ["**/*", "!(x)", "{a,b}/../**"] }'),
    ],
    ["a file that does not parse", { "index.ts": "export default (" }],
    ["parentheses that end esbuild", { "index.ts": `export default ${"(".repeat(1_200_000)}` }],
    ["a refused import", { "index.ts": 'import "node:vm"; export default () => 1;' }],
  ])("what one hook's files say changes no other bundle: %s", async (_name, files) => {
    const honest = requestFor(HONEST);
    const alone = without(honest.root, await buildHook(NODE, honest));
    await buildHook(NODE, requestFor(files)).catch(() => undefined);
    expect(without(honest.root, await buildHook(NODE, honest))).toBe(alone);
  });

  test("a change between two builds is seen, in each kind of file", async () => {
    const folder = hookFolder(HONEST);
    const request = { root: join(folder, "hook"), entry: "index.ts" };
    const before = await buildHook(NODE, request);
    writeFileSync(join(request.root, "node_modules/one/lib/main.js"), 'module.exports = "two";\n');
    const changed = await buildHook(NODE, request);
    expect([before.code.includes('"two"'), changed.code.includes('"two"')]).toEqual([false, true]);
    writeFileSync(join(request.root, "node_modules/one/lib/other.js"), 'module.exports = "three";\n');
    writeFileSync(join(request.root, "node_modules/one/package.json"), '{ "main": "lib/other.js" }');
    expect((await buildHook(NODE, request)).code).toContain('"three"');
  });

  test("a process that dies while it builds is no failure of a hook that was not its first", async () => {
    const folder = hookFolder({});
    // It answers once, and is gone at the second request.
    const node = join(folder, "node");
    writeFileSync(node, `#!/bin/sh\nread -r line; printf '%s\\n' "$line" | ${NODE} "$@"; read -r line; exit 1\n`, {
      mode: 0o755,
    });
    const request = requestFor(HONEST);
    const first = await buildHook(node, request);
    expect(await buildHook(node, request)).toEqual(first);
  });

  test("a program ends though its build process is idle, and leaves none", async () => {
    const program = `import { buildHook } from ${JSON.stringify(join(PACKAGE_ROOT, "src", "bundle", "build.ts"))};
      await buildHook(process.execPath, ${JSON.stringify(requestFor(HONEST))});
      await new Promise(setImmediate);
      console.log(process.getActiveResourcesInfo().filter((name) => name !== "PipeWrap" && name !== "Immediate"));`;
    const { value, seen, left } = await watching(() =>
      promisify(execFile)(NODE, ["--input-type=module", "--eval", program], { env: {} }),
    );
    expect(value).toEqual({ stdout: "[]\n", stderr: "" });
    if (process.platform !== "linux") return;
    expect(workers(seen).length).toBeGreaterThan(0);
    await eventually(() => expect(left()).toEqual([]));
  });
});
