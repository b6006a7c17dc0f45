import { existsSync } from "node:fs";
import { join } from "node:path";
import { PACKAGE_ROOT } from "../../src/base/package-root.ts";

const PACKAGES = ["linux-x64", "linux-arm64", "bin-darwin-arm64", "win-x64"];

/** The oldest Node that `engines` allows for an agent; `undefined` if npm has none for this machine. */
export const OLDEST_NODE = PACKAGES.flatMap((name) =>
  ["node", "node.exe"].map((file) => join(PACKAGE_ROOT, "node_modules", `oldest-node-${name}`, "bin", file)),
).find((path) => existsSync(path));
