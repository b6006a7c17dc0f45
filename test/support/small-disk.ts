import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

const mount = (folder: string, how = "size=64k"): boolean =>
  spawnSync("/bin/mount", ["-t", "tmpfs", "-o", how, "tmpfs", folder]).status === 0;

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
  const folder = mounted("size=64k");
  const fill = (): void => {
    try {
      for (let number = 0; ; number++) writeFileSync(join(folder, `filler-${number}`), "x".repeat(1024));
    } catch {}
  };
  return { folder, fill };
}

/** An empty file system that nothing can be written to, for one test. */
export const readOnlyDisk = (): string => mounted("ro");

function mounted(how: string): string {
  const folder = mkdtempSync(join(tmpdir(), "cordon-small-"));
  mount(folder, how);
  onTestFinished(() => {
    spawnSync("/bin/umount", [folder]);
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}
