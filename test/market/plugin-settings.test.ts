import { readFileSync, writeFileSync } from "node:fs";
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
  expect(shown).toMatch(/^ *settings +deny: as its package says; .* into its grant, as config/m);
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

test("cordon check names what can be set of a plugin", async () => {
  const world = await World.make();
  const configSchema = { properties: { "mode\u202e": {}, rules: {} } };
  const folder = world.package(
    "some",
    { openclaw: { extensions: ["./index.ts"] } },
    { "index.ts": PLUGIN, "openclaw.plugin.json": JSON.stringify({ configSchema }) },
  );
  const { stdout } = await world.run(["check", folder]);
  expect(stdout).toMatch(/^settings +mode, rules: as its package says; /m);
  expect(await world.json(["check", folder])).toMatchObject({ settings: ["mode", "rules"] });
});
