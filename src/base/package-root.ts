import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

function find(from: string): string {
  return existsSync(join(from, "package.json")) ? from : find(dirname(from));
}

/** The root folder of this package, for its sources and for its build. */
export const PACKAGE_ROOT = find(dirname(fileURLToPath(import.meta.url)));

/** Built files that are read as files: the sandbox process, the guest runtime, the guest's Node modules. */
export const built = (...path: string[]): string => join(PACKAGE_ROOT, "dist", "sandbox", ...path);

/** Built files of the host that are not imported by name: the build process, and what trusted hooks import. */
export const builtForHost = (...path: string[]): string => join(PACKAGE_ROOT, "dist", "src", ...path);
