import { join } from "node:path";
import { expect, test } from "vitest";
import type { HookHostOptions } from "../../src/session/options.ts";
import { onToolCall, scriptedUi, startSession, temporaryFolder, writeFiles } from "../support/session.ts";

const READS = onToolCall(`
  let said; try { said = require("node:fs").readFileSync("/etc/hostname", "utf8") && "read"; } catch (error: any) { said = error.code; }
  return { block: true, reason: said };
`);
const ASKS = onToolCall(`
  try { return { block: true, reason: String(await ctx.ui.confirm("one", "two")) }; } catch (error: any) { return { block: true, reason: error.code }; }
`);
const EVALUATES = onToolCall(`
  try { return { block: true, reason: String((0, eval)("42")) }; } catch (error: any) { return { block: true, reason: error.name }; }
`);
const EVENTS = { see: ["*"], block: true };
const FILES = { events: EVENTS, fs: { read: ["/etc/hostname"] } };

interface Row {
  readonly source: string;
  readonly power: string | undefined;
  readonly grant?: { capabilities?: object; limits?: object };
  /** What the call says before and after. */
  readonly said: readonly [string, string];
}
const ROWS: Record<string, Row> = {
  "a power of the grant option": {
    source: READS,
    power: "fs",
    grant: { capabilities: FILES },
    said: ["read", "NOT_GRANTED"],
  },
  "all powers of the grant option": {
    source: READS,
    power: undefined,
    grant: { capabilities: FILES },
    said: ["read", "NOT_GRANTED"],
  },
  "a limit of the grant option": {
    source: EVALUATES,
    power: "limits",
    grant: { capabilities: { events: EVENTS }, limits: { eval: true } },
    said: ["42", "EvalError"],
  },
  "a power that each hook of one's own has": { source: ASKS, power: "ui", said: ["true", "NOT_GRANTED"] },
};

const session = ({ source, grant }: Row, options: Partial<HookHostOptions> = {}) =>
  startSession(
    { gate: { source, ...(grant && !options.grantsFile ? { grant } : {}) } },
    { ui: scriptedUi({ confirm: true }), hasUI: true, consent: () => "deny", ...options },
  );

test.each(Object.entries(ROWS))("%s stays revoked when the hook is started again", async (_name, row) => {
  const { host, call } = await session(row);
  expect(await call()).toMatchObject({ reason: row.said[0] });
  await host.revoke("gate", row.power);
  expect(await call()).toMatchObject({ reason: row.said[1] });
  await host.reload("gate");
  expect(await call()).toMatchObject({ reason: row.said[1] });
});

test("so does a power of a file that was named for the session", async () => {
  const folder = temporaryFolder();
  const hooks = { gate: { capabilities: FILES } };
  writeFiles(folder, { "named.json": JSON.stringify({ version: 1, hooks }) });
  const { host, call } = await session(ROWS["a power of the grant option"] as Row, {
    grantsFile: join(folder, "named.json"),
  });
  expect(await call()).toMatchObject({ reason: "read" });
  await host.revoke("gate", "fs");
  await host.reload("gate");
  expect(await call()).toMatchObject({ reason: "NOT_GRANTED" });
});

test("what each hook of one's own has stays revoked in later sessions", async () => {
  const home = join(temporaryFolder(), "home");
  const row = ROWS["a power that each hook of one's own has"] as Row;
  const first = await session(row, { home });
  await first.host.revoke("gate", "ui");
  const [path] = first.host.hooks.map((hook) => hook.path);
  const later = await startSession({}, { home, hooks: [path as string], ui: scriptedUi({ confirm: true }) });
  expect(later.host.hooks[0]?.capabilities).not.toHaveProperty("ui");
  expect(await later.call()).toMatchObject({ reason: "NOT_GRANTED" });
});

test("a person who revoked a power may grant it again", async () => {
  const row = ROWS["a power of the grant option"] as Row;
  const { host, call } = await session(row, { consent: () => "session" });
  await host.revoke("gate", "fs");
  expect(await host.grant("gate", "fs", FILES.fs)).toBe("session");
  expect(await call()).toMatchObject({ reason: "read" });
});
