import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/**
 * Puts a runtime into `home` whose Node notes what builds it is asked for. Returns a function that returns the number of
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
  const node = `'${process.execPath}' "$@"`;
  const noting = `case "$*" in *worker.[jt]s*) tee -a '${builds}' | ${node} ;; *) exec ${node} ;; esac`;
  writeFileSync(join(bin, "node"), `#!/bin/sh\n${noting}\n`);
  chmodSync(join(bin, "node"), 0o755);
  let seen = 0;
  return () => {
    const total = existsSync(builds) ? readFileSync(builds, "utf8").split("\n").length - 1 : 0;
    const since = total - seen;
    seen = total;
    return since;
  };
}
