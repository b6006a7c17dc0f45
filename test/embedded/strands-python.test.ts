import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { PACKAGE_ROOT } from "../../src/base/package-root.ts";
import { needs } from "../support/needs.ts";
import { on, onToolCall } from "../support/session.ts";
import { workplace } from "./mcp-process.ts";

const python = (process.env.PATH ?? "")
  .split(delimiter)
  .map((folder) => join(folder, "python3"))
  .find((path) => existsSync(path));

const GATE = {
  source: onToolCall(`
    if (String(event.input.command).includes("rm -rf")) return { block: true, reason: "not with rm -rf" };
    if (event.input.command === "asked") event.input.command = "rewritten";`),
  events: { rewriteInput: ["bash"] },
};
const REDACT = {
  source: on(
    "tool_result",
    `const content = event.content.map((one) => ({ ...one, text: one.text.replaceAll(/hunter2|aHVudGVyMg==/g, "***") }));
     if (JSON.stringify(content) !== JSON.stringify(event.content)) return { content };`,
  ),
  events: { rewriteResult: ["bash"], guardResult: ["bash"] },
};

/**
 * The SDK for Python comes from a registry that these tests do not reach: this is the example's protocol with fake events.
 * Against the real SDK it has not been run.
 */
describe("the example for Strands in Python, with a fake of its SDK", needs(!python && "Python"), () => {
  async function read(...calls: string[]): Promise<string[][]> {
    const place = workplace({ gate: GATE, redact: REDACT });
    const main = join(PACKAGE_ROOT, "dist", "src", "cli", "start.js");
    const server = [process.execPath, main, "serve", ...place.flags].map((word) => `'${word}'`).join(" ");
    const fake = join(import.meta.dirname, "fake-strands");
    const args = [join(fake, "agent.py"), join(PACKAGE_ROOT, "examples"), server, ...calls];
    const env = { ...place.env, PYTHONPATH: fake, PYTHONDONTWRITEBYTECODE: "1" };
    const { stdout } = await promisify(execFile)(python as string, args, { cwd: place.folder, env });
    const named = stdout.replaceAll(`${place.folder}/`, "");
    return named
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
  }

  test("calls that overlap pass, are blocked, rewritten and redacted", async () => {
    expect(await read("ls", "rm -rf /", "asked", "say hunter2", "json hunter2", "bytes")).toEqual([
      ["ran ls"],
      ["Blocked by hook gate.ts: not with rm -rf"],
      ["ran rewritten"],
      ["[Changed by a hook]", "ran say ***"],
      ["[Changed by a hook]", '{"ran": "json ***"}'],
      ["[Changed by a hook]", '{"document": {"name": "a", "source": {"bytes": "***"}}}'],
    ]);
  });

  test("a number that JSON lacks is blocked, and when Cordon dies so is everything", async () => {
    expect(await read('{"command": NaN}', "ls", "kill cordon", "ls")).toEqual([
      [expect.stringMatching(/^Blocked: no hook could judge this call: Out of range float/)],
      ["ran ls"],
      [expect.stringMatching(/^Result withheld: no hook could check it: (cordon ended|.*Broken pipe)/)],
      [expect.stringMatching(/^Blocked: no hook could judge this call: (cordon ended|.*Broken pipe)/)],
    ]);
  });
});
