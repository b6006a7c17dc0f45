import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { HookHost } from "../../src/index.ts";
import { FLOODER, FLOODS } from "../failure/host-floods.ts";
import { print, round } from "./measure.ts";

const RESOLUTION_MS = 2;
const MAX_P99_MS = 20;
const MAX_LATE_MS = 100;

/** Every flood of a hook without powers: how late the host's event loop was. */
export async function floods(folder: string): Promise<boolean> {
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
  let worst = { name: "", p99: 0 };
  let latest = { name: "", ms: 0 };
  for (const [flood, [name]] of FLOODS.entries()) {
    const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
    delay.enable();
    await host.emitToolCall({ type: "tool_call", toolName: "bash", toolCallId: "1", input: { flood } });
    delay.disable();
    const [p99, ms] = [delay.percentile(99) / 1e6 - RESOLUTION_MS, delay.max / 1e6 - RESOLUTION_MS];
    if (p99 > worst.p99) worst = { name, p99 };
    if (ms > latest.ms) latest = { name, ms };
    await host.reload("flooder");
  }
  await host.close();
  return print(`Floods by a hook without powers (${FLOODS.length}, 400 ms each)`, [
    {
      what: `host's event loop late, p99 of the worst (${worst.name})`,
      value: `${round(worst.p99, 1)} ms`,
      beside: `${MAX_P99_MS} ms`,
      ratio: worst.p99 / MAX_P99_MS,
      goal: 1,
    },
    {
      what: `host's event loop late, at the most (${latest.name})`,
      value: `${round(latest.ms, 1)} ms`,
      beside: `${MAX_LATE_MS} ms`,
      ratio: latest.ms / MAX_LATE_MS,
      goal: 1,
    },
  ]);
}
