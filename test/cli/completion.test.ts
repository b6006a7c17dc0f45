import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { attemptOr } from "../../src/base/attempt.ts";
import { PACKAGE_ROOT } from "../../src/base/package-root.ts";
import { cordon } from "../support/command.ts";
import { needs } from "../support/needs.ts";
import { onToolCall, temporaryFolder, writeFiles } from "../support/session.ts";

const has = (shell: string): boolean => attemptOr(() => execFileSync(shell, ["--version"]) !== undefined, false);

/** What each shell runs to complete the words of a line, the last of which is typed. */
const ASK: Record<string, (words: readonly string[]) => string> = {
  bash: (words) =>
    `source <(cordon completion bash); COMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length - 1}; _cordon; printf '%s\\n' "\${COMPREPLY[@]}"`,
  fish: (words) => `cordon completion fish | source; complete -C '${words.join(" ")}'`,
};

describe.each(["bash", "fish"])("in %s", (shell) => {
  const skip = needs(!has(shell) && shell);
  test("commands, subcommands, flags, values and hooks are completed", skip, () => {
    const folder = temporaryFolder();
    const main = join(PACKAGE_ROOT, "dist", "src", "cli", "start.js");
    mkdirSync(join(folder, "bin"));
    writeFiles(folder, {
      "bin/cordon": `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`,
      "home/hooks/gate.ts": onToolCall(""),
      "home/hooks/$(touch ran).ts": onToolCall(""),
    });
    chmodSync(join(folder, "bin", "cordon"), 0o755);
    const env = {
      ...process.env,
      PATH: `${join(folder, "bin")}:${process.env.PATH}`,
      CORDON_HOME: join(folder, "home"),
      PI_CODING_AGENT_DIR: folder,
    };
    const complete = (...words: string[]): string[] =>
      execFileSync(shell, ["-c", ASK[shell]?.(words) ?? ""], { cwd: folder, env, encoding: "utf8" })
        .split("\n")
        .filter(Boolean)
        .map((line) => line.split("\t")[0] as string);
    expect(complete("cordon", "au")).toEqual(["audit"]);
    expect(complete("cordon", "")).toEqual(expect.arrayContaining(["add", "why", "policy"]));
    expect(complete("cordon", "")).not.toContain("complete");
    expect(complete("cordon", "policy", "")).toContain("check");
    expect(complete("cordon", "audit", "--s")).toEqual(["--since"]);
    expect(complete("cordon", "completion", "z")).toEqual(["zsh"]);
    expect(complete("cordon", "disable", "g")).toEqual(["gate"]);
    // A file's name is no command of the shell.
    expect(complete("cordon", "disable", "--project", "").filter((name) => !name.includes("/"))).toContain("gate");
    expect(complete("cordon", "disable", "")).not.toContain("ran");
  });
});

test("an unknown shell is a mistake in the command line", async () => {
  const home = temporaryFolder();
  const { code, stderr } = await cordon(["completion", "tcsh"], { cwd: home, home });
  expect([code, stderr]).toEqual([2, expect.stringContaining("bash, zsh, fish")]);
});

test("each command has help with an example that begins with it, and near misses are named", async () => {
  const home = temporaryFolder();
  const run = (...args: string[]) => cordon(args, { cwd: home, home });
  const { stdout } = await run("complete", "--", "");
  const names = stdout.trim().split("\n");
  expect(names.length).toBeGreaterThan(25);
  const leaves = await Promise.all(
    names.map(async (name) => {
      if (!["policy", "index", "runtime", "daemon"].includes(name)) return [[name]];
      const more = (await run("complete", "--", name, "")).stdout.trim().split("\n").filter(Boolean);
      return more.length > 0 ? more.map((one) => [name, one]) : [[name]];
    }),
  );
  const notes: Record<string, string> = {
    add: "\n//HOST/:_authToken=TOKEN, ",
    audit: "\n(trial): hooks were only tried",
  };
  for (const words of leaves.flat()) {
    if (words[0] === "help") continue;
    const help = await run(...words, "--help");
    expect([help.code, help.stdout]).toEqual([
      0,
      expect.stringMatching(new RegExp(`Examples:\\n(.*\\n)*.*cordon ${words.join(" ")}`)),
    ]);
    expect(help.stdout).toContain(notes[words.join(" ")] ?? "");
  }
  for (const [args, meant] of [
    [["audti"], "audit"],
    [["audit", "--sinse", "2h"], "--since"],
    [["policy", "chek", "x"], "check"],
  ] as const) {
    const { code, stderr } = await run(...args);
    expect([code, stderr]).toEqual([2, expect.stringContaining(`(Did you mean ${meant}?)`)]);
  }
});
