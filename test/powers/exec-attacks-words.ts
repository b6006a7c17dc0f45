import { join } from "node:path";
import { BAD_GRANT, type ExecAttack, type Line, run } from "./exec-attack.ts";
import { full } from "./exec-attacks-programs.ts";

/** A grant without the word is refused, whatever its arguments: it is unknown what the program does with them. */
const unnamed = (line: Line, works: Line, gives: RegExp, more: Partial<ExecAttack> = {}): ExecAttack => ({
  name: `a grant of ${line.join(" ")}, without the word`,
  line,
  grant: [{ program: line[0], args: line.slice(1) }],
  refusal: BAD_GRANT,
  works: { grant: full(works[0], ...works.slice(1)), line: works, gives },
  ...more,
});

export const grants: ExecAttack[] = [
  unnamed(["find", ".", "-exec", "{MARKER}", ";"], ["find", "."], /a\.txt/),
  unnamed(["perl", "-e", "system('{MARKER}')"], ["perl", "-e", "print 1"], /^0 1$/),
  unnamed(["node", "-e", "child_process.spawnSync('{MARKER}')"], ["node", "-p", "1"], /^0 1\n/),
  unnamed(["flock", "a.txt", "{MARKER}"], ["flock", "a.txt", "pwd"], /proj\n$/),
  unnamed(["git", "-c", "alias.x=!{MARKER}", "x"], ["git", "version"], /^0 git version/),
  unnamed(["git", "bisect", "run", "{MARKER}"], ["git", "bisect", "log"], /not bisecting/, {
    lay(world) {
      const at = join(world, "proj");
      run(at, "git", "init", "-q");
      for (const message of ["one", "two", "three"])
        run(at, "git", "-c", "user.name=x", "-c", "user.email=x@y", "commit", "-q", "--allow-empty", "-m", message);
      run(at, "git", "bisect", "start", "HEAD", "HEAD~2");
      run(at, "git", "checkout", "-q", "HEAD");
    },
    works: { grant: full("git", "bisect", "log"), line: ["git", "bisect", "log"], gives: /^0 .*git bisect start/s },
  }),
  {
    ...unnamed(["ls"], ["ls"], /^0 a\.txt\n$/),
    name: "a grant of a plain name at a position of the hook's choice, without the word",
    line: ["{W}/bin/ls"],
    grant: [{ program: "{W}/bin/ls", args: [] }],
    lay(world) {
      run(world, "mkdir", "bin");
      run(world, "cp", "marker", "bin/ls");
    },
    works: { grant: [{ program: "ls", args: [] }], line: ["ls"], gives: /^0 a\.txt\n$/ },
  },
  {
    ...unnamed(["git"], ["git", "status"], /^128 .*not a git repo/),
    name: "a grant of git with a subcommand of the hook's choice, without the word",
    line: ["git", "grep", "--no-index", "-O{MARKER}", "one"],
    grant: [{ program: "git", args: [{ kind: "enum", values: ["grep", "status"] }, { rest: "text" }] }],
    works: { grant: [{ program: "git", args: ["status"] }], line: ["git", "status"], gives: /^128 .*not a git repo/ },
  },
];
