import { homedir } from "node:os";
import { isAbsolute } from "node:path";
import { CordonError } from "../base/errors.ts";

/**
 * The person's own folder: `$HOME`, or what the system says where that is not set. Throws for a `$HOME` that is empty or
 * relative: each working directory would then be the person's own, with its hooks, grants and programs.
 */
export function userFolder(): string {
  const folder = homedir();
  if (isAbsolute(folder)) return folder;
  throw new CordonError(
    "BAD_GRANT",
    `HOME=${folder} is not an absolute path; set it to your own folder, or leave it out`,
  );
}
