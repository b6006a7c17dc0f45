/** A host whose one hook, without any power, floods it in every way: prints {@link Flooded} as JSON. Runs on any Node that hosts may have. */
import { mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
// The built package, as agents import it: the oldest Node cannot read the sources.
import { HookHost } from "../../dist/src/index.js";
import { FLOODER, FLOODS } from "../failure/host-floods.ts";

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

const RESOLUTION_MS = 2;

const [, , folder = ""] = process.argv;
mkdirSync(join(folder, "work"), { recursive: true });
writeFileSync(join(folder, "flooder.ts"), FLOODER);
const host = await HookHost.start({
  cwd: join(folder, "work"),
  home: join(folder, "home"),
  discover: false,
  spare: false,
  hooks: [{ path: join(folder, "flooder.ts"), id: "flooder" }],
  log: () => {},
});
host.onError(() => {});
if (host.hooks[0]?.state !== "active")
  throw new Error(`the flooder is ${host.hooks[0]?.state}: ${host.hooks[0]?.reason}`);
const records = join(folder, "home", "audit");
const recorded = (): number => readdirSync(records).reduce((sum, name) => sum + statSync(join(records, name)).size, 0);
const worst: Flooded = {
  p99: { name: "", value: 0 },
  most: { name: "", value: 0 },
  record: { name: "", value: 0 },
};
for (const [flood, [name]] of FLOODS.entries()) {
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
console.log(JSON.stringify(worst));
