import { dirname } from "node:path";
import { EVENT_NAMES } from "../../sandbox/wire/events.ts";
import { cleanLine } from "../base/text.ts";
import { widerLimits } from "../grants/limits.ts";
import { findManifest } from "../grants/manifest.ts";
import type { Asks } from "../grants/schema.ts";
import { shownPowers } from "../grants/shown-power.ts";
import { isAsked } from "../grants/signs.ts";
import { HookHost } from "../host/host.ts";
import { lackingText } from "../host/lacking-text.ts";
import { sampleEvents } from "../host/sample-events.ts";
import { MAX_CLAIM } from "../session/consent.ts";
import type { HookInfo } from "../session/hook-info.ts";
import { Refused } from "./common.ts";
import { hookFile } from "./hook-file.ts";
import { printJson, type Shown, style } from "./print.ts";
import { printTable } from "./table.ts";
import { warnOfUnknownEvents } from "./unknown-events.ts";

/** How long a hook may take for a sample call. */
const REHEARSED_MS = 3000;

/** `cordon check PATH`, or the id of an installed hook: builds and loads it without powers, and prints what it hears and asks for. */
export async function check(path: string, options: { json?: boolean }): Promise<void> {
  const file = hookFile(path);

  const host = await HookHost.start({
    cwd: dirname(file),
    hooks: [{ path: file, id: "checked", grant: { capabilities: { events: { see: [...EVENT_NAMES], block: true } } } }],
    discover: false,
    spare: false,
    hookTimeout: REHEARSED_MS,
    log: () => {},
  });
  const [hook] = host.hooks;
  const blocks = hook?.state === "active" ? await sampleBlocks(host) : undefined;
  await host.close();
  if (!hook) throw new Refused(`${path}: not a hook`);
  const { manifest } = findManifest(file);
  const limits = widerLimits(manifest?.limits);
  const asked: Asks = { ...manifest?.capabilities, ...(limits ? { limits } : {}) };
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
    ...(blocks === undefined ? {} : { blocksEveryCall: blocks }),
    asks: asked,
    optional: manifest?.optional ?? {},
    seemsToUse: seems,
    needs: seems.filter((power) => power.startsWith("limits.")),
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

/** What a hook says when it blocks each of the sample calls; undefined if it lets one pass. */
async function sampleBlocks(host: HookHost): Promise<string | undefined> {
  const calls = sampleEvents().filter((event) => event.type === "tool_call");
  const said: string[] = [];
  for (const call of calls) {
    const verdict = await host.emitToolCall(call);
    if (!verdict || !("block" in verdict)) return undefined;
    said.push(cleanLine(verdict.reason, MAX_CLAIM));
  }
  return said[0];
}

interface Report extends Pick<HookInfo, "path" | "state" | "reason" | "digest" | "dialect" | "events" | "unsupported"> {
  imports: readonly string[];
  lacks: readonly string[];
  blocksEveryCall?: string;
  asks: object;
  optional: object;
  needs: readonly string[];
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
    rows.push(["lacks", style.yellow(lackingText(report.lacks, report.events))]);
  }
  if (report.needs.length > 0) {
    const command = `cordon grant ${report.path} limits '{"wasm":true}'`;
    rows.push([
      "needs",
      style.yellow(`${report.needs.join(", ")}: it uses WebAssembly, which is off without; ${command}`),
    ]);
  }
  if (report.blocksEveryCall !== undefined)
    rows.push(["so", style.red(`without powers it would block every call: ${report.blocksEveryCall}`)]);
  if (unasked.length > 0) {
    const text = `${unasked.join(", ")}: used by its code, as it seems, and not asked for in a manifest`;
    rows.push(["refused", style.yellow(text)]);
  }
  printTable(
    rows.map(([name, value]) => [style.bold(name), value]),
    process.stdout,
  );
}
