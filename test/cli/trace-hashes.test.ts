import { join } from "node:path";
import { expect, test } from "vitest";
import { cordon } from "../support/command.ts";
import { temporaryFolder, writeFiles } from "../support/session.ts";

const UUID = "0b2d1b1e-58c5-4f0f-9d0b-0a4b1e7c9f10";
const SHAPE = UUID.replaceAll(/[\da-f]/g, "?");
// biome-ignore format: a table
const NAMES: [claim: string, path: string, pattern: string][] = [
  ["a hash of twelve digits", "$HOME/.own/a3ba5ccdee16/state.json", "$HOME/.own/????????????/state.json"],
  ["a hash of eleven digits", "$HOME/.own/a3ba5ccdee1/state.json", "$HOME/.own/a3ba5ccdee1/state.json"],
  ["a number", "$HOME/.own/1234567890123/state.json", "$HOME/.own/1234567890123/state.json"],
  ["a word of such letters", "$HOME/.own/deadbeefcafeab/state.json", "$HOME/.own/deadbeefcafeab/state.json"],
  ["a random id", `$HOME/.own/${UUID}/state.json`, `$HOME/.own/${SHAPE}/state.json`],
  ["a random id in the project", `$CWD/own/run-${UUID}/a.json`, `$CWD/own/run-${SHAPE}/a.json`],
  ["a random id where no wildcard means code", `$CWD/.git/hooks/${UUID}`, `$CWD/.git/hooks/${UUID}`],
  ["this moment", `$TMP/own/\${Date.now()}/a.txt`, `$TMP/own/${"?".repeat(13)}/a.txt`],
  ["today in the project", `$CWD/own/\${new Date().toISOString().slice(0, 10)}/a.md`, "$CWD/own/????-??-??/a.md"],
  ["a day that passed", "$CWD/old/2020-02-02/a.md", "$CWD/old/2020-02-02/a.md"],
  ["a hash in the project", "$CWD/own/a3ba5ccdee16/state.json", "$CWD/own/a3ba5ccdee16/state.json"],
  ["a hash where no wildcard means code", "$HOME/.claude/a3ba5ccdee16/settings.json", "$HOME/.claude/a3ba5ccdee16/settings.json"],
];

test("a folder that is named by a hash, a random id or the time is of any such in what trace proposes", async () => {
  const folder = temporaryFolder();
  const path = (text: string): string =>
    text.replace("$HOME", "${homedir()}").replace("$TMP", "${tmpdir()}").replace("$CWD", "${process.cwd()}");
  writeFiles(folder, {
    "hook.ts": `import { writeFileSync } from "node:fs"; import { homedir, tmpdir } from "node:os";
      const PATHS = [${NAMES.map(([, text]) => `\`${path(text)}\``).join(", ")}];
      export default (pi: any) => pi.on("session_start", () => { for (const path of PATHS) try { writeFileSync(path, ""); } catch {} });`,
  });
  const { stdout } = await cordon(["trace", "hook.ts", "--json"], { cwd: folder, home: join(folder, "home") });
  expect([...JSON.parse(stdout).capabilities.fs.write].sort()).toEqual(NAMES.map(([, , pattern]) => pattern).sort());
});
