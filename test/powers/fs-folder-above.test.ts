import { existsSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { onToolCall, startSession, temporaryFolder, writeFiles } from "../support/session.ts";

/** Programs make sure of a file's folder before they write the file. */
test.each<[right: "read" | "write", granted: string, asked: string, how: string, said: string]>([
  ["write", "agent/mine.json", "agent", "{ recursive: true }", "undefined"],
  ["write", "agent/mine.json", "agent/", "{ recursive: true }", "undefined"],
  ["write", "agent/**", "agent", "{ recursive: true }", "undefined"],
  ["write", "agent/mine.json", "agent", "{}", "NOT_GRANTED"],
  ["write", "agent/mine.json", "other", "{ recursive: true }", "NOT_GRANTED"],
  ["write", "agent/mine.json", "agent/deeper", "{ recursive: true }", "NOT_GRANTED"],
  ["write", "none/mine.json", "none", "{ recursive: true }", "NOT_GRANTED"],
  ["write", "link/mine.json", "link", "{ recursive: true }", "NOT_GRANTED"],
  ["write", "agent/a.txt/mine.json", "agent/a.txt", "{ recursive: true }", "NOT_GRANTED"],
  ["read", "agent/**", "agent", "{ recursive: true }", "NOT_GRANTED"],
])("to %s %s: mkdir of %s with %s is %s", async (right, granted, asked, how, said) => {
  const folder = temporaryFolder();
  writeFiles(folder, { "agent/a.txt": "", "other/a.txt": "" });
  symlinkSync("agent", join(folder, "link"));
  const { call } = await startSession({
    maker: {
      source: onToolCall(
        `try { return { block: true, reason: String(fs.mkdirSync(${JSON.stringify(`${folder}/${asked}`)}, ${how})) }; }
         catch (error: any) { return { block: true, reason: error.code }; }`,
        `import fs from "node:fs";`,
      ),
      grant: {
        capabilities: { events: { see: ["tool_call"], block: true }, fs: { [right]: [`${folder}/${granted}`] } },
      },
    },
  });
  expect(await call()).toMatchObject({ reason: said });
  expect(existsSync(join(folder, "none"))).toBe(false);
});
