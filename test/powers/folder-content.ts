import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";

/** The content of a folder, recursively: path to `folder`, `-> target` or a file's text. */
export function contentOf(folder: string): Record<string, string> {
  const content: Record<string, string> = {};
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" }).sort()) {
    const path = join(folder, name);
    const status = lstatSync(path);
    content[name] = status.isSymbolicLink()
      ? `-> ${readlinkSync(path)}`
      : status.isFile()
        ? readFileSync(path, "utf8")
        : "folder";
  }
  return content;
}
