import { dirname, relative } from "node:path";
import { EVENT_NAMES } from "../../sandbox/wire/events.ts";
import { attemptOr } from "../base/attempt.ts";
import { namesText, shownName } from "../base/text.ts";
import { BundleCache } from "../bundle/cache.ts";
import { settingsText } from "../bundle/plugin-settings.ts";
import { defaultHome } from "../disk/home.ts";
import { widerLimits } from "../grants/limits.ts";
import { type FoundManifest, findManifest } from "../grants/manifest.ts";
import type { Asks } from "../grants/schema.ts";
import { shownPowers } from "../grants/shown-power.ts";
import { isAsked } from "../grants/signs.ts";
import { HookHost } from "../host/host.ts";
import { rehearsedEvents } from "../host/rehearsal.ts";
import { isInside } from "../runtime/find-program.ts";
import type { HookError } from "../session/hook-error.ts";
import type { HookInfo } from "../session/hook-info.ts";
import { withoutRemedy } from "../session/remedies.ts";
import { placeText } from "./check-places.ts";
import { type Rehearsed, rehearse } from "./check-rehearsal.ts";
import type { Warning } from "./check-rules.ts";
import { warningsOf } from "./check-warnings.ts";
import { REHEARSED_MS, Refused, UsageError } from "./common.ts";
import { hookFile } from "./hook-file.ts";
import { printJson, printMarked, type Shown, style } from "./print.ts";
import { sarifOf } from "./sarif.ts";
import { printTable } from "./table.ts";
import { isMistake } from "./told-mistakes.ts";
import { unknownEvents } from "./unknown-events.ts";

/** `cordon check PATH`, or the id of an installed hook: builds and loads it without powers, and prints what it hears and asks for. */
export async function check(path: string, options: { json?: boolean; sarif?: boolean }): Promise<void> {
  if (options.json && options.sarif) throw new UsageError("--json and --sarif are two outputs: choose one");
  const file = hookFile(path);

  const found = manifestOf(file);
  const isOfPackage = found.packageName !== undefined;
  let isRefused = false;
  /** Rights to change events that it tried to use, whatever its code looks like. */
  const rights = new Set<string>();
  const hints: HookError[] = [];
  // npm lists while the hook is built. A failure is met where the list is read.
  const packing = packedOf(found);
  packing.catch(() => {});
  const host = await HookHost.start({
    cwd: dirname(file),
    hooks: [{ path: file, grant: { capabilities: { events: rehearsedEvents(found.manifest) } } }],
    discover: false,
    spare: false,
    hookTimeout: REHEARSED_MS,
    trial: "alone",
    // One of a package is built as for those who add it.
    packed: isOfPackage,
    onRefused: ({ wanted }) => {
      isRefused = true;
      if (wanted?.capability === "events")
        for (const right of Object.keys(wanted.grant ?? {})) rights.add(`events.${right}`);
    },
    // A hook can write such a line itself, and is its own author's.
    log: ({ text, at = "" }) => {
      if (isMistake(text))
        hints.push({ hookPath: file, event: "tool_call", code: "BAD_RESULT", error: text, stack: `at ${at}` });
    },
  });
  const [hook] = host.hooks;
  const id = hook?.id ?? "";
  const { blocksEveryCall: blocks, faults = [] }: Partial<Rehearsed> =
    hook?.state === "active" ? await rehearse(host, () => isRefused) : {};
  await host.close();
  if (!hook) throw new Refused(`${path}: not a hook`);
  const reason = hook.reason === undefined ? undefined : withoutRemedy(hook.reason);
  const { manifest } = found;
  const limits = widerLimits(manifest?.limits);
  const asked: Asks = { ...manifest?.capabilities, ...(limits ? { limits } : {}) };
  const seems = [...new Set([...host.uses(id), ...rights])];
  const unasked = seems.filter((power) => !isAsked(manifest?.capabilities ? asked : { ui: [], ...asked }, power));
  const settings = hook.dialect === "openclaw" ? host.settings(id) : [];
  const carries = host.carries(id);
  const packed = await packing;
  const unknown = unknownEvents(hook);
  const warnings = warningsOf({
    entry: file,
    manifest: found,
    asks: { ...manifest?.optional, ...asked },
    // Who adds the hook builds it anew, with all that this build read.
    files: [
      ...host.sources(id),
      ...new BundleCache(defaultHome()).lastRead(found.root, relative(found.root, file), isOfPackage),
    ],
    events: hook.events,
    unknown,
    imports: host.imports(id),
    written: host.written(id),
    lacks: host.lacks(id),
    uses: seems,
    ...(packed === undefined ? {} : { packed }),
    ...(hook.state === "active" ? {} : { reason: reason ?? hook.state }),
    ...(blocks === undefined ? {} : { blocksEveryCall: blocks }),
    faults: [...faults, ...hints],
  });
  const report = {
    path: file,
    state: hook.state,
    ...(reason === undefined ? {} : { reason }),
    digest: hook.digest,
    dialect: hook.dialect,
    events: hook.events,
    ...(hook.unsupported ? { unsupported: hook.unsupported } : {}),
    imports: host.imports(id),
    lacks: host.lacks(id),
    ...(carries.length > 0 ? { carries } : {}),
    ...(settings.length > 0 ? { settings } : {}),
    ...(blocks === undefined ? {} : { blocksEveryCall: blocks.reason }),
    asks: asked,
    optional: manifest?.optional ?? {},
    seemsToUse: seems,
    needs: seems.filter((power) => power.startsWith("limits.")),
    refusedUnlessGranted: [
      ...new Set([...Object.keys(asked).filter((power) => power !== "events" && power !== "ui"), ...unasked]),
    ],
  };
  const mistyped = unknown.map(({ name }) => name);
  if (options.sarif) printJson(sarifOf(warnings, process.cwd()), 2);
  else if (options.json)
    printJson({ ...report, ...(mistyped.length > 0 ? { unknownEvents: mistyped } : {}), warnings });
  else {
    // What is mistyped has a warning of its own.
    const isMistyped = (name: string) => mistyped.some((one) => name === one || name === `pi.on("${one}")`);
    // Imports and exports say the dialect, if it is not said in the manifest.
    const dialect = hook.state === "active" ? hook.dialect : (manifest?.dialect ?? "not known");
    printReport({ ...report, dialect, unsupported: hook.unsupported?.filter((name) => !isMistyped(name)) });
    for (const warning of warnings.filter(({ rule }) => rule !== "does-not-load")) printWarning(warning);
  }
  if (hook.state !== "active") throw new Refused(options.json ? "" : `${path} does not load: ${reason}`);
}

/** A manifest that cannot be read is why the hook does not load. */
const manifestOf = (file: string): FoundManifest =>
  attemptOr(() => findManifest(file), { manifest: undefined, text: "", root: dirname(file), packageName: undefined });

/** What npm would publish of the hook's package. One that was installed was published already. */
async function packedOf({ packageName, root }: FoundManifest): Promise<ReadonlySet<string> | undefined> {
  if (packageName === undefined || isInside(root, defaultHome())) return undefined;
  const { packedFiles } = await import("../market/packed-files.ts");
  return packedFiles(root);
}

/** One line, as compilers write it: place, rule, what is wrong, and what mends it. */
function printWarning({ rule, level, message, remedy, ...place }: Warning): void {
  const shown = level === "note" ? style.dim(level) : style.yellow(level);
  const end = message.endsWith("?") ? "" : ";";
  printMarked`${style.bold(placeText(place))}: ${shown} ${rule}: ${message}${end} ${remedy}`;
}

interface Report extends Pick<HookInfo, "path" | "state" | "digest" | "events" | "unsupported"> {
  dialect: string;
  imports: readonly string[];
  carries?: readonly string[];
  settings?: readonly string[];
  asks: object;
  optional: object;
}

function printReport(report: Report): void {
  const powers = (name: string, value: object): [string, Shown][] =>
    shownPowers(value).map(({ power, text }) => [name, `${power}: ${text}`]);
  const rows: [string, Shown][] = [
    ["hook", report.path],
    ["state", report.state === "active" ? style.green("loads") : style.red(report.state)],
    ["dialect", report.dialect],
    ...(report.state === "active" ? builtRows(report) : []),
    ...powers("asks for", report.asks),
    ...powers("may ask", report.optional),
  ];
  printTable(
    rows.map(([name, value]) => [style.bold(name), value]),
    process.stdout,
  );
}

/** What is known of a hook that was built and loaded. */
function builtRows(report: Report): [string, Shown][] {
  return [
    ["digest", report.digest ?? "none"],
    // An event that no agent sends is not heard.
    ["hears", report.events.filter((name) => EVENT_NAMES.includes(name)).join(", ") || "nothing"],
    ...(report.unsupported?.length
      ? ([["left out", `${report.unsupported.join(", ")}: not supported here`]] satisfies [string, Shown][])
      : []),
    ["imports", report.imports.join(", ") || "nothing of Cordon's"],
    ...(report.carries
      ? ([["carries", namesText(report.carries.map((path) => shownName(path)))]] satisfies [string, Shown][])
      : []),
    ...(report.settings ? ([["settings", settingsText(report.settings)]] satisfies [string, Shown][]) : []),
  ];
}
