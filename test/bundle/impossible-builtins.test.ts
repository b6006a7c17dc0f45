import { builtinModules } from "node:module";
import { expect, test } from "vitest";
import { startSession } from "../support/session.ts";

const OFFERED =
  /^((assert|buffer|child_process|crypto|events|fs|os|path|process|punycode|querystring|string_decoder|timers|url|util)(\/|$)|https?$|(readline|stream)(\/promises)?$)/;
const impossible = [
  ...new Set([
    "fs",
    "fs/promises",
    "child_process",
    "net",
    "http2",
    "tls",
    "dgram",
    "dns",
    "dns/promises",
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
    "perf_hooks",
    "diagnostics_channel",
    "tty",
    "zlib",
    "trace_events",
    "node:test",
    "node:sqlite",
    "node:sea",
    ...builtinModules,
  ]),
].filter((name) => !OFFERED.test(name.replace(/^node:/, "")) && !name.startsWith("_"));

const forms = {
  import: (name: string) => `\n  import x from "${name}";\nexport default () => x;`,
  "import with node:": (name: string) =>
    `\n  import * as x from "${name.startsWith("node:") ? name : `node:${name}`}";\nexport default () => x;`,
  require: (name: string) => `\nexport default () => require("${name}");`,
  "dynamic import": (name: string) => `\nexport default () => import("${name}");`,
};

// One host per form, with a hook for each source.
test.each(Object.entries(forms))(
  "a module that cannot be offered is refused at load, with its name and position: %s",
  async (_form, write) => {
    const names = new Map(impossible.map((name) => [name.replace(/\W/g, "-"), name]));
    const { host } = await startSession(Object.fromEntries([...names].map(([id, name]) => [id, write(name)])));
    const wrong = host.hooks.filter((hook) => {
      const name = names.get(hook.id) as string;
      const place = new RegExp(`^${hook.id}\\.ts:2:\\d+: import "(node:)?${name}"`);
      return hook.state !== "failed" || !place.test(hook.reason ?? "") || /\n/.test(hook.reason ?? "");
    });
    expect(wrong.map(({ id, state, reason }) => ({ id, state, reason }))).toEqual([]);
    expect(host.hooks.length).toBeGreaterThan(30);
  },
  120_000,
);

test("a refused import blocks with IMPORT_REFUSED and the remedy", async () => {
  const { call, errors, host } = await startSession({
    gate: 'import { connect } from "net";\nexport default () => connect;',
  });
  const verdict = await call();
  expect(verdict).toMatchObject({
    block: true,
    hook: "gate",
    reason: expect.stringMatching(/gate\.ts:1:\d+: import "net".*\(IMPORT_REFUSED\).*cordon remove gate/),
  });
  await host.reload("gate");
  expect(errors).toMatchObject([{ event: "load", code: "IMPORT_REFUSED", error: expect.stringContaining('"net"') }]);
});
