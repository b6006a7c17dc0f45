import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { powersOf } from "../../src/grants/schema.ts";
import { startSession, temporaryFolder } from "../support/session.ts";

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
  ["one in another package is", ["$CWD/node_modules/x/.pi/goals/**"], []],
];

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
