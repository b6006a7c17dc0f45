import { dirname } from "node:path";
import { EVENT_NAMES } from "../../sandbox/wire/events.ts";
import { findManifest } from "../grants/manifest.ts";
import { shownPowers } from "../grants/shown-power.ts";
import { isAsked } from "../grants/signs.ts";
import { HookHost } from "../host/host.ts";
import type { HookInfo } from "../session/hook-info.ts";
import { Refused } from "./common.ts";
import { hookFile } from "./hook-file.ts";
import { printJson, type Shown, style } from "./print.ts";
import { printTable } from "./table.ts";
import { warnOfUnknownEvents } from "./unknown-events.ts";

/** `cordon check PATH`, or the id of an installed hook: builds and loads it without powers, and prints what it hears and asks for. */
export async function check(path: string, options: { json?: boolean }): Promise<void> {
  const file = hookFile(path);

  const host = await HookHost.start({
    cwd: dirname(file),
    hooks: [{ path: file, id: "checked", grant: { capabilities: { events: { see: [...EVENT_NAMES], block: true } } } }],
    discover: false,
    spare: false,
    log: () => {},
  });
  const [hook] = host.hooks;
  await host.close();
  if (!hook) throw new Refused(`${path}: not a hook`);
  const { manifest } = findManifest(file);
  const asked = { ...manifest?.capabilities };
  const seems = host.uses("checked");
  const unasked = seems.filter((power) => power !== "ui" && !isAsked(asked, power));
  const report = {
    path: file,
    state: hook.state,
    ...(hook.reason === undefined ? {} : { reason: hook.reason }),
    digest: hook.digest,
    dialect: hook.dialect,
    events: hook.events,
    ...(hook.unsupported ? { unsupported: hook.unsupported } : {}),
    imports: host.imports("checked"),
    lacks: host.lacks("checked"),
    asks: asked,
    optional: manifest?.optional ?? {},
    seemsToUse: seems,
    refusedUnlessGranted: [
      ...new Set([...Object.keys(asked).filter((power) => power !== "events" && power !== "ui"), ...unasked]),
    ],
  };
  const unknown = hook.events.filter((name) => !EVENT_NAMES.includes(name));
  if (options.json) printJson({ ...report, ...(unknown.length > 0 ? { unknownEvents: unknown } : {}) });
  else {
    print(report, unasked);
    warnOfUnknownEvents(hook.events);
  }
  if (hook.state !== "active") throw new Refused(options.json ? "" : `${path} does not load: ${hook.reason}`);
}

interface Report extends Omit<HookInfo, "id"> {
  imports: readonly string[];
  lacks: readonly string[];
  asks: object;
  optional: object;
}

function print(report: Report, unasked: readonly string[]): void {
  const powers = (name: string, value: object): [string, Shown][] =>
    shownPowers(value).map(({ power, text }) => [name, `${power}: ${text}`]);
  const rows: [string, Shown][] = [
    ["hook", report.path],
    ["state", report.state === "active" ? style.green("loads") : style.red(report.state)],
    ["dialect", report.dialect],
    ["digest", report.digest ?? "none"],
    ["hears", report.events.join(", ") || "nothing"],
    ...(report.unsupported
      ? ([["left out", `${report.unsupported.join(", ")}: not supported here`]] satisfies [string, Shown][])
      : []),
    ["imports", report.imports.join(", ") || "nothing of Cordon's"],
    ...powers("asks for", report.asks),
    ...powers("may ask", report.optional),
  ];
  if (report.lacks.length > 0) {
    const guards = report.events.includes("tool_call") ? "it guards calls: " : "";
    const blocks = guards ? ", which blocks the call" : "";
    const text = `${guards}${report.lacks.join(", ")} cannot be offered to a hook, and throws where it is used${blocks}`;
    rows.push(["lacks", style.yellow(text)]);
  }
  if (unasked.length > 0) {
    const text = `${unasked.join(", ")}: used by its code, as it seems, and not asked for in a manifest`;
    rows.push(["refused", style.yellow(text)]);
  }
  printTable(
    rows.map(([name, value]) => [style.bold(name), value]),
    process.stdout,
  );
}
