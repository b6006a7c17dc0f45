import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { HookHost } from "../../src/host/host.ts";
import { onToolCall, temporaryFolder, writeFiles } from "../support/session.ts";

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

describe("a folder that is named as a hook", () => {
  const guard = onToolCall(`return { block: true, reason: "guard" };`);
  const idle = "export default () => {};";
  const started = async (files: Record<string, string>) => {
    const folder = temporaryFolder();
    writeFiles(folder, files);
    const host = await HookHost.start({
      cwd: folder,
      home: join(folder, "home"),
      discover: false,
      hooks: ["./two"],
      log() {},
    });
    onTestFinished(() => host.close());
    return host.emitToolCall({ type: "tool_call", toolName: "bash", toolCallId: "1", input: { command: "ls" } });
  };
  const cordon = (...hooks: string[]) => JSON.stringify({ name: "two", version: "1.0.0", cordon: { hooks } });
  const pi = (part: object) => JSON.stringify({ name: "two", version: "1.0.0", pi: part });

  test.each<[string, Record<string, string>]>([
    ["its package's hook", { "two/package.json": cordon("./guard.ts"), "two/guard.ts": guard, "two/index.ts": idle }],
    [
      "its pi package's hook",
      { "two/package.json": pi({ hooks: ["guard.ts"] }), "two/guard.ts": guard, "two/index.ts": idle },
    ],
    [
      "its extension",
      { "two/package.json": pi({ extensions: ["./src"] }), "two/src/index.ts": guard, "two/index.ts": idle },
    ],
    ["itself", { "two/package.json": cordon("."), "two/index.ts": guard }],
    [
      "its one file, named twice",
      { "two/package.json": pi({ hooks: ["guard.ts"], extensions: ["guard.ts"] }), "two/guard.ts": guard },
    ],
    ["its index", { "two/index.ts": guard }],
    [
      "its index, with a package that names none",
      { "two/package.json": '{"name":"two"}', "two/index.js": guard.replaceAll(": any", "") },
    ],
  ])("is %s", async (_what, files) => {
    expect(await started(files)).toMatchObject({ block: true, reason: "guard" });
  });

  test.each<[string, Record<string, string>, RegExp]>([
    [
      "has several",
      { "two/package.json": cordon("a.ts", "b.ts"), "two/a.ts": idle, "two/b.ts": guard },
      /several hooks; name one of them: a\.ts, b\.ts/,
    ],
    ["names one that no path can be", { "two/package.json": cordon("a\0b") }, /two: .*null bytes/],
    ["names one that is too long", { "two/package.json": cordon("a".repeat(100_000)) }, /^.{10,1000}$/],
    [
      "names very many",
      { "two/package.json": cordon(...Array.from({ length: 60_000 }, (_, at) => `${at}.ts`)) },
      /^.{10,1000}$/,
    ],
    ["has none", { "two/guard.ts": guard }, /two is a folder without a hook; name the hook's file/],
    ["names one elsewhere", { "two/package.json": cordon("../guard.ts"), "guard.ts": guard }, /outside of it/],
    ["has a broken package", { "two/package.json": "{", "two/index.ts": guard }, /two\/package\.json: not JSON/],
  ])("and %s is refused", async (_what, files, message) => {
    await expect(started(files)).rejects.toMatchObject({
      name: "CordonError",
      message: expect.stringMatching(message),
    });
  });
});

test.each([
  [undefined, 1],
  ["own", 1],
  [false, 0],
] as const)(
  "a folder that is not there is said to have no hooks where they are looked for: %s",
  async (discover, count) => {
    const folder = temporaryFolder();
    const cwd = join(folder, "nope");
    const logged: string[] = [];
    const log = ({ text }: { text: string }) => void logged.push(text);
    const host = await HookHost.start({
      cwd,
      home: folder,
      agentDir: folder,
      log,
      ...(discover === undefined ? {} : { discover }),
    });
    onTestFinished(() => host.close());
    const notices = Array(count).fill(`there is no folder ${cwd}: the hooks of a project there are not found`);
    expect([host.notices, logged]).toEqual([notices, notices]);
  },
);
