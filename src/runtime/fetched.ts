import { readFileSync } from "node:fs";
import { join } from "node:path";
import { attemptOr } from "../base/attempt.ts";
import type { Pinned } from "./fetch-package.ts";

/** Whether a folder says that it is this package. */
export const isPackage = (pinned: Pinned, folder: string): boolean =>
  attemptOr(() => {
    const { name, version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    return pinned.spec === `${name}@${version}`;
  }, false);
