import { join } from "node:path";
import { userFolder } from "../disk/user-folder.ts";

/** Where pi would keep the session of a hook that is tried out. There is no such file. */
export const sampleSessionFile = (cwd: string): string =>
  join(
    ...[userFolder(), ".pi", "agent", "sessions", `--${cwd.replace(/^[/\\]/, "").replace(/[/\\:]/g, "-")}--`],
    "2026-01-01T00-00-00-000Z_sample.jsonl",
  );
