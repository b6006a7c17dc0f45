import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cordon } from "../support/command.ts";
import { sampled } from "../support/length.ts";
import { onToolCall, temporaryFolder, writeFiles } from "../support/session.ts";

/** Every command that has the flag, as `cordon --help` lists them, with arguments that are good. */
const ARGUMENTS: Record<string, string[]> = {
  trace: ["gate.ts"],
  dev: ["gate.ts", "--once"],
  replay: ["call.jsonl"],
  run: ["call.jsonl"],
  mcp: ["--", "true"],
  grant: ["gate", "env"],
  revoke: ["gate"],
  remove: ["gate"],
  disable: ["gate"],
  enable: ["gate"],
  why: ["gate"],
  install: ["claude-code", "--project"],
  uninstall: ["claude-code"],
  adopt: ["pi"],
  "policy check": ["policy.json"],
};

const commandsIn = (help: string): string[] =>
  [...(/^Commands:\n(.*)/ms.exec(help)?.[1] ?? "").matchAll(/^ {2}([a-z]+) /gm)].flatMap(([, name = ""]) => name);

test("no command takes a --cwd that is not there, or that is a file", async () => {
  const folder = temporaryFolder();
  const home = join(folder, "home");
  const run = (args: string[]) => cordon(args, { cwd: folder, home, env: { HOME: folder } });
  writeFiles(folder, {
    "home/hooks/gate.ts": onToolCall(""),
    "gate.ts": onToolCall(""),
    "policy.json": '{"version": 1}',
    "call.jsonl": `${JSON.stringify({ type: "tool_call", toolName: "bash", toolCallId: "1", input: {} })}\n`,
  });
  writeFileSync(join(folder, "file"), "");
  const names = [...commandsIn((await run(["--help"])).stdout), "policy check"].filter((name) => name !== "help");
  const found: string[] = [];
  for (const name of names) if (/--cwd/.test((await run([...name.split(" "), "--help"])).stdout)) found.push(name);
  // That of `serve` is told to the agent, in the session that it begins.
  for (const name of sampled(
    found.filter((one) => one !== "serve"),
    3,
  )) {
    for (const typed of ["nowhere", "file"]) {
      const ended = await run([...name.split(" "), "--cwd", typed, ...(ARGUMENTS[name] ?? [])]);
      expect([name, ended.code, ended.stdout, ended.stderr]).toEqual([
        name,
        1,
        "",
        `cordon: ${join(folder, typed)}: no such folder\n`,
      ]);
    }
  }
  expect(found).toEqual(expect.arrayContaining(["run", "list", "accept", "doctor", "why", "report", "install"]));
  expect(readdirSync(folder)).not.toContain("nowhere");
});
