import { resolve } from "node:path";
import { DECISION } from "../audit/line.ts";
import { messageOf } from "../base/errors.ts";
import { defaultHome, inHome } from "../disk/home.ts";
import { realPathOf } from "../disk/paths.ts";
import { readPolicies } from "../grants/policy.ts";
import { workspacesOf } from "../host/find-hooks.ts";
import { installedHooks } from "../host/installed.ts";
import type { FoundHook } from "../report/describe-hook.ts";
import { reportTime, writeLastReport } from "../report/last-report.ts";
import { pageOf } from "../report/page/page.ts";
import { usualPagePath, writePage } from "../report/page-file.ts";
import { makeReport, type Report } from "../report/report.ts";
import { decisionLogOf, keepDecisions } from "../store/decision-log.ts";
import { readUserGrants } from "../store/grants-file.ts";
import { findGrant } from "../store/grants-text.ts";
import { sure } from "./about-hook.ts";
import { isBelowAgent } from "./below-agent.ts";
import { note, type ProjectFlags, Refused } from "./common.ts";
import { hooksHere } from "./here.ts";
import { shortName } from "./names.ts";
import { findOpener, openWith } from "./opener.ts";
import { policyLines } from "./policy-here.ts";
import { print, printJson, printMarked, style } from "./print.ts";
import { working } from "./working.ts";

interface Flags extends ProjectFlags {
  since?: Date;
  out?: string;
  open?: boolean;
  clear?: boolean;
}

/** `cordon report`: writes one page about what hooks may do and did, and prints where it is. Starts no hook. */
export async function report(flags: Flags): Promise<void> {
  const home = defaultHome();
  const cwd = resolve(flags.cwd ?? ".");
  // Looked for before anything is written.
  const opener = flags.open ? findOpener(workspacesOf(cwd)) : undefined;
  const { hooks, problems } = foundHere(cwd, home);
  const told = (lines: number): void => working.step(`reading the record: ${lines} lines`);
  const options = { home, now: new Date(), since: flags.since, hooks, told, ...policiesAnd(problems) };
  const made = await makeReport(options);
  working.end();
  const ofAgent = await isBelowAgent(home);
  const { report, keep, done }: Cleared = flags.clear ? await cleared(options, made, ofAgent) : made;
  const path = flags.out === undefined ? usualPagePath(home) : resolve(flags.out);
  writePage(path, pageOf(report), flags.out === undefined ? inHome(home, "reports") : undefined);
  // An agent must not make a person's next report begin after what it did.
  if (ofAgent)
    note("an agent started this command: the next report still says what changed since the last one of yours");
  else if (keep) writeLastReport(home, keep);
  done?.();
  const file = realPathOf(path);
  if (flags.json) printJson({ file, ...report });
  else sum(report, file);
  if (opener) await openWith(opener, file);
  // What is wrong is printed, and on the page.
  if (report.troubles.some(({ level }) => level === "wrong")) throw new Refused("");
}

type Made = Awaited<ReturnType<typeof makeReport>>;
/** `done`: called once it is written. */
type Cleared = Made & { done?: () => void };

/** The report without the alarm about lines that are gone, if a person wants that. `ofAgent`: the next report has the alarm again. */
async function cleared(
  options: Parameters<typeof makeReport>[0],
  { report, keep }: Made,
  ofAgent: boolean,
): Promise<Cleared> {
  const { lost } = report.record;
  if (lost === undefined) throw new Refused("no line that a report saw is gone: there is nothing to clear");
  await sure(
    `Lines that the report of ${reportTime(lost)} saw are gone from the audit log. No report tells of them any more if you take it as it is. Do you?`,
  );
  const facts = (keep?.lost ?? []).map(({ time, head }) => ({
    ...{ hook: "", event: DECISION, value: `${head}, the last line that the report of ${reportTime(time)} saw` },
    outcome: "cleared",
  }));
  const done = ofAgent ? undefined : keepDecisions(facts, decisionLogOf(options.home));
  return { ...(await makeReport({ ...options, cleared: true })), ...(done ? { done } : {}) };
}

/** The policies in force. Those that cannot be read are a problem that the page names. */
function policiesAnd(problems: readonly string[]) {
  try {
    return { policies: policyLines(), limits: readPolicies(), problems };
  } catch (error) {
    return { policies: [], limits: [], problems: [...problems, messageOf(error)] };
  }
}

/** The hooks of a session in this folder, and those in the grants. What cannot be read is a problem that the page names. */
function foundHere(cwd: string, home: string): { hooks?: FoundHook[]; problems: string[] } {
  try {
    const grants = readUserGrants(home);
    const here = hooksHere(cwd, home);
    // A session leaves out a hook whose id another hook has.
    const known = new Set(here.map(({ key }) => key));
    const { hooks: installed, problem } = installedHooks(home, cwd);
    const all = [...here, ...installed.filter(({ key }) => !known.has(key))];
    return {
      hooks: all.map((hook) => {
        const { id, key, path, realPath, origin } = hook;
        return { name: shortName(hook, all), id, key, path, origin, grant: findGrant(grants, key, realPath) };
      }),
      problems: problem === undefined ? [] : [problem],
    };
  } catch (error) {
    return { problems: [`the hooks here cannot be listed: ${messageOf(error)}`] };
  }
}

/** Most things to decide that the terminal lists. The page has all. */
const MAX_LOOKS = 10;

const withCommand = (text: string, run: string | undefined): string =>
  run === undefined ? text : `${text}; run: ${run}`;

function sum({ troubles, summary, record }: Report, file: string): void {
  const { answers, blocked, changed, used, refused } = summary;
  print`events answered: ${answers}, blocked: ${blocked}, changed: ${changed}; powers used: ${used}, refused: ${refused}`;
  for (const { level, hook, text, run } of troubles.filter(({ level }) => level === "wrong")) {
    if (hook === undefined) printMarked`${style.red(level)} ${withCommand(text, run)}`;
    else printMarked`${style.red(level)} ${style.bold(hook)} ${withCommand(text, run)}`;
  }
  const looks = troubles.filter(({ level }) => level === "look");
  if (looks.length > 0)
    print`${style.yellow("look")}  ${looks.length === 1 ? "one thing is" : `${looks.length} things are`} for you to decide`;
  for (const { hook, text, run } of looks.slice(0, MAX_LOOKS)) {
    if (hook === undefined) printMarked`      ${withCommand(text, run)}`;
    else printMarked`      ${style.bold(hook)} ${withCommand(text, run)}`;
  }
  if (looks.length > MAX_LOOKS) print`      and ${looks.length - MAX_LOOKS} more on the page`;
  if (record.back !== undefined)
    print`${style.yellow("note")}  the last line that the report of ${reportTime(record.back)} saw was gone, and is there again`;
  if (record.verifies && record.lost === undefined)
    print`${style.green("ok")}    the audit log ${record.lines === 0 ? "is empty" : `verifies; head ${record.head}`}`;
  print`${file}`;
}
