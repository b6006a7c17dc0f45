import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { HookHost } from "../../src/host/host.ts";
import { changeGrant } from "../../src/store/grants-file.ts";
import { Revocations } from "../../src/store/revocations.ts";
import { cordon } from "../support/command.ts";
import { onToolCall, startSession, temporaryFolder, writeFiles } from "../support/session.ts";

const HOOK = `
  export default (pi) => {
    pi.on("tool_call", (event) => { event.input.rewritten = true; });
    pi.on("tool_result", () => ({ content: [{ type: "text", text: "changed" }] }));
    pi.on("session_before_switch", () => ({ cancel: true }));
  };
`;
const HEARS = { events: { see: ["*"], block: true } };
const RIGHTS = { ...HEARS.events, rewriteInput: ["*"], rewriteResult: ["*"], cancel: true };

const texts = (powers: object, path: string): string =>
  JSON.stringify({ version: 1, hooks: { [path]: { capabilities: powers } } });

/** How a person takes all of a hook's rights away while a session runs. */
const WAYS: Record<string, (world: { home: string; path: string; folder: string }) => Promise<void>> = {
  "by the command": async ({ home, path, folder }) => {
    expect((await cordon(["revoke", path, "events"], { cwd: folder, home })).code).toBe(0);
  },
  "in an editor that writes in place": async ({ home, path }) =>
    writeFileSync(join(home, "grants.json"), texts(HEARS, path)),
  "in an editor that renames": async ({ home, path }) => {
    writeFileSync(join(home, "new"), texts(HEARS, path));
    renameSync(join(home, "new"), join(home, "grants.json"));
  },
  "by removing the file": async ({ home }) => rmSync(join(home, "grants.json")),
  "by moving the folder away": async ({ home }) => renameSync(home, `${home}-away`),
  "by another folder in its place": async ({ home, path }) => {
    renameSync(home, `${home}-away`);
    mkdirSync(home);
    writeFileSync(join(home, "grants.json"), texts(HEARS, path));
  },
  "by another folder above": async ({ home, path }) => {
    renameSync(dirname(home), `${dirname(home)}-away`);
    mkdirSync(home, { recursive: true });
    writeFileSync(join(home, "grants.json"), texts(HEARS, path));
  },
};

test.each(Object.entries(WAYS))("no decision of a hook counts that lost its right: %s", async (_name, revoke) => {
  const folder = temporaryFolder();
  const home = join(folder, "above", "home");
  const path = join(folder, "hook.ts");
  writeFiles(folder, { "hook.ts": HOOK });
  writeFiles(home, { "grants.json": texts({ events: RIGHTS }, path) });
  await using host = await HookHost.start({ spare: false, cwd: folder, home, discover: false, hooks: [path] });
  const decided = async () => ({
    call: await host.emitToolCall({ type: "tool_call", toolName: "bash", toolCallId: "1", input: {} }),
    result: await host.emit({
      ...{ type: "tool_result", toolName: "bash", toolCallId: "1", input: {}, isError: false },
      ...{ content: [], details: undefined },
    } as never),
    before: await host.emit({ type: "session", reason: "before_switch", targetSessionFile: null } as never),
  });
  expect(await decided()).toMatchObject({
    call: { input: { rewritten: true } },
    result: { content: [{ text: "changed" }] },
    before: { cancel: true },
  });
  // Events within a few milliseconds share one look at the file.
  await delay(20);
  await revoke({ home, path, folder });
  expect(await decided()).toEqual({ call: undefined, result: undefined, before: undefined });
});

// biome-ignore format: a table
test.each<[string, (world: { home: string; watch: () => void }) => void, boolean]>([
  ["a folder that is there is watched",               ({ home, watch }) => { mkdirSync(home, { recursive: true }); watch(); }, true],
  ["a folder that is not there is not",               ({ watch }) => watch(), false],
  ["one that comes later is, from the next time on",  ({ home, watch }) => { watch(); mkdirSync(home, { recursive: true }); watch(); }, true],
])("%s", async (_claim, begin, isWatched) => {
  const folder = temporaryFolder();
  const home = join(folder, "above", "home");
  const path = join(home, "grants.json");
  const revocations = new Revocations(path, new Map());
  onTestFinished(() => revocations.close());
  begin({ home, watch: () => revocations.watch() });
  await delay(20);
  revocations.check();
  // A watcher of the folder does not notice a change above it.
  if (existsSync(home)) renameSync(dirname(home), `${dirname(home)}-away`);
  writeFiles(home, { "grants.json": texts(HEARS, "/hook.ts") });
  await delay(20);
  expect(revocations.look() === undefined).toBe(isWatched);
  expect(isWatched ? revocations.check()?.now.size : 1).toBe(1);
});

test("a refusal does not ask for a grant that was made since the session began", async () => {
  const { call, folder } = await startSession({
    gate: { source: onToolCall('await ctx.exec("date", [event.input.command]);') },
  });
  const reason = async (command: string) => {
    const outcome = await call(command);
    return outcome && "block" in outcome ? outcome.reason : "";
  };
  expect(await reason("+%Y")).toMatch(/run: cordon grant .*gate\.ts exec/);
  const exec = [{ program: "date", args: ["+%Y"] }];
  changeGrant(join(folder, "home", "grants.json"), "gate", () => ({
    capabilities: { events: { see: ["*"], block: true }, exec },
  }));
  // Uses that follow each other within 5 ms share one look at the file.
  await delay(10);
  expect(await reason("+%Y")).toMatch(/exec: .*; it was granted since: sessions that start now have it$/);
  expect(await reason("+%m")).toMatch(/run: cordon grant .* exec/);
});
