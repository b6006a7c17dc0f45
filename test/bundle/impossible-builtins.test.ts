import { builtinModules } from "node:module";
import { expect, test } from "vitest";
import { refusedModule } from "../../src/bundle/refused-modules.ts";
import { startSession } from "../support/session.ts";
import { hookFolder, startFolder } from "./hook-folder.ts";

const OFFERED =
  /^((assert|async_hooks|buffer|child_process|crypto|diagnostics_channel|dns|events|fs|os|path|perf_hooks|process|punycode|querystring|string_decoder|timers|tty|url|util|zlib)(\/|$)|https?$|module$|net$|sqlite$|(readline|stream)(\/promises)?$|stream\/web$)/;
const impossible = [
  ...new Set([
    "fs",
    "fs/promises",
    "child_process",
    "http2",
    "tls",
    "dgram",
    "worker_threads",
    "vm",
    "v8",
    "module",
    "process",
    "inspector",
    "inspector/promises",
    "cluster",
    "repl",
    "wasi",
    "async_hooks",
    "diagnostics_channel",
    "tty",
    "zlib",
    "trace_events",
    "node:test",
    "node:sea",
    ...builtinModules,
  ]),
].filter((name) => !OFFERED.test(name.replace(/^node:/, "")) && !name.startsWith("_"));

/** Those that are refused where they are imported at the beginning of a file: `worker_threads` is refused where it is used. */
const imported = impossible.filter((name) => !name.endsWith("worker_threads"));

const forms = {
  import: (name: string) => `\n  import x from "${name}";\nexport default () => x;`,
  "import with node:": (name: string) =>
    `\n  import * as x from "${name.startsWith("node:") ? name : `node:${name}`}";\nexport default () => x;`,
};

/** Code that uses such a module in a handler, and what a hook can do about it. */
const lazily = {
  require: (name: string) => `try { require("${name}"); } catch (error: any) { said = error; }`,
  "dynamic import": (name: string) => `await import("${name}").catch((error: any) => { said = error; });`,
  "a module that is imported there": () => `await import("./late.ts").catch((error: any) => { said = error; });`,
};

// One host per form, with a hook for each source.
test.each(Object.entries(forms))(
  "a module that cannot be offered is refused at load, with its name and position: %s",
  async (_form, write) => {
    const names = new Map(imported.map((name) => [name.replace(/\W/g, "-"), name]));
    const { host } = await startSession(Object.fromEntries([...names].map(([id, name]) => [id, write(name)])));
    const wrong = host.hooks.filter((hook) => {
      const name = names.get(hook.id) as string;
      const place = new RegExp(`^${hook.id}\\.ts:2:\\d+: import "(node:)?${name}"`);
      return hook.state !== "failed" || !place.test(hook.reason ?? "") || /\n/.test(hook.reason ?? "");
    });
    expect(wrong.map(({ id, state, reason }) => ({ id, state, reason }))).toEqual([]);
    expect(host.hooks.length).toBeGreaterThan(15);
  },
  120_000,
);

test.each(Object.entries(lazily))(
  "a module that cannot be offered throws where code uses it: %s",
  async (form, write) => {
    const names = form === "require" ? impossible : imported.slice(0, 5);
    for (const name of names) {
      const handler = `let said: any; ${write(name)}
        return { block: true, reason: [said.code, said.message].join(" ") };`;
      const folder = hookFolder({
        "index.ts": `export default (pi: any) => { pi.on("tool_call", async () => { ${handler} }); };`,
        "late.ts": `import all from "${name}";\nexport default all;`,
      });
      const { host, hook, reason } = await startFolder(folder);
      expect(hook(), name).toMatchObject({ state: "active" });
      expect(await reason()).toBe(
        `IMPORT_REFUSED ${refusedModule(name)}, imported by ${form.startsWith("a module") ? "late" : "index"}.ts`,
      );
      expect(host.lacks(hook().id)).toEqual([name]);
      await host.close();
    }
  },
  240_000,
);

test.each([
  ["node:worker_threads", "a hook is one isolate, whose time and memory are measured"],
  ["cluster", "a hook is one isolate"],
  ["vm", "it runs code that a hook's digest could not cover"],
  ["inspector/promises", "it controls the process, which other hooks may share"],
  ["dgram", "it reaches outside the sandbox"],
])("the refusal of %s says why", (name, why) => {
  expect(refusedModule(name)).toContain(`import "${name}" cannot be offered to a hook: ${why}`);
});

test("a static import that leads to such a module is still refused at load", async () => {
  const folder = hookFolder({
    "index.ts": `import "./middle.ts";\nexport default (pi: any) => { pi.on("tool_call", () => import("./late.ts")); };`,
    "middle.ts": `export * from "./late.ts";`,
    "late.ts": `import { getHeapStatistics } from "node:v8";\nexport { getHeapStatistics };`,
  });
  const { hook } = await startFolder(folder);
  expect(hook()).toMatchObject({
    state: "failed",
    reason: expect.stringContaining('late.ts:1:35: import "node:v8"'),
  });
});

test("a hook that never catches it, and guards calls, blocks them", async () => {
  const folder = hookFolder({
    "index.ts": `export default (pi: any) => { pi.on("tool_call", async () => { await import("node:vm"); }); };`,
  });
  expect(await (await startFolder(folder)).reason()).toContain('import "node:vm" cannot be offered to a hook');
});

test("a missing module of the hook's own throws where code imports it", async () => {
  const folder = hookFolder({
    "index.ts": `export default (pi: any) => { pi.on("tool_call", async () => {
      const code = await import("./none.ts").catch((error: any) => error.code);
      return { block: true, reason: code }; }); };`,
  });
  expect(await (await startFolder(folder)).reason()).toBe("ERR_MODULE_NOT_FOUND");
});

test("a refused import blocks with IMPORT_REFUSED and the remedy", async () => {
  const { call, errors, host } = await startSession({
    gate: 'import { connect } from "tls";\nexport default () => connect;',
  });
  const verdict = await call();
  expect(verdict).toMatchObject({
    block: true,
    hook: "gate",
    reason: expect.stringMatching(
      /gate\.ts:1:\d+: import "tls".*\(IMPORT_REFUSED\); to go on: cordon restart .* or cordon disable /,
    ),
  });
  await host.reload("gate");
  expect(errors).toMatchObject([{ event: "load", code: "IMPORT_REFUSED", error: expect.stringContaining('"tls"') }]);
});
