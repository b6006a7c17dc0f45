import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { HookHost } from "../../src/host/host.ts";
import { onToolCall, temporaryFolder, writeFiles } from "../support/session.ts";

/** A file of grants that a person named, for a session with one hook in a folder of its own. */
test.each<[key: string, more: string[], told: boolean]>([
  ["own/index.ts", [], false],
  ["mine", [], false],
  ["own", [], true],
  ["other", [], true],
  ["other", ["mine"], false],
])("a grants file with the key %s, and %j, says that it grants nothing here: %s", async (key, more, told) => {
  const folder = temporaryFolder();
  const keys = [key.includes("/") ? join(folder, key) : key, ...more];
  const hooks = Object.fromEntries(keys.map((one) => [one, { capabilities: { events: { see: ["*"] } } }]));
  writeFiles(folder, {
    "own/index.ts": onToolCall(""),
    "grants.json": JSON.stringify({ version: 1, hooks }),
  });
  const said: string[] = [];
  const host = await HookHost.start({
    ...{ home: join(folder, "home"), cwd: folder, discover: false, spare: false },
    grantsFile: join(folder, "grants.json"),
    hooks: [{ path: join(folder, "own", "index.ts"), id: "mine" }],
    log: ({ text }) => said.push(text),
  });
  onTestFinished(() => host.close());
  const text = `${join(folder, "grants.json")} grants nothing to a hook here: its keys are ids, or paths of files, as "mine" or "${join(folder, "own", "index.ts")}"`;
  expect(said.filter((one) => one.includes("grants nothing"))).toEqual(told ? [text] : []);
});
