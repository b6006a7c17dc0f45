import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { Registry } from "../support/registry.ts";
import { writeFiles } from "../support/session.ts";
import { HOOK, manifestOf } from "./hostile-tar.ts";
import { Machine, NO_NAMES } from "./world.ts";

const EVIL = HOOK.replace("'no'", "'evil'");

test("a package with the name of an installed one from elsewhere is refused, and leaves nothing", async () => {
  const machine = new Machine();
  expect((await machine.add(machine.package("gate"))).code).toBe(0);
  const before = machine.names();
  writeFiles(machine.work, { "evil/package.json": manifestOf(), "evil/index.ts": EVIL });
  const done = await machine.add(join(machine.work, "evil"));
  expect(done.code).toBe(1);
  expect(done.stderr).toMatch(/gate is installed from path:.*cordon remove gate.*\n$/);
  expect(machine.names()).toEqual(before);
  expect((await machine.session()).said).toBe("no");
});

test("a package with the name of a person's own hook gets none of that hook's grants", async () => {
  const machine = new Machine();
  const own = { digest: `sha256-${"1".repeat(64)}`, capabilities: { env: ["HOME"] }, by: "user" };
  const path = join(machine.home, "grants.json");
  writeFiles(machine.home, {
    "grants.json": JSON.stringify({ version: 1, hooks: { gate: own, "/own/gate.ts": own } }),
  });
  const before = readFileSync(path, "utf8");
  const done = await machine.add(machine.package("gate"));
  expect(done.code).toBe(1);
  expect(done.stderr).toMatch(/gate.*cordon remove gate/);
  expect(readFileSync(path, "utf8")).toBe(before);
  expect(machine.names()).toEqual({ ...NO_NAMES, grants: ["gate", "/own/gate.ts"] });
  // And a package with an unused name.
  expect((await machine.add(machine.package("other"))).code).toBe(0);
  expect(machine.table("grants.json")).toMatchObject({ gate: own, "/own/gate.ts": own });
});

test("a package with the id of a hook in a person's own folder does not prevent sessions from starting", async () => {
  const machine = new Machine();
  writeFiles(machine.home, {
    "agent/hooks/package.json": manifestOf(),
    "agent/hooks/index.ts": HOOK.replace("'no'", "'own'"),
  });
  expect((await machine.session()).said).toBe("own");
  const done = await machine.add(machine.package("gate", {}, { "index.ts": EVIL }));
  expect(done.code).toBe(1);
  expect(done.stderr).toMatch(/gate/);
  expect((await machine.session()).said).toBe("own");
  expect(machine.names()).toEqual(NO_NAMES);
});

test("a dependency's newer version under an unchanged package is fully installed", async () => {
  const machine = new Machine();
  const registry = await Registry.start();
  onTestFinished(() => registry.close());
  machine.useRegistry(registry.url);
  const publish = (version: string) =>
    registry.publish({ name: "word", version, files: { "index.js": `module.exports = "word ${version}";` } });
  publish("1.0.0");
  const source = `import word from "word"; ${HOOK.replace("'no'", "word")}`;
  const path = machine.package("gate", { dependencies: { word: "^1.0.0" } }, { "index.ts": source });
  expect(await machine.run(["add", path, "--grant", "none"])).toMatchObject({ code: 0, stderr: "" });
  expect((await machine.host()).said).toBe("word 1.0.0");
  publish("1.0.1");
  // As if the registry's cached answers had expired.
  expect(await machine.run(["update"])).toMatchObject({ code: 0 });
  expect(await machine.host()).toMatchObject({ said: "word 1.0.1", told: "" });
  expect(machine.names()).toMatchObject({ lock: ["gate"], grants: ["gate"], installed: ["gate"], left: [] });
});

test("a refused power, or no person to ask, leaves nothing", async () => {
  const machine = new Machine();
  const path = machine.package("gate", { cordon: { hooks: ["./index.ts"], capabilities: { env: ["CI"] } } });
  for (const args of [
    ["add", path],
    ["add", path, "--grant", "exec"],
    ["add", path, "--grant", "all"],
    ["add", path, "--grant", "__proto__"],
  ]) {
    const done = await machine.run(args);
    expect(done.code).toBe(1);
    expect(done.stderr).toMatch(/^cordon: .*\n$/);
    expect(machine.names()).toEqual(NO_NAMES);
  }
});

test("adding a package does not change its file or the files beside it", async () => {
  const machine = new Machine();
  const path = machine.package("gate", { bin: { gate: "./index.ts" } }, { ".npmrc": "registry=http://127.0.0.1:1/" });
  writeFileSync(join(machine.folder, "from", "beside.txt"), "as it was");
  const before = readFileSync(join(path, "index.ts"));
  expect((await machine.add(path)).code).toBe(0);
  expect(readFileSync(join(path, "index.ts"))).toEqual(before);
  expect(readFileSync(join(machine.folder, "from", "beside.txt"), "utf8")).toBe("as it was");
});
