import { execFile } from "node:child_process";
import { appendFileSync, chmodSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { PACKAGE_ROOT } from "../../src/base/package-root.ts";
import { writeFiles } from "../support/session.ts";
import { World } from "./world.ts";

const run = promisify(execFile);
const MAIN = join(PACKAGE_ROOT, "dist", "src", "cli", "start.js");

/** The commands of the guide, in order. */
const commands = [
  ...readFileSync(join(PACKAGE_ROOT, "docs", "publishing.md"), "utf8").matchAll(/^```sh not-run=network\n(.*?)^```/gms),
].flatMap(([, block = ""]) => block.trim().split("\n"));

test("the guide, followed from init to cordon add, with a registry on this machine", { timeout: 300_000 }, async () => {
  const world = await World.make();
  const { url } = world.registry;
  appendFileSync(join(world.folder, "user", ".npmrc"), `${url.replace("http:", "")}:_authToken=mine\n`);
  // npx would fetch Cordon, and npm install its dependencies.
  const bin = join(world.folder, "bin");
  writeFiles(bin, { npx: `#!/bin/sh\nshift\nexec '${process.execPath}' '${MAIN}' "$@"\n` });
  chmodSync(join(bin, "npx"), 0o755);
  const others = (process.env.PATH ?? "").split(delimiter).filter((entry) => !entry.startsWith(PACKAGE_ROOT));
  const all = {
    ...process.env,
    ...world.env,
    CORDON_HOME: world.home,
    NO_COLOR: "1",
    PATH: [bin, dirname(process.execPath), ...others].join(delimiter),
  };
  const env = Object.fromEntries(
    Object.entries(all).filter(([name, value]) => value !== undefined && !/^(npm_|VITEST)/.test(name)),
  );

  let cwd = world.work;
  const said = new Map<string, string>();
  for (const command of commands) {
    if (command.startsWith("cd ")) cwd = join(cwd, command.slice(3));
    else if (command === "npm install") {
      mkdirSync(join(cwd, "node_modules", ".bin"), { recursive: true });
      for (const [name, target] of [
        ["cordon", PACKAGE_ROOT],
        ["vitest", join(PACKAGE_ROOT, "node_modules", "vitest")],
      ] as const)
        symlinkSync(target, join(cwd, "node_modules", name));
      symlinkSync("../vitest/vitest.mjs", join(cwd, "node_modules", ".bin", "vitest"));
      symlinkSync("../cordon/dist/src/cli/start.js", join(cwd, "node_modules", ".bin", "cordon"));
      chmodSync(MAIN, 0o755);
    } else {
      // Without a terminal, each power is named.
      const line = command.includes("cordon add") ? `${command} --grant ui` : command;
      const { stdout, stderr } = await run("bash", ["-c", line], { cwd, env });
      said.set(command, stdout + stderr);
    }
  }

  expect(commands).toContain("npm publish");
  expect(said.get("npm test")).toMatch(/Tests +2 passed/);
  expect(said.get("npm run check")).toMatch(/state +loads/);
  expect(said.get("npm run check")).not.toContain("warning");
  expect(said.get("npx cordon add npm:no-mishaps")).toContain("installed no-mishaps with ui");
  expect(said.get("npx cordon list")).toContain("no-mishaps");
  expect(await world.verdicts("ls", "rm -rf build")).toMatchObject({
    said: ["passed", "a dangerous command needs a person's yes"],
  });
  expect(
    (await world.json<{ hooks: { name: string }[] }>(["search", "no-mishaps"])).hooks.map(({ name }) => name),
  ).toEqual(["no-mishaps"]);
  // What was published is what its author listed.
  expect(world.disk().installed.filter((path) => /test|vscode|events/.test(path))).toEqual([]);
});
