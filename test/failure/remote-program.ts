/**
 * An agent that embeds Cordon and obeys commands, so that a test can see it hang or die: `node remote-program.ts
 * OPTIONS`. It reads one command per line and answers each with one line.
 */
import { closeSync, openSync } from "node:fs";
import { createInterface } from "node:readline";
import { HookHost } from "../../src/host/host.ts";
import type { HookHostOptions } from "../../src/session/options.ts";

export interface Commands {
  start: undefined;
  /** Emits a call of `bash` with this command. */
  call: string;
  /** Opens files until so many descriptors are left, and takes any further ones that become free. */
  exhaust: number;
  /** Closes these files. */
  release: undefined;
  reload: undefined;
  /** The hook's state. */
  state: undefined;
  /** The log lines so far. */
  log: undefined;
  /** The number of audit lines so far. */
  audited: undefined;
  close: undefined;
}

export interface Command {
  id: number;
  name: keyof Commands;
  argument?: Commands[keyof Commands];
}

export type Answer = { id: number } & ({ value: unknown } | { threw: string });

const options: HookHostOptions = JSON.parse(process.argv[2] as string);
const log: string[] = [];
const held: number[] = [];
let audited = 0;
let free: number | undefined;
let host: HookHost | undefined;

function take(): void {
  if (free === undefined) return;
  try {
    for (;;) held.push(openSync("/dev/null", "r"));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EMFILE") throw error;
  }
  for (const file of held.splice(held.length - free)) closeSync(file);
  // A dead process frees its pipes before this event, and is restarted only after it.
  setImmediate(take);
}

const acts: { [Name in keyof Commands]: (argument: Commands[Name]) => unknown } = {
  async start() {
    host = await HookHost.start({ ...options, log: ({ text }) => log.push(text), onAudit: () => audited++ });
    host.onError(() => {});
  },
  call: (command) => host?.emitToolCall({ type: "tool_call", toolName: "bash", toolCallId: "1", input: { command } }),
  exhaust(left) {
    const idle = free === undefined;
    free = left;
    if (idle) take();
  },
  release() {
    free = undefined;
    for (const file of held.splice(0)) closeSync(file);
  },
  reload: () => host?.reload(),
  state: () => host?.hooks[0]?.state,
  log: () => log,
  audited: () => audited,
  async close() {
    await host?.close();
    input.close();
  },
};

const input = createInterface({ input: process.stdin });
input.on("line", async (line) => {
  const { id, name, argument } = JSON.parse(line) as Command;
  let answer: Answer;
  try {
    answer = { id, value: (await acts[name](argument as never)) ?? null };
  } catch (error) {
    answer = { id, threw: (error as Error).message };
  }
  console.log(JSON.stringify(answer));
});
