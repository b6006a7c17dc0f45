import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { World } from "./world.ts";

const PLUGIN = `export default { id: "some", register(api: any) {
  api.on("before_tool_call", (event: any) => ({ block: api.pluginConfig.deny.includes(event.params.command), blockReason: "denied" }));
} };`;

const publish = (world: World, version: string): void =>
  world.registry.publish({
    ...{ name: "some", version },
    json: { openclaw: { extensions: ["./index.ts"] } },
    files: {
      "index.ts": `${PLUGIN} // ${version}`,
      "openclaw.plugin.json": JSON.stringify({
        id: "some",
        configSchema: { properties: { deny: { default: ["rm"] } } },
      }),
    },
  });

test("what a person sets of a plugin is named when it is added, and stays when it is updated or added again", async () => {
  const world = await World.make();
  publish(world, "1.0.0");
  const shown = await world.install("some");
  expect(shown).toMatch(/^ *settings +"deny": as its package says, but for what cordon grant ID config says$/m);
  expect((await world.verdicts("ls", "rm")).said).toEqual(["passed", "denied"]);

  const path = join(world.home, "grants.json");
  const file = JSON.parse(readFileSync(path, "utf8"));
  const config = { deny: ["ls"] };
  Object.assign(file.hooks.some, { config });
  writeFileSync(path, JSON.stringify(file));
  expect((await world.verdicts("ls", "rm")).said).toEqual(["denied", "passed"]);

  publish(world, "1.1.0");
  world.forgetAnswers();
  expect(await world.run(["update", "some"])).toMatchObject({ code: 0 });
  expect(world.table("grants.json").some).toMatchObject({ config });
  await world.install("some");
  expect((await world.verdicts("ls", "rm")).said).toEqual(["denied", "passed"]);
  expect(await world.run(["revoke", "some"])).toMatchObject({ code: 0 });
  expect(world.table("grants.json").some).toMatchObject({ config });
});

test.each([
  ["without its schema", (bundle: Record<string, unknown>) => void delete bundle.configSchema],
  [
    "with another schema",
    (bundle: Record<string, unknown>) =>
      void Object.assign(bundle, { configSchema: { properties: { deny: { default: [] } } } }),
  ],
])("a cached bundle %s is not the one that was accepted: the sources decide", async (_what, change) => {
  const world = await World.make();
  publish(world, "1.0.0");
  await world.install("some");
  const folder = join(world.home, "bundles");
  const changed = readdirSync(folder).filter((name) => name.endsWith(".json"));
  for (const name of changed) {
    const bundle = JSON.parse(JSON.parse(readFileSync(join(folder, name), "utf8")).bundle);
    expect(bundle).toMatchObject({ agent: "openclaw", configSchema: {} });
    change(bundle);
    const text = JSON.stringify(bundle);
    const sha256 = createHash("sha256").update(text).digest("hex");
    writeFileSync(join(folder, name), JSON.stringify({ sha256, bundle: text }));
  }
  expect(changed).not.toEqual([]);
  expect((await world.verdicts("ls", "rm")).said).toEqual(["passed", "denied"]);
});

test("cordon check names what can be set of a plugin", async () => {
  const world = await World.make();
  const configSchema = { properties: { "mode\u202e": {}, rules: {} } };
  const folder = world.package(
    "some",
    { openclaw: { extensions: ["./index.ts"] } },
    { "index.ts": PLUGIN, "openclaw.plugin.json": JSON.stringify({ configSchema }) },
  );
  const { stdout } = await world.run(["check", folder]);
  expect(stdout).toMatch(/^settings +"mode\\\\u202e", "rules": as its package says, /m);
  expect(await world.json(["check", folder])).toMatchObject({ settings: ["mode\\u202e", "rules"] });
});
