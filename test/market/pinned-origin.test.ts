import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { Registry } from "../support/registry.ts";
import { writeFiles } from "../support/session.ts";
import { asks, GATE, World } from "./world.ts";

let world: World;
let other: Registry;
beforeEach(async () => {
  world = await World.make();
  other = await Registry.start();
  onTestFinished(() => other.close());
});

const gate = (version: string, more: object = {}) => ({
  name: "gate",
  version,
  files: { "index.ts": GATE },
  json: asks({}),
  ...more,
});

type Updated = { hooks: { id: string; outcome: string; error?: string; code?: string }[] };

test("a project's .npmrc does not affect an update, directly or through npx", async () => {
  world.registry.publish(gate("1.0.0"));
  other.publish(gate("9.9.9"));
  await world.install("gate");
  writeFiles(world.work, {
    ".npmrc": `registry=${other.url}\nuserconfig=./evil.npmrc\n`,
    "evil.npmrc": `registry=${other.url}`,
  });
  const env = { npm_config_registry: other.url, npm_config_userconfig: join(world.work, "evil.npmrc") };
  const { code, stdout } = await world.run(["update"], { env });
  expect([code, stdout]).toEqual([0, "gate: nothing newer\n"]);
  expect(other.requests).toEqual([]);
});

test("the lock keeps registry and keys, and another registry stops the update before any request to it", async () => {
  world.registry.publish(gate("1.0.0"));
  other.publish(gate("2.0.0"));
  await world.install("gate");
  const { gate: before } = world.disk().lock;
  expect(before).toMatchObject({ registry: world.registry.url, keys: [expect.stringMatching(/^sha256-/)] });
  world.useRegistry(other.url);
  const { hooks } = await world.json<Updated>(["update"], 1);
  expect(hooks).toMatchObject([{ id: "gate", outcome: "stopped", code: "INTEGRITY_MISMATCH" }]);
  expect(hooks[0]?.error).toContain(`it was fetched from ${world.registry.url}, and would be from ${other.url}`);
  expect(other.requests).toEqual([]);
  expect(world.disk().lock.gate).toEqual(before);
});

test("a new key of the same registry stops the update, and a known one does not", async () => {
  world.registry.publish(gate("1.0.0"));
  await world.install("gate");
  const { gate: before } = world.disk().lock;
  world.registry.addKey();
  world.registry.publish(gate("2.0.0"));
  const stopped = await world.json<Updated>(["update"], 1);
  expect(stopped.hooks).toMatchObject([{ outcome: "stopped", code: "INTEGRITY_MISMATCH" }]);
  expect(stopped.hooks[0]?.error).toContain("signed with a key that its registry did not have");
  expect(world.disk().lock.gate).toEqual(before);

  // Both were listed at the installation.
  world.registry.publish({ ...gate("1.0.0"), name: "later" });
  await world.install("later");
  world.registry.publish({ ...gate("1.1.0"), name: "later" });
  world.registry.addKey();
  expect(await world.json<Updated>(["update", "later"])).toMatchObject({ hooks: [{ outcome: "updated" }] });
  // A key that was added later is not trusted because it was listed at an update.
  world.registry.publish({ ...gate("1.2.0"), name: "later" });
  expect(await world.json<Updated>(["update", "later"], 1)).toMatchObject({ hooks: [{ outcome: "stopped" }] });
});

test("a dependency from another registry stops the update", async () => {
  const depending = { dependencies: { "@team/word": "^1.0.0" } };
  world.registry.publish(gate("1.0.0", depending));
  world.registry.publish({ name: "@team/word", version: "1.0.0", files: { "index.js": "" } });
  other.publish({ name: "@team/word", version: "1.0.1", files: { "index.js": "" } });
  await world.install("gate");
  world.registry.publish(gate("1.0.1", depending));
  writeFiles(world.folder, { "user/.npmrc": `registry=${world.registry.url}\n@team:registry=${other.url}\n` });
  const { hooks } = await world.json<Updated>(["update"], 1);
  expect(hooks[0]?.error).toContain(
    `its dependency @team/word was fetched from ${world.registry.url}, and is from ${other.url} now`,
  );
});

test("a repository is fetched by the person's git, from the person's source, whatever the project configures", async () => {
  const repository = join(world.folder, "repository");
  const git = (...args: string[]) => execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args]);
  const make = (folder: string, version: string): void => {
    writeFiles(folder, {
      "package.json": JSON.stringify({ name: "gate", version, cordon: { hooks: ["./index.ts"] } }),
      "index.ts": GATE,
    });
    git("-C", folder, "init", "-q");
    git("-C", folder, "add", "-A");
    git("-C", folder, "commit", "-qm", "gate");
  };
  make(repository, "1.0.0");
  make(join(world.folder, "evil"), "6.6.6");
  // The command is run in a repository that redirects others, and contains a git of its own.
  git("-C", world.work, "init", "-q");
  const evil = pathToFileURL(join(world.folder, "evil")).href;
  git("-C", world.work, "config", `url.${evil}.insteadOf`, pathToFileURL(repository).href);
  const bin = join(world.work, "node_modules", ".bin");
  mkdirSync(bin, { recursive: true });
  writeFiles(bin, { git: `#!/bin/sh\ntouch '${join(world.folder, "evil-git-ran")}'\nexec /usr/bin/git "$@"\n` });
  chmodSync(join(bin, "git"), 0o755);
  const env = { PATH: `${bin}${delimiter}${process.env.PATH}` };
  const done = await world.run(["add", `git+${pathToFileURL(repository)}`, "--grant", "none"], { env });
  expect(done).toMatchObject({ code: 0, stderr: "" });
  expect(world.disk().lock.gate?.version).toBe("1.0.0");
  expect(existsSync(join(world.folder, "evil-git-ran"))).toBe(false);
});
