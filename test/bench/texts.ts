import { createHash } from "node:crypto";
import { join } from "node:path";
import { HookHost } from "../../dist/src/index.js";
import { writeFiles } from "../support/session.ts";
import { print, type Row, round, Times } from "./measure.ts";

const ROUNDS = 5;
/** How often an event does what it names. */
const TIMES = 4;

/** What a hook does with 1 MB, in JavaScript. */
const ACTS: Readonly<Record<string, string>> = {
  "text to bytes": "Buffer.from(text)",
  "bytes to text": "bytes.toString()",
  "bytes to base64": 'bytes.toString("base64")',
  "base64 to bytes": 'Buffer.from(base64, "base64")',
  "SHA-256": 'createHash("sha256").update(bytes).digest()',
};

const VALUES = `
const text = '{"line": "a text with an é"}\\n'.repeat(2 ** 20 / 29);
const bytes = Buffer.from(text);
const base64 = bytes.toString("base64");
const acts = {
${Object.entries(ACTS)
  .map(([what, act]) => `  ${JSON.stringify(what)}: () => ${act},`)
  .join("\n")}
};`;

const HOOK = `
import { createHash } from "node:crypto";
${VALUES}
export default (pi) => pi.on("tool_call", ({ input }) => { for (let left = ${TIMES}; left > 0; left--) acts[input.act](); });`;

/** What a hook does with texts and bytes, beside Node in the agent's process. */
export async function texts(folder: string): Promise<boolean> {
  writeFiles(folder, { "texts.ts": HOOK });
  const host = await HookHost.start({
    cwd: folder,
    home: join(folder, "home"),
    discover: false,
    hooks: [{ path: join(folder, "texts.ts"), grant: { limits: { memoryMb: 128, cpuMs: 20_000 } } }],
    log: () => {},
  });
  const emit = async (act: string): Promise<void> => {
    const event = { type: "tool_call", toolName: "bash", toolCallId: "1", input: { act } } as const;
    const verdict = await host.emitToolCall(event);
    if (verdict) throw new Error(JSON.stringify(verdict));
  };
  const own: Record<string, () => void> = new Function("createHash", `${VALUES} return acts`)(createHash);
  const names = Object.keys(own);
  const times = new Map(names.map((name) => [name, [new Times(), new Times()] as const]));
  for (let turn = 0; turn <= ROUNDS; turn++)
    for (const name of names) {
      const started = performance.now();
      await emit(name);
      const between = performance.now();
      for (let left = TIMES; left > 0; left--) own[name]?.();
      const [hook, node] = times.get(name) as readonly [Times, Times];
      // The first one loads OpenSSL.
      if (turn === 0) continue;
      hook.add(((between - started) * 1000) / TIMES);
      node.add(((performance.now() - between) * 1000) / TIMES);
    }
  await host.close();
  return print(
    "1 MB of text in a hook",
    Object.keys(ACTS).map((what): Row => {
      const [hook, node] = times.get(what) as readonly [Times, Times];
      return {
        what,
        value: `${round(hook.median / 1000, 1)} ms`,
        beside: `${round(node.median / 1000, 2)} ms in the agent's process`,
        ratio: hook.median / node.median,
      };
    }),
  );
}
