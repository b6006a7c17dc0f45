import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { startCordon } from "../support/command.ts";
import type { Row } from "./row.ts";
import { prepare, type World } from "./world.ts";

/** The output of one or several runs of `cordon trace`, as a person would copy it into a grant. */
export interface Proposal {
  capabilities: Record<string, unknown>;
  /** The notes of the last run. */
  notes: unknown[];
}

/** Traces a hook as often as its row says: each time with the earlier proposals, in a new world. */
export async function propose(row: Row, world: World): Promise<Proposal> {
  const events = join(world.base, "events.jsonl");
  const lines = row.steps.filter((step) => typeof step !== "function").map((step) => JSON.stringify(step));
  writeFileSync(events, `${lines.join("\n")}\n`);
  const grants = join(world.base, "grants.json");
  let capabilities: Record<string, unknown> | undefined;
  let notes: unknown[] = [];
  for (let round = 0; round < (row.rounds ?? 1); round++) {
    prepare(row, world);
    if (capabilities) {
      writeFileSync(grants, JSON.stringify({ version: 1, hooks: { [world.hook]: { capabilities } } }));
    }
    const { code, stdout, stderr } = await traced(row, world, [
      ...["trace", world.hook, "--cwd", world.work, "--json"],
      ...(row.samples ? [] : ["--events", events]),
      ...(capabilities ? ["--grants", grants] : []),
      ...(row.steps.some((step) => typeof step === "function") ? ["--wait", "2"] : []),
    ]);
    if (code !== 0) throw new Error(`cordon trace ${row.hook}: ${stderr}`);
    const printed = JSON.parse(stdout);
    capabilities = together(capabilities ?? {}, printed.capabilities) as Record<string, unknown>;
    notes = printed.notes;
  }
  return { capabilities: capabilities ?? {}, notes };
}

/** Runs the command. When it waits, the acts in the row's world are done. */
async function traced(row: Row, world: World, args: readonly string[]) {
  const child = startCordon(args, { cwd: world.work, home: join(world.base, "cordon") });
  let [stdout, stderr] = ["", ""];
  let acts: Promise<void> | undefined;
  child.stdout.on("data", (chunk) => (stdout += chunk));
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
    if (stderr.includes("set off what the hook waits for")) acts ??= act(row, world);
  });
  child.stdin.end();
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  await acts;
  return { code, stdout, stderr };
}

async function act({ steps }: Row, world: World): Promise<void> {
  for (const step of steps) if (typeof step === "function") await step(world);
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Both proposals: a person adds what a later one has to what the earlier had. */
function together(a: unknown, b: unknown): unknown {
  if (Array.isArray(a) && Array.isArray(b)) {
    return [...new Map([...a, ...b].map((item) => [JSON.stringify(item), item])).values()];
  }
  if (!isObject(a) || !isObject(b)) return b;
  const sum = { ...a };
  for (const [name, value] of Object.entries(b)) sum[name] = name in a ? together(a[name], value) : value;
  return sum;
}
