import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

const mount = (folder: string): boolean =>
  spawnSync("/bin/mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", folder]).status === 0;

/** Whether this process may mount a file system: Linux, and only for root. */
export const mayMount = ((): boolean => {
  const folder = mkdtempSync(join(tmpdir(), "cordon-small-"));
  const isMounted = mount(folder);
  if (isMounted) spawnSync("/bin/umount", [folder]);
  rmSync(folder, { recursive: true, force: true });
  return isMounted;
})();

/** A file system of 64 KB, for one test. */
export function smallDisk(): { folder: string; fill(): void } {
  const folder = mkdtempSync(join(tmpdir(), "cordon-small-"));
  mount(folder);
  onTestFinished(() => {
    spawnSync("/bin/umount", [folder]);
    rmSync(folder, { recursive: true, force: true });
  });
  const fill = (): void => {
    try {
      for (let number = 0; ; number++) writeFileSync(join(folder, `filler-${number}`), "x".repeat(1024));
    } catch {}
  };
  return { folder, fill };
}
