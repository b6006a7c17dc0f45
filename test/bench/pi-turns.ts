import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { statusOf } from "../../src/disk/process-status.ts";
import { lacksNamespace } from "../agents/pi/install.ts";
import type { Turn } from "../agents/pi/model-server.ts";
import { Scene } from "../agents/pi/scene.ts";
import { childrenOf, sandboxesOf } from "../sandbox/proc.ts";
import { print, type Row, round, Times } from "./measure.ts";
import { proportionalKb } from "./processes.ts";

const VERSION = "0.87.1";
const TURNS = 20;
const WARM_UP = 3;
const ROUNDS = 3;

/** Four hooks as people have them: two guards, one that redacts results, one that counts. None makes pi do more. */
const HOOKS: Readonly<Record<string, string>> = {
  gate: `pi.on("tool_call", async (event) => {
    if (event.toolName === "bash" && /\\brm\\s+-rf/.test(event.input.command)) return { block: true, reason: "no" };
  });`,
  paths: `pi.on("tool_call", async (event) => {
    if (["write", "edit"].includes(event.toolName) && event.input.path.includes(".env")) return { block: true, reason: "no" };
  });`,
  redacts: `pi.on("tool_result", async (event) => {
    const [first] = event.content;
    if (first?.text?.includes("KEY")) return { content: [{ type: "text", text: first.text.replace(/KEY\\w+/g, "***") }] };
  });`,
  counts: `let turns = 0; pi.on("turn_end", async () => { turns++; }); pi.on("agent_end", async () => { turns = 0; });`,
};
const EVENTS = { see: ["tool_call", "tool_result", "turn_end", "agent_end"], rewriteResult: ["*"] };

const inProcess = `export default (pi) => { ${Object.values(HOOKS).join("\n")} };`;

function contained(folder: string): string {
  const hooks = Object.keys(HOOKS).map((name) => ({
    path: join(folder, "hooks", `${name}.ts`),
    grant: { capabilities: { events: EVENTS } },
  }));
  return `import { cordon } from "CORDON"; export default cordon({ discover: false, hooks: ${JSON.stringify(hooks)} });`;
}

/** Each prompt is one call of a tool, whose output is a few kilobytes, and an answer. */
const turns = (count: number): Turn[] =>
  Array.from({ length: count }, (): Turn[] => [
    { calls: [{ name: "bash", args: { command: "seq 1 800" } }] },
    { text: "That were eight hundred numbers, as you wanted." },
  ]).flat();

const VARIANTS: Readonly<Record<string, (folder: string) => Readonly<Record<string, string>>>> = {
  "pi alone": () => ({}),
  "four hooks in pi's process": () => ({ own: inProcess }),
  "four contained hooks": (folder) => ({ cordon: contained(folder) }),
};

interface Measured {
  perTurn: Times;
  start: Times;
  memory: Times;
  sandboxes: Times;
  sandboxMemory: Times;
}

/** CPU time, of pi's own process alone, in turns: of its start, and of each of twenty prompts. */
export async function piTurns(folder: string): Promise<boolean> {
  const lacks = lacksNamespace();
  if (lacks !== undefined) {
    console.log(`\nNot measured: ${lacks}`);
    return true;
  }
  const measured = new Map<string, Measured>();
  for (let at = 0; at < ROUNDS; at++)
    for (const [name, extensions] of Object.entries(VARIANTS)) {
      const into = measured.get(name) ?? {
        perTurn: new Times(),
        start: new Times(),
        memory: new Times(),
        sandboxes: new Times(),
        sandboxMemory: new Times(),
      };
      measured.set(name, into);
      await once(mkdtempSync(join(folder, "pi-")), extensions, into);
    }
  const of = (name: string): Measured => measured.get(name) as Measured;
  const [alone, own, ours] = Object.keys(VARIANTS).map(of) as [Measured, Measured, Measured];
  const ms = (times: Times): string => `${round(times.median, 1)} ms`;
  const mb = (times: Times): string => `${round(times.median / 1024)} MB`;
  const row = (what: string, part: "perTurn" | "start", one: Measured, goal?: number): Row => ({
    what,
    value: ms(one[part]),
    beside: `${ms(alone[part])} pi alone`,
    ratio: one[part].median / alone[part].median,
    ...(goal === undefined ? {} : { goal }),
  });
  return print(`CPU time of pi ${VERSION}'s own process (median of ${ROUNDS} sessions of ${TURNS} prompts)`, [
    row("a prompt with a call, four contained hooks", "perTurn", ours, 1.15),
    row("a prompt with a call, the same four in pi's process", "perTurn", own),
    { what: "the sandbox process, a prompt", value: ms(ours.sandboxes), beside: "" },
    row("start, four contained hooks", "start", ours),
    row("start, the same four in pi's process", "start", own),
    {
      what: "memory of pi after all prompts, contained",
      value: mb(ours.memory),
      beside: `${mb(alone.memory)} pi alone`,
    },
    { what: "memory of the sandbox process and the spare", value: mb(ours.sandboxMemory), beside: "" },
  ]);
}

async function once(folder: string, extensions: (folder: string) => Readonly<Record<string, string>>, into: Measured) {
  const hooks = Object.entries(HOOKS).map(([name, body]) => [
    `hooks/${name}.ts`,
    `export default (pi) => { ${body} };`,
  ]);
  const scene = await Scene.start({
    version: VERSION,
    folder,
    mode: "rpc",
    turns: turns(WARM_UP + TURNS),
    extensions: extensions(folder),
    files: Object.fromEntries(hooks),
  });
  await scene.idle();
  const pi = piBelow(scene.pid);
  into.start.add(cpuOf(pi));
  for (let at = 0; at < WARM_UP; at++) await scene.prompt(`warm up ${at}`);
  const before = cpuOf(pi);
  const boxesBefore = sandboxesOf(pi).map((pid) => [pid, cpuOf(pid)] as const);
  for (let at = 0; at < TURNS; at++) await scene.prompt(`count ${at}`);
  // The spare may have started since.
  const boxes = sandboxesOf(pi);
  into.perTurn.add((cpuOf(pi) - before) / TURNS);
  into.sandboxes.add(boxesBefore.reduce((sum, [pid, cpu]) => sum + cpuOf(pid) - cpu, 0) / TURNS);
  into.memory.add(proportionalKb(pi));
  into.sandboxMemory.add(boxes.reduce((sum, pid) => sum + proportionalKb(pid), 0));
  if (scene.requests.length !== 2 * (WARM_UP + TURNS)) throw new Error(`pi asked ${scene.requests.length} times`);
  await scene.end();
}

const cpuOf = (pid: number): number => statusOf(pid)?.cpuMs ?? 0;

/** The model's server was started in a namespace, and starts pi. */
function piBelow(server: number): number {
  const [pi] = childrenOf(server).map(({ pid }) => pid);
  if (pi === undefined) throw new Error("pi does not run");
  return pi;
}
