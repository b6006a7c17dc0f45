import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeRunFolder, startedPath } from "../../src/disk/daemon-places.ts";
import { sampled } from "../support/length.ts";
import { blockOf, World } from "./world.ts";

const world = new World({
  gate: `export default (pi) => { pi.on("tool_call", () => ({ block: true, reason: "judged" })); };`,
});
const path = startedPath(world.home);
const precious = join(world.folder, "precious");

const FOUND: readonly [string, () => void][] = [
  ["a pipe", () => void execFileSync("mkfifo", [path])],
  ["a folder", () => mkdirSync(join(path, "x"), { recursive: true })],
  ["a link to nothing", () => symlinkSync(join(world.folder, "nothing"), path)],
  [
    "a link to a file",
    () => {
      writeFileSync(precious, "precious");
      symlinkSync(precious, path);
    },
  ],
  ["a file of many bytes", () => writeFileSync(path, "+".repeat(5000))],
  [
    "a time that is still to come",
    () => {
      writeFileSync(path, "");
      utimesSync(path, new Date(), new Date(Date.now() + 3_600_000));
    },
  ],
];

test.each(sampled(FOUND, 2))("a daemon starts whatever lies where its start is noted: %s", async (what, make) => {
  await world.stop();
  makeRunFolder(world.home);
  execFileSync("rm", ["-rf", path]);
  make();
  expect(blockOf(await world.bash("ls"))).toMatch(/judged$/);
  if (what === "a link to a file") expect(readFileSync(precious, "utf8")).toBe("precious");
});
