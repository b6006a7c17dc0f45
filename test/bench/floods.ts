import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { PACKAGE_ROOT } from "../../src/base/package-root.ts";
import { runtimeAddon, runtimeNode } from "../../src/runtime/locate.ts";
import { FILE_FLOODS, FLOODS } from "../failure/host-floods.ts";
import { OLDEST_NODE } from "../support/oldest-node.ts";
import type { Flooded } from "./floods-host.ts";
import { print, type Row, round } from "./measure.ts";

const MAX_P99_MS = 10;
const MAX_LATE_MS = 100;
const MAX_RECORD_KB = 1024;

/** What one hook did to a host: how late the event loop was. */
function rowsOf(version: string, { p99, most, record }: Flooded): Row[] {
  const row = (what: string, { name, value }: Flooded["p99"], unit: string, limit: number): Row => ({
    what: `Node ${version}: ${what} (${name})`,
    value: `${round(value, 1)} ${unit}`,
    beside: `${limit} ${unit}`,
    ratio: value / limit,
    goal: 1,
  });
  return [
    row("event loop late, p99 of the worst", p99, "ms", MAX_P99_MS),
    row("event loop late, at the most", most, "ms", MAX_LATE_MS),
    row("added to the record, at the most", { ...record, value: record.value / 1024 }, "KB", MAX_RECORD_KB),
  ];
}

/** Every flood of a hook without powers, and of one with files, on the newest and the oldest Node of a host. */
export function floods(folder: string): boolean {
  const env = { ...process.env, CORDON_RUNTIME: runtimeIn(join(folder, "runtime")) };
  const nodes = [process.execPath, ...(OLDEST_NODE === undefined ? [] : [OLDEST_NODE])];
  const runs = nodes.map((node, at): [version: string, without: Flooded, files: Flooded] => {
    const version = execFileSync(node, ["--version"], { encoding: "utf8" }).trim();
    const program = join(import.meta.dirname, "floods-host.ts");
    const text = execFileSync(node, ["--no-warnings", program, join(folder, String(at))], { encoding: "utf8", env });
    return [version, ...(JSON.parse(text) as [Flooded, Flooded])];
  });
  return [
    print(
      `Floods by a hook without powers (${FLOODS.length}, 400 ms each)`,
      runs.flatMap(([version, without]) => rowsOf(version, without)),
    ),
    print(
      `Floods by a hook with files (${FILE_FLOODS.length}, 400 ms each)`,
      runs.flatMap(([version, , files]) => rowsOf(version, files)),
    ),
  ].every(Boolean);
}

/** The runtime of sandboxes, whatever the host's own Node: this Node, with its addon. */
function runtimeIn(folder: string): string {
  const node = runtimeNode(folder);
  mkdirSync(dirname(node), { recursive: true });
  symlinkSync(process.execPath, node);
  symlinkSync(join(PACKAGE_ROOT, "node_modules", "isolated-vm"), runtimeAddon(folder));
  return folder;
}
