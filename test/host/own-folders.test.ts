import { join } from "node:path";
import { expect, test } from "vitest";
import { writeFiles } from "../support/session.ts";
import { blocking, discoverIn, idle, places } from "./places.ts";

const FILES = {
  "home/hooks/own.ts": blocking("own"),
  "project/.cordon/hooks/project.ts": idle,
  "agent/hooks/pi.ts": idle,
  "project/.pi/hooks/pi-project.ts": idle,
};

test("hooks of Cordon's own folders are found, before those of pi's", async () => {
  const { paths, blocked, host } = await discoverIn(places(FILES));
  expect(paths()).toEqual([
    "home/hooks/own.ts",
    "project/.cordon/hooks/project.ts",
    "agent/hooks/pi.ts",
    "project/.pi/hooks/pi-project.ts",
  ]);
  expect(host.hooks.map(({ state }) => state)).toEqual(["active", "pending", "active", "pending"]);
  expect(await blocked()).toBe("home/hooks/own.ts: own");
});

test("an agent that is not pi has nothing of pi's folders and settings", async () => {
  const settings = { "agent/settings.json": JSON.stringify({ hooks: ["/elsewhere.ts"] }) };
  const { paths } = await discoverIn(places({ ...FILES, ...settings }), { discover: "own" });
  expect(paths()).toEqual(["home/hooks/own.ts", "project/.cordon/hooks/project.ts"]);
});

test("a project's hook in Cordon's folder guards on when it is gone, once it was accepted", async () => {
  const folder = places(FILES);
  const path = join(folder, "project/.cordon/hooks/gone.ts");
  const grants = { version: 1, hooks: { [path]: { digest: `sha256-${"0".repeat(64)}`, grantedAt: "", by: "user" } } };
  const { host } = await discoverIn(folder, { discover: "own", grantsFile: writeGrants(folder, grants) });
  expect(host.hooks.find((hook) => hook.id === path)?.state).toBe("failed");
});

function writeGrants(folder: string, grants: object): string {
  writeFiles(folder, { "grants.json": JSON.stringify(grants) });
  return join(folder, "grants.json");
}
