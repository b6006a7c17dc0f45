/** A host that a hook floods in every way it can: prints a {@link Flooded} of each hook as JSON. Runs on any Node that hosts may have. */
import { closeSync, mkdirSync, openSync, readdirSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
// The built package, as agents import it: the oldest Node cannot read the sources.
import { HookHost, type HookHostOptions } from "../../dist/src/index.js";
import { FILE_FLOODER, FILE_FLOODS, FLOODER, FLOODS } from "../failure/host-floods.ts";

/** The worst of all floods, each with its name. */
export interface Flooded {
  /** 99th percentile of how late the event loop was, in ms. */
  p99: Worst;
  /** The maximum lateness, in ms. */
  most: Worst;
  /** The growth of the record, in bytes. */
  record: Worst;
}

interface Worst {
  name: string;
  value: number;
}

type HookOption = Exclude<NonNullable<HookHostOptions["hooks"]>[number], string>;

const RESOLUTION_MS = 2;

const [, , folder = ""] = process.argv;
const work = join(folder, "work");
const records = join(folder, "home", "audit");
const recorded = (): number => readdirSync(records).reduce((sum, name) => sum + statSync(join(records, name)).size, 0);

/** Starts a hook with these floods, and measures each. */
async function worstOf(
  source: string,
  floods: readonly (readonly [name: string, body: string])[],
  grant: HookOption["grant"],
) {
  const path = join(folder, "flooder.ts");
  writeFileSync(path, source);
  const host = await HookHost.start({
    cwd: work,
    home: join(folder, "home"),
    discover: false,
    spare: false,
    hooks: [{ path, id: "flooder", ...(grant ? { grant } : {}) }],
    log: () => {},
  });
  host.onError(() => {});
  if (host.hooks[0]?.state !== "active")
    throw new Error(`the flooder is ${host.hooks[0]?.state}: ${host.hooks[0]?.reason}`);
  const none: Worst = { name: "", value: 0 };
  const worst: Flooded = { p99: none, most: none, record: none };
  for (const [flood, [name]] of floods.entries()) {
    const before = recorded();
    const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
    delay.enable();
    await host.emitToolCall({ type: "tool_call", toolName: "bash", toolCallId: "1", input: { flood } });
    delay.disable();
    const late = (ns: number): number => ns / 1e6 - RESOLUTION_MS;
    const found = { p99: late(delay.percentile(99)), most: late(delay.max), record: recorded() - before };
    for (const key of ["p99", "most", "record"] as const)
      if (found[key] > worst[key].value) worst[key] = { name, value: found[key] };
    await host.reload("flooder");
  }
  await host.close();
  return worst;
}

mkdirSync(join(work, "many"), { recursive: true });
for (const [name, megabytes] of [
  ["big", 64],
  ["five", 5],
] as const) {
  closeSync(openSync(join(work, name), "w"));
  truncateSync(join(work, name), megabytes * 1024 * 1024);
}
for (const [name, line] of [
  ["text", "a line of text\n"],
  ["quotes", '"a": "b",\n'],
] as const)
  writeFileSync(join(work, name), line.repeat((5 * 1024 * 1024) / line.length));
for (let at = 0; at < 50_000; at++) closeSync(openSync(join(work, "many", `${at}`), "w"));
const fs = { read: ["$CWD/**"], write: ["$CWD/**"], watch: ["$CWD/**"] };
const files = { capabilities: { events: { see: ["tool_call"], block: true }, fs } };
console.log(
  JSON.stringify([await worstOf(FLOODER, FLOODS, undefined), await worstOf(FILE_FLOODER, FILE_FLOODS, files)]),
);
