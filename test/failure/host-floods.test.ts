import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { sampled } from "../support/length.ts";
import { onToolCall, scriptedUi, startSession } from "../support/session.ts";
import { UNHURRIED } from "../support/unhurried.ts";
import { FLOODER, FLOODS } from "./host-floods.ts";

const MEGABYTE = 1024 * 1024;
/** Growth of the heap during one flood, after a collection: caches and lists with a limit. */
const MAX_MEMORY = 8 * MEGABYTE;

setFlagsFromString("--expose-gc");
const collect: () => void = runInNewContext("gc");

test("there are many ways to flood a host", () => {
  expect(FLOODS.length).toBeGreaterThanOrEqual(60);
});

test("a hook without powers does not change its host's record, its memory, or the hooks beside it", {
  timeout: 300_000,
}, async () => {
  const session = await startSession(
    {
      flooder: { source: FLOODER, grant: { capabilities: { events: { see: ["*"], block: true }, env: [] } } },
      gate: `export default (pi: any) => { pi.on("tool_call", (event: any) => event.input.gate && { block: true, reason: "gate" }); };`,
    },
    { ui: scriptedUi(), hasUI: false },
  );
  const folder = join(session.folder, "home", "audit");
  const recorded = (): number => readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
  const wrong: string[] = [];
  collect();
  let { heapUsed } = process.memoryUsage();
  for (const [flood, [name]] of sampled([...FLOODS.entries()], 3)) {
    const before = { record: recorded(), memory: heapUsed };
    await session.call({ flood });
    const record = recorded() - before.record;
    if (record > MEGABYTE) wrong.push(`${name}: ${record} bytes of record`);
    collect();
    // What the reload after a flood keeps counts for the next one.
    ({ heapUsed } = process.memoryUsage());
    const memory = heapUsed - before.memory;
    if (memory > MAX_MEMORY) wrong.push(`${name}: ${Math.round(memory / MEGABYTE)} MB of memory`);
    await session.host.reload("flooder");
    const verdict = await session.call({ flood: FLOODS.length - 1, gate: true });
    if (!verdict || !("block" in verdict) || verdict.hook !== "gate")
      wrong.push(`${name}: the gate is ${JSON.stringify(verdict)}`);
  }
  expect(wrong).toEqual([]);
});

test("constant refusals add less than a megabyte to the record, with a few lines about the first attempts", async () => {
  const body = `const end = Date.now() + 3000;
    for (let at = 0; Date.now() < end; at++) { fs.existsSync("/x/" + at); fs.existsSync("/etc/passwd"); }`;
  const source = onToolCall(body, 'import * as fs from "node:fs";');
  const session = await startSession({ looks: { source, grant: { limits: UNHURRIED } } }, { hookTimeout: 20_000 });
  expect(await session.call()).toBeUndefined();
  const record = session.audit.reduce((sum, line) => sum + JSON.stringify(line).length, 0);
  expect(record).toBeLessThan(MEGABYTE);
  const lines = session.audit.filter(({ capability }) => capability?.startsWith("fs"));
  expect(lines[0]?.value).toContain("/x/0");
  expect(lines.length).toBeGreaterThan(10);
});
