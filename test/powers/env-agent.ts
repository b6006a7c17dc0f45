/**
 * An agent with a secret in its environment, as its process was started: `node env-agent.ts FOLDER` reads `ways.json`
 * there and starts a host and a hook for every way. It prints the outcome of each.
 */
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { HookHost } from "../../src/host/host.ts";
import type { HookHostOptions } from "../../src/session/options.ts";

type Grant = NonNullable<Exclude<NonNullable<HookHostOptions["hooks"]>[number], string>["grant"]>;

/** One way to a secret, as the body of a `tool_call` handler that returns what it found, as text. */
export interface Way {
  name: string;
  body: string;
  /** Imports. */
  top?: string;
  powers?: Grant["capabilities"];
  /** What the hook returned. */
  gets: string | RegExp;
}

export interface Outcome {
  found: string | undefined;
  /** All output to people: errors, log and audit. */
  told: string;
}

const folder = process.argv[2] as string;
const ways: Way[] = JSON.parse(readFileSync(join(folder, "ways.json"), "utf8"));

async function go({ body, top = "", powers = {} }: Way, number: number): Promise<Outcome> {
  const own = join(folder, String(number));
  const cwd = join(own, "work");
  mkdirSync(cwd, { recursive: true });
  symlinkSync(`/proc/${process.pid}/environ`, join(cwd, "link"));
  const path = join(own, "seeker.ts");
  writeFileSync(
    path,
    `${top}\nexport default (pi: any) => pi.on("tool_call", async (event: any, ctx: any) => {
  let found: any;
  try { found = await (async () => { ${body} })(); } catch (error: any) { found = error?.code ?? String(error); }
  return { block: true, reason: "found " + (typeof found === "string" ? found : JSON.stringify(found)) };
});\n`,
  );
  const told: unknown[] = [];
  const host = await HookHost.start({
    spare: false,
    cwd,
    home: join(own, "home"),
    discover: false,
    hooks: [{ path, id: "seeker", grant: { capabilities: powers } }],
    log: (line) => told.push(line),
    onAudit: (line) => told.push(line),
  });
  host.onError((error) => told.push(error));
  const verdict = await host.emitToolCall({
    type: "tool_call",
    toolName: "bash",
    toolCallId: "1",
    input: { agent: process.pid },
  });
  await host.close();
  return { found: verdict && "block" in verdict ? verdict.reason : undefined, told: JSON.stringify(told) };
}

const outcomes: Outcome[] = [];
for (const [number, way] of ways.entries()) outcomes.push(await go(way, number));
process.stdout.write(JSON.stringify(outcomes), () => process.exit(0));
