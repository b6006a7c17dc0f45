import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { powersOf } from "../../src/grants/schema.ts";
import { onToolCall, startSession, temporaryFolder } from "../support/session.ts";

/** What a hook wrote of these paths, in a project with pi's and Cordon's folders. */
async function written(patterns: readonly string[], paths: readonly string[]): Promise<string[]> {
  const work = join(temporaryFolder(), "work");
  mkdirSync(work);
  const { host } = await startSession(
    {
      eager: {
        source: `import { writeFileSync } from "node:fs";
          export default (pi) => { pi.on("turn_start", () => { for (const path of ${JSON.stringify(paths)}) { try { writeFileSync(path, "x"); } catch {} } }); };`,
        grant: { capabilities: { events: { see: ["turn_start"] }, fs: { write: [...patterns] } } },
      },
    },
    { cwd: work, home: join(work, ".pi/kept"), agentDir: join(work, ".pi/agent") },
  );
  for (const path of [
    "goals/.git",
    "goals/hooks",
    "hooks",
    "extensions/x",
    "skills",
    "kept",
    "agent/goals",
    "agent/extensions/x",
    "agent/hooks",
    ...["lsp-aB3dE6", "lsp-aB3dE67", "other-aB3dE6"].map((name) => `agent/sessions/--p--/${name}`),
    "agent/sessions/--q--/lsp-aB3dE6",
  ])
    mkdirSync(join(work, ".pi", path), { recursive: true });
  mkdirSync(join(work, "node_modules", "x", ".pi", "goals"), { recursive: true });
  if (!existsSync(join(work, ".pi/goals/out"))) symlinkSync("../hooks", join(work, ".pi/goals/out"));
  writeFileSync(join(work, ".pi/goals/there.md"), "old");
  await host.emit({ type: "turn_start", turnIndex: 0, timestamp: 1 });
  return paths.filter((path) => existsSync(join(work, path)) && path !== ".pi/goals/there.md");
}

const GOALS = [".pi/goals/a.md", ".pi/goals/hooks/b.md", ".pi/agent/goals/c.md"];
const OTHERS = [
  ".pi/settings.json",
  ".pi/hooks/a.ts",
  ".pi/extensions/x/index.ts",
  ".pi/skills/a.md",
  ".pi/kept/grants.json",
  ".pi/agent/settings.json",
  ".pi/agent/extensions/x/index.ts",
  ".pi/agent/hooks/a.ts",
  ".pi/goals/.env",
  ".pi/goals/.git/hook",
  ".pi/goals/package.json",
  ".pi/goals/out/a.ts",
  ".pi/other.md",
  ".pi/agent/sessions/--p--/lsp-aB3dE6/a.log",
  ".pi/agent/sessions/--p--/lsp-aB3dE6/.env",
  ".pi/agent/sessions/--p--/lsp-aB3dE6/package.json",
  ".pi/agent/sessions/--p--/lsp-aB3dE67/a.log",
  ".pi/agent/sessions/--p--/other-aB3dE6/a.log",
  ".pi/agent/sessions/--p--/a.jsonl",
  ".pi/agent/sessions/--p--/lsp-.jsonl",
  ".pi/agent/sessions/--q--/lsp-aB3dE6/a.log",
  "node_modules/x/.pi/goals/a.md",
];

// biome-ignore format: a table
const ROWS: [claim: string, patterns: string[], written: string[]][] = [
  ["a folder of the extension's own is named", ["$CWD/.pi/goals/**", "$CWD/.pi/agent/goals/**"], GOALS],
  ["files in one are", ["$CWD/.pi/goals/*.md"], [".pi/goals/a.md"]],
  ["all of pi's folder is", ["$CWD/.pi/**"], []],
  ["all of the project is", ["$CWD/**"], []],
  ["the name is a wildcard", ["$CWD/.pi/*/a.md", "$CWD/.pi/g*/**"], []],
  ["folders that the agent reads are", ["$CWD/.pi/hooks/**", "$CWD/.pi/extensions/**", "$CWD/.pi/HOOKS/**", "$CWD/.pi/skills/**", "$CWD/.pi/agent/**", "$CWD/.pi/agent/extensions/**", "$CWD/.pi/agent/hooks/**"], []],
  ["a folder of Cordon's is", ["$CWD/.pi/kept/**"], []],
  ["one that mkdtemp makes beside sessions is", ["$CWD/.pi/agent/sessions/--p--/lsp-??????/**"], [".pi/agent/sessions/--p--/lsp-aB3dE6/a.log"]],
  ["sessions are, by what chance gave them", ["$CWD/.pi/agent/sessions/--p--/??????/**", "$CWD/.pi/agent/sessions/--p--/l-??????/**", "$CWD/.pi/agent/sessions/--p--/lsp-?????/**", "$CWD/.pi/agent/sessions/--p--/lsp-*/**", "$CWD/.pi/agent/sessions/*/lsp-??????/**", "$CWD/.pi/agent/sessions/--p--/**", "$CWD/.pi/agent/sessions/--p--/*.jsonl"], []],
  ["one in another package is", ["$CWD/node_modules/x/.pi/goals/**"], []],
];

test("a folder that mkdtemp makes beside sessions is made, written, read and removed under its pattern, and no link is put there", async () => {
  const folder = temporaryFolder();
  const pattern = "$HOME/agent/.pi/agent/sessions/--p--/lsp-??????/**";
  const sessions = join(folder, ".pi/agent/sessions/--p--");
  mkdirSync(sessions, { recursive: true });
  const granted = pattern.replace("$HOME/agent", folder);
  const session = await startSession(
    {
      maker: {
        source: onToolCall(
          `const made = fs.mkdtempSync(event.input.sessions + "/lsp-");
           fs.writeFileSync(made + "/a", "one"); const text = fs.readFileSync(made + "/a", "utf8");
           let link = "made"; try { fs.symlinkSync("/etc", made + "/l"); } catch (error: any) { link = error.code ?? error.name; }
           let file = "written"; try { fs.writeFileSync(event.input.sessions + "/lsp-abcdef", "x"); fs.writeFileSync(event.input.sessions + "/x.jsonl", "x"); } catch (error: any) { file = "refused"; }
           fs.rmSync(made, { recursive: true });
           return { block: true, reason: [text, link, file, fs.existsSync(made)].join() };`,
          `import fs from "node:fs";`,
        ),
        grant: {
          capabilities: {
            events: { see: ["tool_call"], block: true },
            fs: { read: [granted], write: [granted] },
          },
        },
      },
    },
    { agentDir: join(folder, ".pi/agent") },
  );
  const verdict = await session.call({ sessions });
  expect(String(verdict && "reason" in verdict && verdict.reason)).toMatch(
    /^one,(EACCES|EPERM|NotGrantedError|NOT_GRANTED)[^,]*,refused,false$/,
  );
});

describe("a wildcard below .pi covers what lies in an extension's own folder", () => {
  test.each(ROWS)("if %s", async (_claim, patterns, expected) => {
    expect(await written(patterns, [...GOALS, ...OTHERS])).toEqual(expected);
  });

  test.each([
    [["$CWD/.pi/**"], ["$CWD/.pi/goals/**"]],
    [["$CWD/**"], ["$CWD/.pi/goals/**"]],
    [["/**"], ["$CWD/.pi/goals/**"]],
    [["$CWD/.pi/*/**"], ["$CWD/.pi/goals/**"]],
  ])("%s does not cover %s", (wide, narrow) => {
    expect(powersOf.covers({ fs: { write: wide } }, { fs: { write: narrow } })).toBe(false);
    expect(powersOf.covers({ fs: { write: ["$CWD/.pi/goals/**"] } }, { fs: { write: ["$CWD/.pi/goals/*.md"] } })).toBe(
      true,
    );
  });
});
