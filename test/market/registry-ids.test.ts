import { expect, test } from "vitest";
import { remove } from "./hostile-terminal.ts";
import { asks, GATE, World } from "./world.ts";

const publish = (world: World, version: string, ...files: string[]): void =>
  world.registry.publish({
    name: "two",
    version,
    files: Object.fromEntries(files.map((file) => [file, GATE.replace("no rm", `no rm ${version}`)])),
    json: asks({}, { hooks: files.map((file) => `./${file}`) }),
  });

test("a hook keeps its id when its package gets a second one, and when that goes again", async () => {
  const world = await World.make();
  publish(world, "1.0.0", "index.ts");
  await world.install("two");
  publish(world, "2.0.0", "index.ts", "b.ts");
  world.forgetAnswers();
  expect(await world.run(["update"])).toMatchObject({ code: 0, stdout: expect.stringContaining("two: 1.0.0 → 2.0.0") });
  expect(world.names().lock).toEqual(["two"]);
  expect((await world.verdicts("rm x")).said).toEqual(["no rm 2.0.0"]);
  // Added again, it is the same hook, and the other one is new.
  await world.install("two");
  expect(world.names()).toMatchObject({ lock: ["two", "two#b.ts"], grants: ["two", "two#b.ts"] });
  publish(world, "3.0.0", "index.ts", "b.ts", "c.ts");
  expect(await world.run(["update"])).toMatchObject({ code: 0, stderr: "" });
  expect(Object.values(world.disk().lock).map(({ version }) => version)).toEqual(["3.0.0", "3.0.0"]);
  expect((await remove(world, "two")).code).toBe(0);
  publish(world, "4.0.0", "b.ts");
  expect(await world.run(["update"])).toMatchObject({ code: 0, stderr: "" });
  expect(world.names().lock).toEqual(["two#b.ts"]);
  expect((await world.verdicts("rm x")).said).toEqual(["no rm 4.0.0"]);
});
