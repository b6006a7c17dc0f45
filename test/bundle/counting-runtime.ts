import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/**
 * Puts a runtime into `home` whose Node counts the builders that it runs. Returns a function that returns the number of
 * builds since the last call. A sandbox must not write files, so only builders are counted.
 */
export function countingRuntime(home: string): () => number {
  const bin = join(home, "runtime", "node", "bin");
  const builds = join(home, "runtime", "builds");
  mkdirSync(bin, { recursive: true });
  symlinkSync(
    dirname(createRequire(import.meta.url).resolve("isolated-vm/package.json")),
    join(home, "runtime", "isolated-vm"),
  );
  const count = `case "$*" in *worker.[jt]s*) printf . >> '${builds}' ;; esac`;
  writeFileSync(join(bin, "node"), `#!/bin/sh\n${count}\nexec '${process.execPath}' "$@"\n`);
  chmodSync(join(bin, "node"), 0o755);
  let seen = 0;
  return () => {
    const total = existsSync(builds) ? readFileSync(builds).length : 0;
    const since = total - seen;
    seen = total;
    return since;
  };
}
