import { type Dirent, readdirSync } from "node:fs";
import { join } from "node:path";

/** All entries below a folder. No link is followed: Node's own recursion does, and two links to their own folder keep it for good. */
export function* entriesBelow(folder: string): Generator<Dirent> {
  for (const left = [folder]; left.length > 0; )
    for (const entry of readdirSync(left.pop() as string, { withFileTypes: true })) {
      yield entry;
      if (entry.isDirectory()) left.push(join(entry.parentPath, entry.name));
    }
}
