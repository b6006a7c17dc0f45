import { expect, test } from "vitest";
import { HookHost } from "../../src/host/host.ts";
import { temporaryFolder } from "../support/session.ts";

// biome-ignore format: a table
const WRONG: readonly [given: Record<string, unknown>, says: string][] = [
  [{ hooks: "a" }, "hooks must be an array"],
  [{ hooks: [""] }, "hooks.0 must not be empty, or be an object"],
  [{ hooks: [1] }, "hooks.0 must be a string, or be an object"],
  [{ hooks: [{ path: "a.ts", trust: true }] }, 'hooks.0.trust must be one of "full"'],
  [{ hooks: [{ path: "a.ts", grants: {} }] }, 'unknown key "grants" in hooks.0; allowed: path, id, grant, trust; did you mean grant?'],
  [{ record: false }, "record must be true, or be a string"],
  [{ discover: "all" }, 'discover must be a boolean, or be "own"'],
  [{ trial: "one" }, 'trial must be a boolean, or be "alone"'],
  [{ sessionFile: 1 }, "sessionFile must be a string, or be null"],
  [{ remedy: { restart: 1 } }, "remedy.restart must be a string"],
  [{ remedy: { restrt: "x" } }, 'unknown key "restrt" in remedy; allowed: restart, remove, grant, accept; did you mean restart?'],
  [{ hookTimeout: "1s" }, "hookTimeout must be a number"],
  [{ cwd: "here" }, "cwd must be absolute, not here"],
  [{ log: 1 }, "log must be a function"],
];

test.each(WRONG)("options that are wrong are told in one line: %j", async (given, says) => {
  const folder = temporaryFolder();
  const options = { cwd: folder, home: folder, ...given };
  await expect(HookHost.start(options as never)).rejects.toThrow(
    expect.objectContaining({ code: "BAD_GRANT", message: `HookHost.start options: ${says}` }),
  );
});
