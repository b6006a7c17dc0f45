import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { writeFiles } from "../support/session.ts";
import { asks, Machine } from "./world.ts";

/** git lets a submodule be a folder of this machine when it is told so. */
const ALLOWED = { GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "protocol.file.allow", GIT_CONFIG_VALUE_0: "always" };

const HOOK = `import secret from "./inner/secret.txt";
export default (pi: any) => { pi.on("tool_call", async () => ({ block: true, reason: secret })); };
`;

test.each(["", "#old", "#first", "#semver:^1"])(
  "a repository's submodules are not fetched: git+file:…%s",
  async (at) => {
    const machine = new Machine();
    const git = (folder: string, ...args: string[]): string =>
      execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.com", ...args], {
        cwd: join(machine.folder, folder),
        env: { ...process.env, ...ALLOWED },
        encoding: "utf8",
      }).trim();
    writeFiles(machine.folder, {
      "private/secret.txt": "of this person alone",
      "outer/package.json": JSON.stringify({ name: "gate", version: "1.0.0", ...asks({}) }),
      "outer/index.ts": HOOK,
    });
    for (const folder of ["private", "outer"]) git(folder, "init", "-q");
    git("private", "add", ".");
    git("private", "commit", "-qm", "x");
    git("outer", "submodule", "--quiet", "add", `file://${machine.folder}/private`, "inner");
    git("outer", "add", ".");
    git("outer", "commit", "-qm", "x");
    git("outer", "branch", "old");
    git("outer", "tag", "v1.0.0");
    const first = git("outer", "rev-parse", "HEAD");
    git("outer", "commit", "-qm", "y", "--allow-empty");

    const source = `git+file://${machine.folder}/outer${at.replace("first", first)}`;
    const added = await machine.run(["add", source, "--grant", "none"], { env: ALLOWED });

    expect(added).toMatchObject({ code: 1, stderr: expect.stringContaining("inner/secret.txt") });
    expect(added.stdout + added.stderr).not.toContain("of this person alone");
    // The control: git itself would have it.
    git("", "clone", "-q", "--recurse-submodules", `file://${machine.folder}/outer`, "cloned");
    expect(execFileSync("ls", [join(machine.folder, "cloned", "inner")], { encoding: "utf8" })).toContain("secret.txt");
  },
);
