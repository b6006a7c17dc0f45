import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { endsOf, followAudit } from "../audit/follow.ts";
import { historyIn } from "../audit/history.ts";
import { type AuditLine, isDecision } from "../audit/line.ts";
import { SHARED } from "../audit/log-files.ts";
import { outcomeFault } from "../audit/outcomes.ts";
import { type LineQuery, matches } from "../audit/query.ts";
import { readAudit } from "../audit/read.ts";
import { verifyAudit } from "../audit/verify.ts";
import { attemptOr } from "../base/attempt.ts";
import { counted } from "../base/counted.ts";
import { sha256 } from "../bundle/digest.ts";
import { defaultHome, inHome } from "../disk/home.ts";
import { realPathOf } from "../disk/paths.ts";
import { powerFault } from "../grants/audited-powers.ts";
import { goneText, readLastReport, reportTime, seenLines } from "../report/last-report.ts";
import { note, Refused, UsageError } from "./common.ts";
import { hooksHere } from "./here.ts";
import { outputLost } from "./lost-output.ts";
import { alsoCalled, idsNamed, isOwn, type Named, OWN, UnknownHook } from "./names.ts";
import { print, printJson, printMarked, style } from "./print.ts";
import { working } from "./working.ts";

/** Most lines that are written while the log is read, and are not printed twice for it. */
const MAX_BETWEEN = 1000;

interface Flags {
  hook?: string;
  power?: string;
  outcome?: string;
  since?: Date;
  /** Also what was only tried. */
  trials?: boolean;
  /** Only the newest so many. */
  tail?: number;
  follow?: boolean;
  verify?: boolean;
  head?: string;
  json?: boolean;
}

/** What shows a part of the log alone. */
const PARTS = ["hook", "power", "outcome", "since", "tail", "trials"] as const;

/** `cordon audit`: prints what hooks did and were refused, newest last. `--verify` checks the hash chain instead. */
export async function audit(flags: Flags): Promise<void> {
  const home = defaultHome();
  const folder = inHome(home, "audit");
  const isVerified = flags.verify || flags.head !== undefined;
  if (isVerified && flags.follow)
    throw new UsageError("--verify and --head read the log once, and --follow goes on: choose one");
  const part = PARTS.find((name) => flags[name] !== undefined && flags[name] !== true);
  if (isVerified && part !== undefined)
    throw new UsageError(
      `--verify and --head look at the whole log: leave out ${part === "trials" ? "--no-trials" : `--${part}`}`,
    );
  if (flags.head !== undefined && !/^[0-9a-f]{64}$/.test(flags.head))
    throw new UsageError(`--head takes a hash of 64 hexadecimal digits, as --verify prints it, and not ${flags.head}`);
  if (isVerified) {
    await verify(home, flags);
    return;
  }
  if (!existsSync(folder) && !flags.follow) {
    if (!flags.json) sayNothing(home, folder);
    return;
  }
  const query = await queryOf(flags);
  const isShown = (line: AuditLine): boolean => matches(line, query) && (flags.trials !== false || line.trial !== true);
  let shown = 0;
  const showLine = (line: AuditLine): void => {
    shown++;
    if (flags.json) printJson(line);
    else show(line);
  };
  const ends = endsOf(folder);
  const newest: AuditLine[] = [];
  /** Of the last lines that were read: each line has another one before it. */
  const read: string[] = [];
  const outcomes = new Set<string>();
  const powers = new Set<string>();
  for await (const line of existsSync(folder) ? readAudit(folder) : []) {
    if (flags.follow && read.push(line.prev) > MAX_BETWEEN) read.shift();
    outcomes.add(line.outcome);
    for (const name of [line.capability, line.event]) if (name) powers.add(name);
    if (!isShown(line)) continue;
    if (outputLost.aborted) return;
    if (flags.tail === undefined) showLine(line);
    else if (newest.push(line) > flags.tail) newest.shift();
  }
  for (const line of newest) showLine(line);
  const fault =
    (flags.outcome === undefined ? undefined : outcomeFault(flags.outcome, outcomes)) ??
    (flags.power === undefined ? undefined : powerFault(flags.power, powers));
  if (fault !== undefined) throw new Refused(fault);
  if (!flags.follow) {
    if (shown === 0 && !flags.json) note("no line on record matches");
    return;
  }
  const stop = new AbortController();
  process.once("SIGINT", () => stop.abort());
  const signal = AbortSignal.any([stop.signal, outputLost]);
  const known = new Set(read);
  for await (const line of followAudit(folder, ends, signal))
    if (!known.has(line.prev) && isShown(line)) showLine(line);
}

function sayNothing(home: string, folder: string): void {
  const [seen] = seenLines(readLastReport(home).last);
  if (!seen) print`nothing is on record yet in ${folder}`;
  else
    print`nothing is on record in ${folder}, but the report of ${reportTime(seen.time)} saw lines; run: cordon audit --verify`;
}

async function queryOf({ hook, power, outcome, since, follow = false }: Flags): Promise<LineQuery> {
  return {
    ...(hook === undefined ? {} : { hooks: await idsOf(hook, follow) }),
    ...(power === undefined ? {} : { power }),
    ...(outcome === undefined ? {} : { outcome }),
    ...(since === undefined ? {} : { since }),
  };
}

/** The ids of a hook in the log, or of one here that did nothing yet. `mayCome`: it may be one that nobody knows yet. */
async function idsOf(name: string, mayCome: boolean): Promise<string[]> {
  const home = defaultHome();
  const here: Named[] = attemptOr(() => hooksHere(resolve("."), home), []);
  const recorded = [...(await historyIn(home))]
    .filter(([id]) => here.every((hook) => hook.id !== id))
    .map(([id, { onlyTried }]): Named => ({ id, key: id, path: id, recorded: true, onlyTried }));
  try {
    const ids = idsNamed(name, here, recorded, existsSync(name) ? realPathOf(resolve(name)) : "");
    const others = alsoCalled(name, recorded).filter((id) => !ids.includes(id));
    if (others.length > 0) note(`${others.join(" and ")} is on record under that name, too: see --hook ${others[0]}`);
    return ids;
  } catch (error) {
    if (error instanceof UnknownHook && isOwn(name)) return [""];
    if (mayCome && error instanceof UnknownHook && error.near.length === 0) return [name];
    throw error;
  }
}

/** Outcomes of what went well. */
const GOOD = /^(allowed|answered|built|active|pass|rewrite)$/;

function show(line: AuditLine): void {
  const { time, hook, event, capability, value, policy, code, outcome, monitor, trial } = line;
  const colour = isDecision(line) ? style.bold : GOOD.test(outcome) ? style.green : style.red;
  const action = [event, capability, value, code && `(${code})`].filter(Boolean).join(" ");
  const when = `${time.slice(0, 10)} ${time.slice(11, 19)}Z`;
  const by = policy === undefined ? [] : [`(by ${policy})`];
  const what = [outcome, ...by, ...(monitor ? ["(monitored)"] : []), ...(trial ? ["(trial)"] : [])].join(" ");
  printMarked`${style.dim(when)} ${colour(what)} ${style.bold(hook || OWN)} ${action}`;
}

/** Reports every break of the chains, and the head: a hash that a person may keep elsewhere. */
async function verify(home: string, flags: Flags): Promise<void> {
  const folder = inHome(home, "audit");
  // Read before the log: a report that is made meanwhile sees lines that are written meanwhile.
  const { last, problem } = readLastReport(home);
  const missing = new Map(seenLines(last).map((one) => [one.head, one]));
  const faults: { at: string; fault: string }[] = [];
  const notes: { at: string; note: string }[] = [];
  let head = sha256("");
  let count = 0;
  const isThere = existsSync(folder);
  let known = flags.head === undefined || (isThere && flags.head === head);
  for await (const { at, fault, note, line, hash, chain } of isThere ? verifyAudit(folder) : []) {
    if (fault !== undefined) faults.push({ at, fault });
    if (note !== undefined) notes.push({ at, note });
    if (!line) continue;
    if (line.prev === flags.head || hash === flags.head) known = true;
    missing.delete(hash);
    if (chain === SHARED) head = hash;
    count++;
    working.step(`checked ${count} lines, to ${at.slice(0, 10)}`);
  }
  working.end();
  if (!known)
    faults.push({ at: "the log", fault: `no line has the hash ${flags.head}: what was there is gone or changed` });
  for (const seen of missing.values()) faults.push({ at: "the log", fault: goneText(seen) });
  if (problem !== undefined)
    notes.push({ at: "the last report", note: `${problem}: what it saw of the log is not compared` });
  if (flags.json) printJson({ lines: count, head, faults, notes });
  else {
    for (const { at, fault } of faults) print`${style.red("no")}   ${at}: ${fault}`;
    for (const { at, note } of notes) print`${style.yellow("note")} ${at}: ${note}`;
    if (faults.length === 0 && !isThere) print`nothing is on record yet in ${folder}`;
    else if (faults.length === 0)
      print`${style.green("ok")}   ${counted(count, "line")}, each follows the one before; head ${head}`;
  }
  if (faults.length > 0)
    throw new Refused(flags.json ? "" : `the log was changed in ${faults.length} place${faults.length > 1 ? "s" : ""}`);
}
