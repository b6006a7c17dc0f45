import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { builtForHost } from "../../src/base/package-root.ts";
import { onToolCall, writeFiles } from "../support/session.ts";
import { print, type Row, round, Times } from "./measure.ts";

const SAVES = 10;
/** The goal, in ms, on a quiet machine. */
const GOAL_MS = 300;
/** Longer than a builder waits for another build, in ms. */
const THOUGHT_MS = 2500;

const CALL = JSON.stringify({ type: "tool_call", toolName: "bash", toolCallId: "1", input: { command: "ls" } });

/** How long an author waits for `cordon dev` after a save: within a burst of them, and after a while. */
export async function dev(folder: string): Promise<boolean> {
  const gate = join(folder, "dev", "gate.ts");
  const save = (number: number): void =>
    writeFileSync(gate, onToolCall(`return { block: true, reason: "save ${number}" };`));
  writeFiles(join(folder, "dev"), { "gate.ts": "", "events.jsonl": `${CALL}\n` });
  save(0);
  const child = spawn(
    process.execPath,
    [builtForHost("cli", "start.js"), "dev", gate, "--events", join(folder, "dev", "events.jsonl"), "--json"],
    {
      env: { ...process.env, CORDON_HOME: join(folder, "dev-home") },
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  const waiting = new Map<string, () => void>();
  createInterface({ input: child.stdout }).on("line", (line) => {
    const { reason } = JSON.parse(line).result ?? {};
    waiting.get(reason)?.();
  });
  const verdict = (number: number) => new Promise<void>((resolve) => waiting.set(`save ${number}`, resolve));
  await verdict(0);
  const times = { soon: new Times(), later: new Times() };
  for (let at = 1; at <= 2 * SAVES; at++) {
    const isLater = at > SAVES;
    await delay(isLater ? THOUGHT_MS : 200);
    const said = verdict(at);
    const started = performance.now();
    save(at);
    await said;
    times[isLater ? "later" : "soon"].add(performance.now() - started);
  }
  child.kill("SIGTERM");
  await new Promise((resolve) => child.on("close", resolve));
  const row = (what: string, { median }: Times): Row => ({
    what: `dev: from save to verdict, ${what}`,
    value: `${round(median)} ms`,
    beside: `${GOAL_MS} ms`,
    ratio: median / GOAL_MS,
    goal: 1,
  });
  return print("An author's wait", [row("one save after another", times.soon), row("after a while", times.later)]);
}
