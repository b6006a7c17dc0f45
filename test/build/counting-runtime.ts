import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/**
 * Puts a runtime into `home` whose Node writes down what it is asked to run, and then runs it. Returns how many builds
 * it was asked for since the last look.
 */
export function countingRuntime(home: string): () => number {
  const bin = join(home, "runtime", "node", "bin");
  const calls = join(home, "runtime", "calls");
  mkdirSync(bin, { recursive: true });
  symlinkSync(
    dirname(createRequire(import.meta.url).resolve("isolated-vm/package.json")),
    join(home, "runtime", "isolated-vm"),
  );
  writeFileSync(join(bin, "node"), `#!/bin/sh\necho "$*" >> '${calls}'\nexec '${process.execPath}' "$@"\n`);
  chmodSync(join(bin, "node"), 0o755);
  let seen = 0;
  return () => {
    const builds = (existsSync(calls) ? readFileSync(calls, "utf8") : "")
      .split("\n")
      .filter((line) => /worker\.[jt]s/.test(line)).length;
    const since = builds - seen;
    seen = builds;
    return since;
  };
}
