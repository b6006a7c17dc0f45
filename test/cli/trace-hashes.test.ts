import { join } from "node:path";
import { expect, test } from "vitest";
import { cordon } from "../support/command.ts";
import { temporaryFolder, writeFiles } from "../support/session.ts";

// biome-ignore format: a table
const NAMES: [claim: string, path: string, pattern: string][] = [
  ["a hash of twelve digits", "$HOME/.own/a3ba5ccdee16/state.json", "$HOME/.own/????????????/state.json"],
  ["a hash of eleven digits", "$HOME/.own/a3ba5ccdee1/state.json", "$HOME/.own/a3ba5ccdee1/state.json"],
  ["a number", "$HOME/.own/1234567890123/state.json", "$HOME/.own/1234567890123/state.json"],
  ["a word of such letters", "$HOME/.own/deadbeefcafeab/state.json", "$HOME/.own/deadbeefcafeab/state.json"],
  ["a hash in the project", "$CWD/own/a3ba5ccdee16/state.json", "$CWD/own/a3ba5ccdee16/state.json"],
  ["a hash where no wildcard means code", "$HOME/.claude/a3ba5ccdee16/settings.json", "$HOME/.claude/a3ba5ccdee16/settings.json"],
];

test("a folder that is named by a hash is of any hash in what trace proposes, outside of the project", async () => {
  const folder = temporaryFolder();
  const path = (text: string): string => text.replace("$HOME", "${homedir()}").replace("$CWD", "${process.cwd()}");
  writeFiles(folder, {
    "hook.ts": `import { writeFileSync } from "node:fs"; import { homedir } from "node:os";
      const PATHS = [${NAMES.map(([, text]) => `\`${path(text)}\``).join(", ")}];
      export default (pi: any) => pi.on("session_start", () => { for (const path of PATHS) try { writeFileSync(path, ""); } catch {} });`,
  });
  const { stdout } = await cordon(["trace", "hook.ts", "--json"], { cwd: folder, home: join(folder, "home") });
  expect([...JSON.parse(stdout).capabilities.fs.write].sort()).toEqual(NAMES.map(([, , pattern]) => pattern).sort());
});
