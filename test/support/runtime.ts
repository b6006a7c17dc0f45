import { mkdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { PACKAGE_ROOT } from "../../src/base/package-root.ts";
import { runtimeAddon, runtimeNode } from "../../src/runtime/locate.ts";

/** A runtime as `cordon runtime install` lays it out, of the repository's own parts: for `CORDON_RUNTIME`, beside a packed Cordon. */
export function runtimeIn(folder: string): string {
  mkdirSync(dirname(runtimeNode(folder)), { recursive: true });
  symlinkSync(process.execPath, runtimeNode(folder));
  symlinkSync(join(PACKAGE_ROOT, "node_modules", "isolated-vm"), runtimeAddon(folder));
  return folder;
}
