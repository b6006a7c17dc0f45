import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { startCordon } from "../support/command.ts";
import { onToolCall, temporaryFolder, writeFiles } from "../support/session.ts";

// Node's own reader of lines takes the first two for the end of one, and Python's `splitlines` all of them.
test.each(["\u2028", "\u2029", "\u0085"])(
  "no text of a hook's breaks a line for a reader that ends one at %j",
  async (end) => {
    const folder = temporaryFolder();
    const hook = join(folder, "hook.ts");
    const events = { see: ["*"], block: true, rewriteInput: ["*"] };
    writeFiles(folder, {
      "hook.ts": onToolCall(`event.input.note = "a${end}b"; pi.on("c${end}d", () => {});`),
      "grants.json": JSON.stringify({ version: 1, hooks: { [hook]: { capabilities: { events } } } }),
    });
    const child = startCordon(["serve", "--no-discover", "--grants", join(folder, "grants.json"), "--hook", hook], {
      cwd: folder,
      home: join(folder, "home"),
    });
    const lines: string[] = [];
    createInterface({ input: child.stdout }).on("line", (line) => lines.push(...line.split("\u0085")));
    const send = (id: number, method: string, params: object): void =>
      void child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    const input = { command: "ls" };
    send(1, "initialize", { protocolVersion: 1 });
    send(2, "emit", { event: { type: "tool_call", toolName: "bash", toolCallId: "1", input } });
    send(3, "shutdown", {});
    await expect.poll(() => child.exitCode, { timeout: 10_000 }).toBe(0);
    const answers = lines.map((line) => JSON.parse(line)).filter(({ id }) => id === 2);
    expect(answers).toMatchObject([{ result: { result: { input: { ...input, note: `a${end}b` } } } }]);
  },
);
