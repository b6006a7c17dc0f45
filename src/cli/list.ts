import { resolve } from "node:path";
import { realPathOf } from "../discover/paths.ts";
import { grantsPath, readGrants } from "../grants/grants-file.ts";
import { defaultHome } from "../home.ts";
import { HookHost } from "../host.ts";
import { idIn, lockPath, readLock } from "../market/hooks-lock.ts";
import { installedHooks } from "../market/installed.ts";
import { note } from "./common.ts";
import { historyIn } from "./history.ts";
import { print, printJson, style } from "./print.ts";
import { printTable } from "./table.ts";

/** `cordon list`: what is installed for the user and for this project, what it may do, and what became of it. */
export async function list(flags: { cwd?: string; json?: boolean }): Promise<void> {
  const home = defaultHome();
  const cwd = resolve(flags.cwd ?? ".");
  const histories = await historyIn(home);
  const host = await HookHost.start({ cwd, home, spare: false, log: () => {} });
  await host.close();
  for (const notice of host.notices) note(notice);
  const grants = readGrants(grantsPath(home), false);
  const rows = installedHooks(home, cwd).hooks.flatMap(({ id, key, origin }) => {
    const info = host.hooks.find((hook) => (hook.key ?? hook.id) === key);
    if (origin.kind !== "installed") return [];
    const { version, source, pending } = origin.entry;
    const { lastUse, crashes = 0, lastRefusal, stopped } = histories.get(id) ?? {};
    return {
      id,
      version,
      source,
      // An id that another hook has is left out of sessions.
      state: info ? (stopped && info.state === "active" ? "stopped" : info.state) : "left out",
      powers: Object.keys(grants.get(key)?.capabilities ?? {}),
      ...(lastUse === undefined ? {} : { lastUse }),
      crashes,
      ...(lastRefusal === undefined ? {} : { lastRefusal }),
      ...(origin.ofProject ? { project: realPathOf(cwd) } : {}),
      ...(pending ? { pending } : {}),
    };
  });
  const others = [...readLock(lockPath(home)).keys()].filter(
    (key) => idIn(key, undefined) === undefined && idIn(key, realPathOf(cwd)) === undefined,
  );
  if (flags.json) {
    printJson({ hooks: rows, ...(others.length > 0 ? { elsewhere: others } : {}) });
    return;
  }
  if (rows.length === 0) print`no hook is installed; run: cordon add SPEC`;
  else {
    const cells = rows.map(({ id, version, state, powers, lastUse, crashes, lastRefusal, project, pending }) => [
      `${id}${project === undefined ? "" : " (project)"}`,
      pending ? `${version}, ${pending.version} waits` : version,
      state,
      lastUse?.slice(0, 10) ?? "never",
      String(crashes),
      `${powers.join(" ")}${lastRefusal ? `; refused last: ${lastRefusal}` : ""}`,
    ]);
    const head = ["hook", "version", "state", "used", "crashes", "powers"].map((name) => style.bold(name));
    printTable([head, ...cells], process.stdout);
    for (const { id, pending } of rows)
      if (pending) print`${id} ${pending.version} asks for more than it has; run: cordon update ${id}`;
  }
  if (others.length > 0) print`${others.length} more installed for other projects`;
}
