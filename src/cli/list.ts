import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { readAudit } from "../audit-verify.ts";
import { readGrants } from "../grants/grants-file.ts";
import { defaultHome } from "../home.ts";
import { HookHost } from "../host.ts";
import { lockPath, readLock } from "../market/hooks-lock.ts";
import { cleanLine } from "../text.ts";
import { printJson } from "./common.ts";
import { style, table } from "./terminal.ts";

interface History {
  lastUse?: string;
  crashes: number;
  lastRefusal?: string;
}

/** `cordon list`: what is installed, what it may do, and what became of it. */
export async function list(flags: { cwd?: string; json?: boolean }): Promise<void> {
  const home = defaultHome();
  const host = await HookHost.start({ cwd: resolve(flags.cwd ?? "."), home, spare: false, log: () => {} });
  await host.close();
  const installed = readLock(lockPath(home));
  const grants = readGrants(join(home, "grants.json"), false);
  const history = await historyOf(home);
  const rows = [...installed].map(([id, entry]) => ({
    id,
    version: entry.version,
    source: entry.source,
    state: host.hooks.find((hook) => hook.id === id)?.state ?? "failed",
    powers: Object.keys(grants.get(id)?.capabilities ?? {}),
    ...(history.get(id) ?? { crashes: 0 }),
  }));
  if (flags.json) {
    printJson({ hooks: rows });
    return;
  }
  if (rows.length === 0) {
    process.stdout.write("no hook is installed; run: cordon add SPEC\n");
    return;
  }
  const cells = rows.map(({ id, version, state, powers, lastUse, crashes, lastRefusal }) => [
    id,
    version,
    state,
    lastUse?.slice(0, 10) ?? "never",
    String(crashes),
    `${powers.join(" ")}${lastRefusal ? `; refused last: ${cleanLine(lastRefusal, 200)}` : ""}`,
  ]);
  const head = ["hook", "version", "state", "used", "crashes", "powers"].map((name) => style.bold(name));
  process.stdout.write(`${table([head, ...cells], process.stdout.columns ?? 80)}\n`);
}

async function historyOf(home: string): Promise<ReadonlyMap<string, History>> {
  const folder = join(home, "audit");
  const history = new Map<string, History>();
  if (!existsSync(folder)) return history;
  for await (const { line } of readAudit(folder)) {
    const known = history.get(line.hook) ?? { crashes: 0 };
    history.set(line.hook, known);
    if (line.event === "crash" && line.outcome !== "restarted") known.crashes++;
    else if (line.outcome === "NOT_GRANTED")
      known.lastRefusal = `${line.capability ?? line.event} ${line.value ?? ""}`.trim();
    else if (line.event !== "load") known.lastUse = line.time;
  }
  return history;
}
