import { execFile } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { runFolder } from "../../src/disk/daemon-places.ts";
import { temporaryFolder } from "../support/session.ts";

const MODULE = new URL("../../src/disk/open-agents.ts", import.meta.url);

/** Records that this process is an agent, in each home of its arguments, and prints how many records there are. */
const PROGRAM = `
import { recordAgent, recordedAgents } from ${JSON.stringify(MODULE)};
const homes = process.argv.slice(1);
for (const home of [...homes, ...homes]) recordAgent(home);
console.log(homes.map((home) => recordedAgents(home).length).join());
`;

test("an agent with many homes is on record in each while it lives, and Node warns of nothing", async () => {
  const folder = temporaryFolder();
  const homes = Array.from({ length: 12 }, (_, at) => join(folder, `home-${at}`));
  const ran = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", PROGRAM, ...homes]);
  expect(ran).toEqual({ stdout: `${homes.map(() => 1).join()}\n`, stderr: "" });
  for (const home of homes) {
    expect(existsSync(join(runFolder(home), "agents"))).toBe(true);
    expect(readdirSync(join(runFolder(home), "agents"))).toEqual([]);
  }
});
