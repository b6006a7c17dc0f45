import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { MAX_PLUGIN_SETTINGS } from "../../sandbox/wire/messages.ts";
import type { GrantEntry } from "../../src/grants/grant.ts";
import { HookHost } from "../../src/host/host.ts";
import type { HookHostOptions } from "../../src/session/options.ts";
import { temporaryFolder, writeFiles } from "../support/session.ts";

/** Writes down what it was configured with, and guards by it. */
const PLUGIN = `export default { id: "some", register(api) {
  const { pluginConfig } = api;
  console.log(JSON.stringify(pluginConfig));
  console.log(JSON.stringify([pluginConfig instanceof Object, api.pluginConfig === pluginConfig, Object.isFrozen(pluginConfig)]));
  api.on("before_tool_call", (event) => ({ block: pluginConfig.deny?.includes(event.toolName), blockReason: "denied" }));
} };`;

const SEES: GrantEntry = { capabilities: { events: { see: ["*"], block: true } } };

/** A session with one plugin, in a package with this manifest. */
async function startPlugin(manifest: string, grant: GrantEntry, more: Partial<HookHostOptions> = {}) {
  const folder = temporaryFolder();
  const package_ = { name: "some", version: "1.0.0", openclaw: { extensions: ["./index.ts"] } };
  writeFiles(folder, {
    "some/package.json": JSON.stringify(package_),
    "some/openclaw.plugin.json": manifest,
    "some/index.ts": PLUGIN,
  });
  const said: unknown[] = [];
  const warned: string[] = [];
  const open = async () => {
    const host = await HookHost.start({
      ...{ home: join(folder, "home"), cwd: folder, discover: false, spare: false },
      hooks: [{ path: join(folder, "some"), id: "some", grant: { ...SEES, ...grant } }],
      log: ({ level, text }) => (level === "info" ? said.push(JSON.parse(text)) : warned.push(text)),
      ...more,
    });
    onTestFinished(() => host.close());
    return host;
  };
  return { folder, open, host: await open(), said, warned };
}

const exec = { type: "tool_call", toolName: "bash", toolCallId: "1", input: { command: "ls" } } as const;

type Row = [what: string, schema: unknown, config: Record<string, unknown> | undefined, read: unknown];
const TABLE: Row[] = [
  ["nothing is known of", undefined, undefined, {}],
  [
    "a person gave, without a schema",
    undefined,
    { deny: ["exec"], deep: { a: [1, null] } },
    { deny: ["exec"], deep: { a: [1, null] } },
  ],
  ["has a default", { properties: { deny: { default: ["exec"] } } }, undefined, { deny: ["exec"] }],
  ["has a default, and was given", { properties: { deny: { default: ["exec"] } } }, { deny: [] }, { deny: [] }],
  ["has a default, and was given as null", { properties: { a: { default: 1 } } }, { a: null }, { a: null }],
  [
    "has false for a default",
    { properties: { a: { default: false }, b: { default: 0 }, c: { default: null } } },
    {},
    { a: false, b: 0, c: null },
  ],
  ["has no default", { properties: { a: { type: "string" } } }, undefined, {}],
  [
    "lies deeper than what was given",
    { properties: { a: { properties: { b: { default: 1 }, c: { default: 2 } } } } },
    { a: { b: 3 } },
    { a: { b: 3, c: 2 } },
  ],
  ["lies deeper than what is missing", { properties: { a: { properties: { b: { default: 1 } } } } }, {}, {}],
  [
    "lies in a default",
    { properties: { a: { default: { c: 2 }, properties: { b: { default: 1 } } } } },
    {},
    { a: { c: 2, b: 1 } },
  ],
  [
    "refers to itself from its default",
    { properties: { a: { default: {}, properties: { b: { $ref: "#" } } } } },
    {},
    { a: {} },
  ],
  [
    "has a name that fits patterns",
    {
      patternProperties: {
        "^x": { properties: { b: { default: 1 } } },
        y$: { properties: { c: { default: 2 } } },
        "(": { default: 3 },
      },
    },
    { xy: {}, x: {}, z: {} },
    { xy: { b: 1, c: 2 }, x: { b: 1 }, z: {} },
  ],
  [
    "is an item",
    { properties: { a: { items: { properties: { b: { default: 1 } } } } } },
    { a: [{}, { b: 2 }, 3] },
    { a: [{ b: 1 }, { b: 2 }, 3] },
  ],
  [
    "is an item by its place",
    { properties: { a: { items: [{}, { properties: { b: { default: 1 } } }] } } },
    { a: [{}, {}, {}] },
    { a: [{}, { b: 1 }, {}] },
  ],
  [
    "has a name that no property has",
    { properties: { a: {} }, additionalProperties: { properties: { b: { default: 1 } } } },
    { a: {}, x: {} },
    { a: {}, x: { b: 1 } },
  ],
  [
    "is defined elsewhere",
    { $defs: { "a/b": { default: 5 } }, properties: { a: { $ref: "#/$defs/a~1b" } } },
    {},
    { a: 5 },
  ],
  ["is defined nowhere", { properties: { a: { $ref: "#/$defs/x" }, b: { $ref: "https://x/y" } } }, { a: 1 }, { a: 1 }],
  ["refers to itself", { default: {}, properties: { a: { $ref: "#" } }, $ref: "#" }, { a: {} }, { a: {} }],
  [
    "is part of several schemas",
    { allOf: [{ properties: { a: { default: 1 } } }, { properties: { a: { default: 2 }, b: { default: 3 } } }] },
    {},
    { a: 1, b: 3 },
  ],
  [
    "has the name of a member of every object",
    { properties: { toString: { default: 1 }, constructor: { type: "string" } } },
    {},
    { toString: 1 },
  ],
  ["has a schema that is none", "none", { a: 1 }, { a: 1 }],
  ["has a list for a schema", [], { a: 1 }, { a: 1 }],
  ["has properties that are none", { properties: 3, items: 4, allOf: 5, $ref: 6 }, { a: 1 }, { a: 1 }],
];

test.each(TABLE)(
  "a setting that %s is read by the plugin as in OpenClaw",
  async (_what, configSchema, config, read) => {
    const manifest = JSON.stringify({ id: "some", configSchema });
    const { host, said } = await startPlugin(manifest, config ? { config } : {});
    expect(host.hooks).toMatchObject([{ state: "active", dialect: "openclaw" }]);
    expect(host.hooks[0]).not.toHaveProperty("unsupported");
    expect(said).toEqual([read, [true, true, false]]);
  },
);

test("what a person gave decides what the plugin blocks, and defaults do where they gave nothing", async () => {
  const manifest = JSON.stringify({ id: "some", configSchema: { properties: { deny: { default: ["exec"] } } } });
  const { host } = await startPlugin(manifest, {});
  expect(await host.emitToolCall(exec)).toMatchObject({ block: true, reason: "denied" });
  const other = await startPlugin(manifest, { config: { deny: ["read"] } });
  expect(await other.host.emitToolCall(exec)).toBeUndefined();
});

test("a bundle from the cache has the same defaults, and a changed manifest is another hook", async () => {
  const manifest = (deny: string[]) => JSON.stringify({ configSchema: { properties: { deny: { default: deny } } } });
  const { folder, host, open, said } = await startPlugin(manifest(["exec"]), {});
  await host.close();
  const cached = await open();
  expect(said).toMatchObject([{ deny: ["exec"] }, {}, { deny: ["exec"] }, {}]);
  await cached.close();
  writeFiles(folder, { "some/openclaw.plugin.json": manifest([]) });
  const changed = await open();
  expect(said[4]).toEqual({ deny: [] });
  expect(changed.hooks[0]?.digest).not.toBe(cached.hooks[0]?.digest);
});

test.each([
  ["is no JSON", "{"],
  ["is null", "null"],
  [
    "is longer than may be",
    JSON.stringify({ configSchema: { properties: { a: { default: "x".repeat(MAX_PLUGIN_SETTINGS) } } } }),
  ],
])("a manifest that %s has no defaults", async (_what, manifest) => {
  const { host, said } = await startPlugin(manifest, { config: { deny: ["exec"] } });
  expect(said[0]).toEqual({ deny: ["exec"] });
  expect(await host.emitToolCall(exec)).toMatchObject({ block: true });
});

test("a configuration has a longest length", async () => {
  const long = (length: number): GrantEntry => {
    const config = { deny: ["exec"], more: "" };
    return { config: { ...config, more: "x".repeat(length - JSON.stringify(config).length) } };
  };
  const { host } = await startPlugin("{}", long(MAX_PLUGIN_SETTINGS));
  expect(await host.emitToolCall(exec)).toMatchObject({ block: true, reason: "denied" });
  await expect(startPlugin("{}", long(MAX_PLUGIN_SETTINGS + 1))).rejects.toMatchObject({
    code: "BAD_GRANT",
    message: expect.stringContaining("config is longer than 65536"),
  });
});

test.each([["a text"], [[1]], [null]])("a configuration that is no object is refused: %j", async (config) => {
  const refused = startPlugin("{}", { config } as unknown as GrantEntry);
  await expect(refused).rejects.toMatchObject({ code: "BAD_GRANT", message: expect.stringContaining("config") });
});

test("what a person wrote into the grants file counts", async () => {
  const { folder, host } = await startPlugin("{}", {});
  await host.close();
  const path = join(folder, "some");
  writeFiles(folder, {
    "home/grants.json": JSON.stringify({
      version: 1,
      hooks: { [join(path, "index.ts")]: { config: { deny: ["exec"] } } },
    }),
  });
  const own = await HookHost.start({
    home: join(folder, "home"),
    cwd: folder,
    discover: false,
    hooks: [path],
    log: () => {},
  });
  onTestFinished(() => own.close());
  expect(await own.emitToolCall(exec)).toMatchObject({ block: true, reason: "denied" });
});
