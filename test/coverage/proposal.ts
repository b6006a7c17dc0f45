import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Capabilities } from "../../src/grants/schema.ts";
import { cordon } from "../support/command.ts";
import type { Row } from "./row.ts";
import { prepare, type World } from "./world.ts";

/** What `cordon trace` printed, as a person would copy it into a grant. */
export interface Proposal {
  capabilities: Capabilities;
  /** How often it tried the hook. */
  rounds: number;
  notes: string[];
}

/** Runs the command once. */
export async function propose(row: Row, world: World): Promise<Proposal> {
  const events = join(world.base, "events.jsonl");
  const lines = row.steps.filter((step) => typeof step !== "function").map((step) => JSON.stringify(step));
  writeFileSync(events, `${lines.join("\n")}\n`);
  prepare(row, world);
  const { code, stdout, stderr } = await cordon(
    ["trace", world.hook, "--cwd", world.work, "--json", ...(row.samples ? [] : ["--events", events])],
    { cwd: world.work, home: join(world.base, "cordon") },
  );
  if (code !== 0) throw new Error(`cordon trace ${row.hook}: ${stderr}`);
  return JSON.parse(stdout);
}
