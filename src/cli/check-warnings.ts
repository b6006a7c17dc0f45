import { existsSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, sep } from "node:path";
import { EVENT_NAMES } from "../../sandbox/wire/events.ts";
import { readJson } from "../../sandbox/wire/read-json.ts";
import { attemptOr } from "../base/attempt.ts";
import { command } from "../base/shell-word.ts";
import { positionIn } from "../bundle/source-positions.ts";
import { readIfThere } from "../disk/atomic-file.ts";
import { isAsked, signOf } from "../grants/signs.ts";
import { lackingText } from "../host/lacking-text.ts";
import { inManifest, noSuchHooks, wide } from "./check-manifest.ts";
import {
  escaped,
  eventNamed,
  ownFiles,
  pathBelow,
  placeIn,
  placeOf,
  sourcesOf,
  startOf,
  withoutTypes,
} from "./check-places.ts";
import { HUNG } from "./check-rehearsal.ts";
import type { Checked, Warning } from "./check-rules.ts";
import { isNotAwaited } from "./told-mistakes.ts";
import { unknownText } from "./unknown-events.ts";

/** Where a hook of any dialect says that it hears calls. */
const CALL_NAMED = /["'`](tool_call|before_tool_call|tool\.before)["'`]|\bBeforeToolCallEvent\b/;

/** Where a hook hears what it changes by a right. */
const HEARD_FOR: ReadonlyMap<string, RegExp> = new Map([
  ["events.rewriteInput", CALL_NAMED],
  ["events.rewriteResult", eventNamed("tool_result")],
]);

/** All warnings about a hook: in its own files first, in the order of their lines, then in its manifest. */
export function warningsOf(hook: Checked): Warning[] {
  const sources = sourcesOf(hook.entry, hook.files, hook.manifest.root);
  const found = [
    ...failures(hook, sources),
    ...(hook.reason === undefined
      ? [
          ...atSamples(hook, sources),
          ...inCode(hook, sources),
          ...undeclared(hook, sources),
          ...unpacked(hook, sources),
          ...inManifest(hook, sources),
        ]
      : []),
    ...noSuchHooks(hook),
    ...wide(hook),
  ];
  const rank = ({ file }: Warning): number => (file === hook.manifest.file ? 1 : 0);
  return found.sort(
    (a, b) =>
      rank(a) - rank(b) || (a.file < b.file ? -1 : a.file > b.file ? 1 : a.line - b.line || a.column - b.column),
  );
}

function failures(
  { entry, reason, manifest, blocksEveryCall, events, lacks }: Checked,
  sources: Map<string, string>,
): Warning[] {
  const found: Warning[] = [];
  if (reason !== undefined) {
    const absolute = (file: string): string => (isAbsolute(file) ? file : join(manifest.root, file));
    const place = placeIn(reason, absolute) ?? startOf(entry);
    const remedy = /cannot be offered.*; did you mean /.test(reason)
      ? "write that name, or do without"
      : /cannot be offered/.test(reason)
        ? "replace it: the README lists what hooks have"
        : "mend it, and run cordon check again";
    found.push({ ...place, rule: "does-not-load", level: "error", message: reason, remedy });
  }
  if (lacks.length > 0) {
    const [first = ""] = lacks;
    const name = /^[\w$]+/.exec(first.replace(/^ctx\./, ""))?.[0] ?? first;
    const place = placeOf(new RegExp(`\\b${escaped(name)}\\b`), sources, entry);
    const remedy = "leave that out, or do it outside of the hook";
    found.push({
      ...place,
      rule: "not-available",
      level: "warning",
      message: `it ${lackingText(lacks, events)}`,
      remedy,
    });
  }
  if (blocksEveryCall !== undefined) {
    const place = placeOf(CALL_NAMED, sources, entry);
    const { reason: said, code, at } = blocksEveryCall;
    const lacksPower = code === "NOT_GRANTED";
    const message = `${lacksPower ? "without powers it would block" : "it blocks"} every call: ${said}`;
    const remedy = lacksPower
      ? "fine for a guard that cannot judge without; one that can catches the error"
      : code === undefined
        ? "let calls pass that it has nothing against"
        : "mend the handler";
    const absolute = (file: string): string => (isAbsolute(file) ? file : join(manifest.root, file));
    const where = (at && placeIn(`${at}: `, absolute)) || place;
    found.push({ ...where, rule: "blocks-every-call", level: "warning", message, remedy });
  }
  return found;
}

/** Faults at the samples, each once. */
function atSamples({ entry, faults, blocksEveryCall }: Checked, sources: Map<string, string>): Warning[] {
  const all = new Map<string, Warning>();
  for (const { event, error, code, stack } of faults) {
    // The fault by which it blocks every call is told by that.
    if (blocksEveryCall?.reason.includes(error)) continue;
    const found = /^(.*):(\d+):(\d+)$/.exec((stack && positionIn(stack)) ?? "");
    const place = found
      ? { file: found[1] as string, line: Number(found[2]), column: Number(found[3]) }
      : placeOf(event === "tool_call" ? CALL_NAMED : eventNamed(event), sources, entry);
    const about = event === "background" ? "outside of events" : `at ${event}`;
    const isAnswer = isNotAwaited(error);
    const isResult = code === "BAD_RESULT" && !isAnswer;
    const what = code === "HOOK_THREW" ? "throws" : "fails";
    all.set(`${place.file}:${place.line}:${place.column} ${error}`, {
      ...place,
      rule: isAnswer ? "missing-await" : isResult ? "bad-result" : "throws",
      level: "warning",
      message: isAnswer || isResult ? error : `it ${what} ${about}: ${error}`,
      remedy: isAnswer
        ? "write await before it: without that, the call passes whatever the person says"
        : isResult
          ? "return a result of that event: docs/events.md has them"
          : HUNG.has(code)
            ? "mend it: no code can catch that; cordon dev shows it with the event"
            : "mend it, or catch it: cordon dev shows it with the event",
    });
  }
  return [...all.values()].slice(0, MOST_FAULTS);
}

/** Most faults of one hook. */
const MOST_FAULTS = 20;

function inCode(
  { entry, asks, events, unknown, uses, written, manifest }: Checked,
  sources: Map<string, string>,
): Warning[] {
  // A manifest that names no powers may be given dialogs.
  const unasked = uses.filter((power) => !isAsked(manifest.manifest?.capabilities ? asks : { ui: [], ...asks }, power));
  const heard = asks.events?.see;
  // Without `ui` at all, the power itself is not asked for.
  const dialogs = (written.ui ?? []).filter((one) => asks.ui !== undefined && !asks.ui.includes(one));
  return [
    ...dialogs.map((one): Warning => {
      const place = placeOf(new RegExp(`\\bui\\s{0,9}\\??\\.\\s{0,9}${escaped(one)}\\b`), sources, entry);
      const message = `${one} of ui is used, as it seems, and not asked for: it will be refused`;
      return { ...place, rule: "unasked-power", level: "warning", message, remedy: `add "${one}" to capabilities.ui` };
    }),
    ...unasked.map((power): Warning => {
      const message =
        power === "limits.wasm"
          ? `${power}: it uses WebAssembly, which is off without; ${command`cordon grant ${entry} limits ${'{"wasm":true}'}`}`
          : `${power} is used, as it seems, and not asked for: it will be refused`;
      const signs = [power === "limits.wasm" ? /\bWebAssembly\b/ : signOf(power), HEARD_FOR.get(power)];
      const sign = signs.find((one) => one && [...sources.values()].some((text) => one.test(text))) ?? signOf(power);
      const remedy = `add ${keyOf(power)} to ${basename(manifest.file ?? besideOf(entry))}; cordon trace proposes how`;
      return { ...placeOf(sign, sources, entry), rule: "unasked-power", level: "warning", message, remedy };
    }),
    ...unknown.map((one): Warning => {
      const place = placeOf(eventNamed(one.name), sources, entry);
      const remedy = "write the name of an event";
      return { ...place, rule: "unknown-event", level: "warning", message: `it ${unknownText(one)}`, remedy };
    }),
    ...events.flatMap((name): Warning[] => {
      if (!EVENT_NAMES.includes(name)) return [];
      const place = placeOf(eventNamed(name), sources, entry);
      if (heard === undefined || heard.includes("*") || heard.includes(name)) return [];
      const message = `its handler for ${name} is never called: the manifest does not name that event`;
      return [{ ...place, rule: "unseen-event", level: "warning", message, remedy: `add "${name}" to events.see` }];
    }),
  ];
}

const besideOf = (entry: string): string => entry.replace(/\.[cm]?[jt]sx?$/, ".hook.json");

/** Where a manifest has a power, a right of `events`, or a limit. */
const keyOf = (power: string): string => (power.startsWith("limits.") ? power : `capabilities.${power}`);

/** Packages that the author has in `node_modules`, and those who add the hook will lack. */
function undeclared({ files, manifest, entry, imports }: Checked, sources: Map<string, string>): Warning[] {
  const path = join(
    manifest.packageName === undefined ? manifest.root : dirname(manifest.file ?? entry),
    "package.json",
  );
  const text = attemptOr(() => readIfThere(path), undefined);
  if (text === undefined) return [];
  const json = attemptOr(() => readJson(text) as Record<string, object | undefined>, {} as Record<string, undefined>);
  const named = new Set(
    ["dependencies", "optionalDependencies", "peerDependencies"].flatMap((key) => Object.keys(json[key] ?? {})),
  );
  const found = files.map(
    (file) => /[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/.exec(pathBelow(manifest.root, file))?.[1],
  );
  const packages = new Set(found.flatMap((name) => (name === undefined ? [] : [name.replaceAll("\\", "/")])));
  // Every hook has what Cordon provides, and its files are in each bundle.
  for (const name of ["cordon", ...imports]) packages.delete(name);
  const code = new Map([...sources].map(([file, source]) => [file, withoutTypes(source)]));
  return [...packages].flatMap((name): Warning[] => {
    const imported = new RegExp(`(from|import|require)\\s*\\(?\\s*["'\`]${escaped(name)}(/[^"'\`]*)?["'\`]`);
    if (named.has(name) || ![...code.values()].some((source) => imported.test(source))) return [];
    const message = `${name} is not among the dependencies in package.json: those who add the hook will lack it`;
    return [
      {
        ...placeOf(imported, code, entry),
        rule: "unknown-import",
        level: "warning",
        message,
        remedy: `npm install ${name}`,
      },
    ];
  });
}

/** Own files that those who add the package will lack: the hook is built anew where it is added. */
function unpacked({ packed, manifest, entry, files }: Checked, sources: Map<string, string>): Warning[] {
  if (packed === undefined) return [];
  return ownFiles(entry, files, manifest.root).flatMap((file): Warning[] => {
    const name = relative(manifest.root, file).split(sep).join("/");
    if (packed.has(name) || !existsSync(file)) return [];
    const own = basename(name).replace(/\.[cm]?[jt]sx?$/, "");
    // An import may name the folder alone.
    const names = own === "index" || own === "package.json" ? [own, basename(dirname(name))] : [own];
    const bare = `(?:${names.map(escaped).join("|")})`;
    const place =
      file === entry
        ? startOf(entry)
        : placeOf(new RegExp(`["'\`][^"'\`\n]{0,300}\\b${bare}[^"'\`\n]{0,9}["'\`]`), sources, entry);
    const message = `${name} is not in the package as npm publishes it: those who add the hook will lack it`;
    const remedy = `add it to "files" in package.json, or take it out of .npmignore or .gitignore`;
    return [{ ...place, rule: "unpacked-file", level: "warning", message, remedy }];
  });
}
