import { type Dirent, readdirSync } from "node:fs";
import { join } from "node:path";
import { attemptOr } from "../base/attempt.ts";

/**
 * All entries below a folder; a folder that cannot be read has none. `enters`: whether to look into a folder. No link is followed:
 * Node's own recursion does, and two links to their own folder keep it for good.
 */
export function* entriesBelow(folder: string, enters: (path: string) => boolean = () => true): Generator<Dirent> {
  for (const left = [folder]; left.length > 0; ) {
    const next = left.pop() as string;
    for (const entry of attemptOr(() => readdirSync(next, { withFileTypes: true }), [])) {
      yield entry;
      const path = join(entry.parentPath, entry.name);
      if (entry.isDirectory() && enters(path)) left.push(path);
    }
  }
}
