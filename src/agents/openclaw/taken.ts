import { fileURLToPath } from "node:url";
import { attemptOr } from "../../base/attempt.ts";

/** What OpenClaw takes off arguments after its plugins have seen them, since models write it by mistake. */
const WRONG_END = /<\/arg_value>>+$/;
const WRONG_OFFICE = /\.(doc|ppt|xls)(?:odex|codex|xodex|xcodex)$/i;

/** The command that OpenClaw runs. */
export const takenCommand = (command: string): string => command.replace(WRONG_END, "");

/** The path that OpenClaw's tools use. */
export function takenPath(path: string): string {
  const mended = path.replace(WRONG_END, "").replace(WRONG_OFFICE, (_all, kind: string) => `.${kind}x`);
  const named = mended.replace(/^@/, "");
  return /^file:\/\//i.test(named) ? attemptOr(() => fileURLToPath(named), named) : named;
}
