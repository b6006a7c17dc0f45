import { accessSync, constants, existsSync, statSync } from "node:fs";
import { healthOf, writeFault } from "../audit/health.ts";
import type { AuditLine } from "../audit/line.ts";
import { attemptOr } from "../base/attempt.ts";
import { messageOf } from "../base/errors.ts";
import { inHome } from "../disk/home.ts";
import { foldersUp } from "../disk/paths.ts";
import { readPolicies, requiredHooks } from "../grants/policy.ts";
import { goneText, readLastReport, seenLines } from "../report/last-report.ts";
import { commandAbout } from "../report/typed.ts";
import { type Finding, fault, fine, remark, standing } from "./finding.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** A hook that blocked so many calls, and let none pass, is worth a look. */
const MANY_BLOCKS = 5;

/** What hooks said about tool calls, by hook. */
type Verdicts = Map<string, { blocked: number; others: number }>;

/** Says whether the record follows, whether lines can be written, and who blocked everything in the last day. */
export async function recordFindings(home: string, now = Date.now()): Promise<Finding[]> {
  const folder = inHome(home, "audit");
  const { last } = readLastReport(home);
  const missing = new Map(seenLines(last).map((one) => [one.head, one]));
  const orLost = (otherwise: Finding): Finding[] =>
    missing.size === 0 ? [otherwise] : [...missing.values()].map((one) => fault("record", goneText(one)));
  if (!existsSync(folder)) {
    const why = makingFault(folder);
    return why === undefined ? orLost(fine("record", "nothing is on record yet")) : [unwritable(why)];
  }
  if (!statSync(folder).isDirectory()) return [unwritable(`${folder} is no folder`)];
  const verdicts: Verdicts = new Map();
  const {
    from,
    fault: first,
    faults,
    torn,
  } = await healthOf(folder, (line, hash) => {
    missing.delete(hash);
    if (Date.parse(line.time) >= now - DAY_MS) count(verdicts, line);
  });
  // Afterwards: whoever writes next removes what was not written whole.
  const why = writeFault(folder);
  // Of a part of the log, a line that is not there says nothing.
  if (from !== undefined) missing.clear();
  const verifies = "each line follows the one before";
  const since = from === undefined ? "" : `; only those since ${from} were read: cordon audit --verify reads all`;
  const places = faults === 1 ? "one place" : `${faults} places`;
  return [
    ...(why === undefined ? [] : [unwritable(why)]),
    ...(first
      ? [fault("record", `it was changed in ${places}, as at ${first.at}: ${first.fault}; run: cordon audit --verify`)]
      : orLost(fine("record", `${verifies}${since}`))),
    ...torn.map((at) => standing("record", `${at} was not written whole, so it never counted: a process died there`)),
    ...blockers(verdicts),
  ];
}

/** Why a folder could not be made, if so. Makes none. */
function makingFault(folder: string): string | undefined {
  const above = foldersUp(folder).find((one) => existsSync(one)) ?? folder;
  try {
    accessSync(above, constants.W_OK);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

const unwritable = (why: string): Finding => fault("record", `no line can be written, so no power is used: ${why}`);

function count(verdicts: Verdicts, { hook, event, capability, outcome, trial }: AuditLine): void {
  if (event !== "tool_call" || capability !== undefined || trial === true || outcome === "cancelled") return;
  const known = verdicts.get(hook) ?? { blocked: 0, others: 0 };
  verdicts.set(hook, known);
  if (outcome === "block") known.blocked++;
  else known.others++;
}

/** Hooks that let no call pass. One that a policy requires leaves an agent nothing to do. */
function blockers(verdicts: Verdicts): Finding[] {
  // A policy that cannot be read has a finding of its own.
  const required = new Set(attemptOr(() => requiredHooks(readPolicies()), []));
  const othersOf = (hook: string): number =>
    // Cordon itself lets nothing pass: what counts is whether any call did.
    hook === ""
      ? [...verdicts.values()].reduce((sum, { others }) => sum + others, 0)
      : (verdicts.get(hook)?.others ?? 0);
  const all = [...verdicts].filter(([hook, { blocked }]) => blocked >= MANY_BLOCKS && othersOf(hook) === 0);
  return all.map(([hook, { blocked }]) => {
    const what = hook === "" ? "Cordon itself" : `${required.has(hook) ? "required " : ""}hook ${hook}`;
    const run = (hook === "" ? "cordon why" : commandAbout("why", hook)) ?? "cordon why --tail 9";
    const finding = required.has(hook) || hook === "" ? fault : remark;
    return finding(what, `blocked all ${blocked} calls of the last day; run: ${run}`);
  });
}
