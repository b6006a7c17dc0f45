import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { MAX_DEPTH } from "../../sandbox/wire/messages.ts";
import { MAX_PLUGIN_SETTINGS } from "../../sandbox/wire/plugin-settings.ts";
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
async function startPlugin(manifest: string, grant: GrantEntry, more: Partial<HookHostOptions> = {}, trust?: "full") {
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
      hooks: [{ path: join(folder, "some"), id: "some", grant: { ...SEES, ...grant }, ...(trust ? { trust } : {}) }],
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
  ["has a schema that takes anything", true, { a: 1 }, { a: 1 }],
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

const nested = (levels: number): string => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
/** A manifest whose schema has this many characters. */
const long = (length: number): string => {
  const schema = (title: string) => JSON.stringify({ properties: { deny: { default: ["exec"] } }, title });
  return `{"configSchema":${schema("x".repeat(length - schema("").length))}}`;
};

test.each([
  ["with a byte order mark", `\ufeff${long(100)}`],
  ["with the longest schema", long(MAX_PLUGIN_SETTINGS)],
  ["with the deepest schema", `{"configSchema":${nested(MAX_DEPTH)}}`],
])("a manifest is read: %s", async (_what, manifest) => {
  expect((await startPlugin(manifest, {})).host.hooks).toMatchObject([{ state: "active" }]);
});

const BROKEN: [what: string, manifest: string, reason: string][] = [
  ["is no JSON", "{", "openclaw.plugin.json is not JSON"],
  ["has a comma too many", '{"configSchema":{},}', "openclaw.plugin.json is not JSON"],
  ["is null", "null", "openclaw.plugin.json must be an object"],
  ["is a list", "[]", "openclaw.plugin.json must be an object"],
  ["has a text for a schema", '{"configSchema":"none"}', "configSchema must be a JSON Schema"],
  ["has a list for a schema", '{"configSchema":[]}', "configSchema must be a JSON Schema"],
  ["has null for a schema", '{"configSchema":null}', "configSchema must be a JSON Schema"],
  [
    "has a schema one longer than may be",
    long(MAX_PLUGIN_SETTINGS + 1),
    "configSchema is longer than 65536 characters",
  ],
  [
    "has a schema one level deeper than may be",
    `{"configSchema":${nested(MAX_DEPTH + 1)}}`,
    "configSchema is nested deeper than 64",
  ],
  ["has a schema that overflows a stack", `{"configSchema":${nested(5576)}}`, "configSchema is nested deeper than 64"],
];

test.each(BROKEN)(
  "a plugin whose manifest %s fails, and blocks: its rules are not known",
  async (_what, manifest, reason) => {
    for (const trust of [undefined, "full"] as const) {
      const { host } = await startPlugin(manifest, {}, {}, trust);
      expect(host.hooks).toMatchObject([{ state: "failed", reason: expect.stringContaining(reason) }]);
      expect(await host.emitToolCall(exec)).toMatchObject({ block: true });
      await host.close();
    }
  },
);

test.each([
  ["a link to nothing", (path: string) => symlinkSync("gone.json", path)],
  ["a link that leads elsewhere", (path: string) => symlinkSync("../other.json", path)],
  ["a folder", (path: string) => mkdirSync(path)],
])("so does one that has %s for a manifest, until it is a file", async (_what, make) => {
  const { folder, host, open, said } = await startPlugin("{}", {});
  await host.close();
  const path = join(folder, "some", "openclaw.plugin.json");
  rmSync(path);
  writeFiles(folder, { "other.json": "{}" });
  make(path);
  const broken = await open();
  expect(broken.hooks).toMatchObject([
    { state: "failed", reason: expect.stringContaining("openclaw.plugin.json cannot be read") },
  ]);
  await broken.close();
  rmSync(path, { recursive: true });
  writeFiles(folder, { "some/openclaw.plugin.json": long(100) });
  said.length = 0;
  const mended = await open();
  expect(mended.hooks).toMatchObject([{ state: "active" }]);
  expect(said[0]).toEqual({ deny: ["exec"] });
});

test("a trusted plugin is configured as another one is", async () => {
  const { host } = await startPlugin(long(100), {}, {}, "full");
  expect(host.hooks).toMatchObject([{ dialect: "openclaw" }]);
  expect(await host.emitToolCall(exec)).toMatchObject({ block: true, reason: "denied" });
  const other = await startPlugin(long(100), { config: { deny: [] } }, {}, "full");
  expect(await other.host.emitToolCall(exec)).toBeUndefined();
});

test("a configuration has a longest length, and a greatest depth", async () => {
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
  const deep = (levels: number): GrantEntry => ({ config: JSON.parse(nested(levels)) });
  expect((await startPlugin("{}", deep(MAX_DEPTH))).host.hooks).toMatchObject([{ state: "active" }]);
  await expect(startPlugin("{}", deep(MAX_DEPTH + 1))).rejects.toMatchObject({
    code: "BAD_GRANT",
    message: expect.stringContaining("config is nested deeper than 64"),
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
