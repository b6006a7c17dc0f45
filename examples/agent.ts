/**
 * An agent in fifty lines: a script instead of a model, one tool, and hooks that judge its calls.
 *
 *     node examples/agent.ts HOOK.ts 'echo hello' 'rm -rf build'
 */
import { execFileSync } from "node:child_process";
import { createInterface } from "node:readline/promises";
import { HookBlockedError, HookHost, wrapToolsWithHooks } from "cordon";

const [hook = "", ...commands] = process.argv.slice(2);

const bash = {
  name: "bash",
  execute: async (_toolCallId: string, { command }: { command: string }) => {
    const text = execFileSync("sh", ["-c", command], { encoding: "utf8" });
    return { content: [{ type: "text" as const, text }] };
  },
};

const terminal = createInterface({ input: process.stdin, output: process.stderr });
/** A person who leaves (Ctrl+C, Ctrl+D) has answered nothing. */
const ask = (text: string): Promise<string> => terminal.question(`${text}\n> `).catch(() => "");
const host = await HookHost.start({
  cwd: process.cwd(),
  hooks: [hook],
  discover: false,
  ui: {
    select: async (title, options) => {
      const answer = await ask(`${title}\n${options.map((one, at) => `${at + 1} ${one}`).join("\n")}`);
      return options[Number(answer) - 1] ?? null;
    },
    confirm: async (title, message) => (await ask(`${title}\n${message} (y/n)`)) === "y",
    input: ask,
    notify: (message) => console.error(message),
  },
});
host.onError(({ hookPath, error, code }) => console.error(`${hookPath}: ${error} (${code})`));

const [tool] = wrapToolsWithHooks([bash], host);
for (const [at, command] of commands.entries()) {
  try {
    const result = await tool?.execute(String(at), { command });
    console.log(
      result?.content
        .map(({ text }) => text)
        .join("")
        .trimEnd(),
    );
  } catch (error) {
    if (!(error instanceof HookBlockedError)) throw error;
    console.log(`${error.hook} blocked ${command}: ${error.reason}`);
  }
}
terminal.close();
await host.close();
