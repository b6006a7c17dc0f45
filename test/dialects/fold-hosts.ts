import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, onTestFinished } from "vitest";
import { HookHost } from "../../src/host/host.ts";
import { writeFiles } from "../support/session.ts";
import { DIALECTS, type Dialect, granted, hasMatchers, inDialect, told } from "./fold-hooks.ts";
import type { Call, ModelHook, Seen } from "./fold-model.ts";

/** Hosts with hooks that follow the plan in the event's input, so that many behaviours share one session. */

export const HOOKS: Record<string, Dialect> = {
  ...Object.fromEntries(DIALECTS.map((dialect) => [dialect, dialect])),
  pi2: "pi",
  strands2: "strands",
};
export const IDS = Object.keys(HOOKS);

/** A call of this tool makes each hook log the calls that it saw since the last one. */
const TELL_TOOL = "tell";

const planned = (id: string): { top: string; body: string } => ({
  top: "let seen = {};",
  body: `
    if (tool === "${TELL_TOOL}") {
      console.log(JSON.stringify(seen));
      seen = {};
      return {};
    }
    const { command, plan: { ${id}: step } } = input;
    seen[id] = [tool, command, command];
    if (step.late) await null;
    if (step.boom !== "" && command.includes(step.boom)) throw new Error("${id} broke on " + tool + ": " + command);
    if (step.block !== "" && command.includes(step.block)) return { block: "${id} saw " + tool + ": " + command };
    if (step.set !== "") input.command = step.set;
    else if (step.add !== "" && !command.includes(step.add)) input.command += step.add;
    seen[id] = [tool, command, input.command];
    chosen = step.choose[tool];`,
});

/** Hooks that must not hear a tool call, and would stop each one. */
const BYSTANDERS: Record<string, { source: string; see: string[] }> = {
  deaf: { source: inDialect("pi", { body: 'block = "deaf";' }), see: [] },
  afar: { source: inDialect("openclaw", { body: 'block = "afar";', priority: 100 }), see: ["message"] },
  narrow: {
    source: `export default { id: "n", name: "tool.before", priority: 99, toolMatcher: /^(tts|image)$/,
      handler(_input, output) { output.args.command = "rm"; output.block = true; } };`,
    see: ["*"],
  },
  aside: {
    source: `export default [{ hookName: "after_tool_call", priority: 50, handler() { throw new Error("aside"); } }];`,
    see: ["*"],
  },
  later: {
    source: `import { AfterToolCallEvent } from "@strands-agents/sdk";
      export default { name: "l", initAgent: (agent) => { agent.addHook(AfterToolCallEvent, () => { throw new Error("later"); }, { order: -100 }); } };`,
    see: ["*"],
  },
};

export interface Setup {
  /** In load order. */
  hooks: readonly (ModelHook & { ownProcess: boolean })[];
  bystanders: boolean;
}

interface PlannedHost {
  hooks: readonly ModelHook[];
  /** Emits calls, one after the other. Returns the verdicts, and what each hook saw of each call. */
  judge(calls: readonly Call[]): Promise<{
    verdicts: Awaited<ReturnType<HookHost["emitToolCall"]>>[];
    seen: Record<string, Seen>[];
  }>;
  close(): Promise<void>;
}

/** One folder for all hosts of a file, so that they share bundles. */
export function sharedFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "cordon-test-")));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Hosts start one after the other, so that each hook is built once. */
export async function startAll(folder: string, setups: readonly Setup[]): Promise<PlannedHost[]> {
  const hosts = [];
  for (const setup of setups) hosts.push(await startPlanned(folder, setup));
  return hosts;
}

export async function startPlanned(folder: string, { hooks, bystanders }: Setup): Promise<PlannedHost> {
  const files = hooks.map(({ id, dialect, place }) => {
    const path = dialect === "pi" ? `hooks/${id}.ts` : `hooks/${id}${place}.ts`;
    writeFiles(folder, { [path]: inDialect(dialect, { ...planned(id), priority: place }) });
    return `${folder}/${path}`;
  });
  const guards = hooks.map(({ id, dialect, place, grants, failsOpen, ownProcess }, at) => ({
    path: files[at] as string,
    id,
    grant: granted(grants, {
      ...hasMatchers(dialect, place),
      failure: failsOpen ? "open" : "closed",
      ...(ownProcess ? { capabilities: { send: {} } } : {}),
    }),
  }));
  const others = Object.entries(bystanders ? BYSTANDERS : {}).map(([id, { source, see }]) => {
    writeFiles(folder, { [`hooks/${id}.ts`]: source });
    const events = { see, block: true, rewriteInput: ["*"] };
    return { path: `${folder}/hooks/${id}.ts`, id, grant: { capabilities: { events } } };
  });
  const log: { hook?: string; text: string }[] = [];
  const host = await HookHost.start({
    spare: false,
    cwd: folder,
    home: `${folder}/home`,
    agentDir: `${folder}/agent`,
    discover: false,
    // Among the others, not after them.
    hooks: [...others.slice(0, 3), ...guards.slice(0, 2), ...others.slice(3), ...guards.slice(2)],
    log: (line) => log.push(line),
  });
  onTestFinished(() => host.close());
  host.onError(() => {});
  const ask = ({ toolName, command, plan }: Call, id: number) =>
    host.emitToolCall(
      { type: "tool_call", toolName, toolCallId: `c${id}`, input: { command, plan } },
      { canRun: () => true },
    );
  return {
    hooks,
    async judge(calls) {
      const verdicts = [];
      for (const [id, call] of calls.entries()) verdicts.push(await ask(call, id));
      log.length = 0;
      await ask({ toolName: TELL_TOOL, command: "", plan: {} }, -1);
      const seen: Record<string, Seen>[] = calls.map(() => ({}));
      for (const { id } of hooks) {
        const [line = "{}"] = told(log, id);
        for (const [call, what] of Object.entries(JSON.parse(line) as Record<string, Seen>)) {
          const of = seen[Number(call.slice(1))];
          if (of) of[id] = what;
        }
      }
      return { verdicts, seen };
    },
    close: () => host.close(),
  };
}
