/** What Claude Code makes of results that hooks took something out of: it goes on with the original where it does not know the shape. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { askDaemon } from "../../../src/shim/ask-daemon.ts";
import { needs } from "../../support/needs.ts";
import { temporaryFolder } from "../../support/session.ts";
import { lacksNamespace } from "../pi/install.ts";
import { REAL_AGENTS, type RealAgent, RealPerson } from "./real-agents.ts";

const THROWS = `export default (pi) => pi.on("tool_result", () => { throw new Error("cannot judge"); });`;
const REDACTS = `export default (pi) => pi.on("tool_result", (event) => {
  const content = event.content.map((part) => ({ ...part, text: part.text.replace(/KEY\\w+/g, "***") }));
  if (content.some((part, at) => part.text !== event.content[at].text)) return { content };
});`;
const GRANT = { capabilities: { events: { see: ["tool_result"], rewriteResult: ["*"], guardResult: ["*"] } } };
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const TOOLS = ["Bash", "Read", "Grep", "Glob", "Agent", "Write", "Edit"];

const [claude] = REAL_AGENTS.filter(({ name }) => name === "claude-code") as [RealAgent];

test.each([
  ["fails", THROWS],
  ["redacts", REDACTS],
])(
  "nothing of a result reaches the model that a hook which %s does not let pass",
  { timeout: 240_000, ...needs(lacksNamespace()) },
  async (how, hook) => {
    const agent = { ...claude, args: ["-p", "go", "--allowedTools", ...TOOLS] };
    const one = new RealPerson(agent, temporaryFolder(), { guard: hook }, { guard: GRANT });
    onTestFinished(async () => void (await askDaemon(one.home, "stop").catch(() => undefined)));
    writeFileSync(join(one.work, "k.txt"), "my KEY999\n");
    writeFileSync(join(one.work, "KEY777.txt"), "my\n");
    writeFileSync(join(one.work, "i.png"), Buffer.from(PNG, "base64"));
    const grep = (mode: string) => ({ name: "Grep", args: { pattern: "my", output_mode: mode } });
    const { results, output } = await one.run([
      { calls: [grep("content")] },
      { calls: [grep("files_with_matches")] },
      { calls: [grep("count")] },
      { calls: [{ name: "Glob", args: { pattern: "KEY*" } }] },
      { calls: [{ name: "Read", args: { file_path: join(one.work, "k.txt") } }] },
      { calls: [{ name: "Read", args: { file_path: join(one.work, "i.png") } }] },
      { calls: [{ name: "Bash", args: { command: "echo KEY111", description: "d" } }] },
      { calls: [{ name: "Write", args: { file_path: join(one.work, "new.txt"), content: "KEY1" } }] },
      {
        calls: [
          { name: "Edit", args: { file_path: join(one.work, "new.txt"), old_string: "KEY1", new_string: "KEY2" } },
        ],
      },
      { calls: [{ name: "Agent", args: { description: "d", prompt: "p", subagent_type: "general-purpose" } }] },
      { text: "the agent says KEY555" },
    ]);
    expect(results.length, output).toBeGreaterThanOrEqual(10);
    const all = results.join("\n");
    expect(all).not.toMatch(/KEY\d/);
    if (how === "fails") expect(all).not.toContain(PNG.slice(0, 60));
    expect(all).not.toContain("Result withheld has been updated");
  },
);
