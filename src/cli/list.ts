import { resolve } from "node:path";
import { type History, historyIn } from "../audit/history.ts";
import { command } from "../base/shell-word.ts";
import { shownName } from "../base/text.ts";
import { defaultHome } from "../disk/home.ts";
import { realPathOf } from "../disk/paths.ts";
import { beyondGuard } from "../grants/chosen.ts";
import { widerLimits } from "../grants/limits.ts";
import { type Policy, readPolicies, takenBy, withinPolicies } from "../grants/policy.ts";
import type { Asks } from "../grants/schema.ts";
import { shownByName, shownPowers } from "../grants/shown-power.ts";
import { staleOf } from "../grants/stale-grant.ts";
import { installedHooks } from "../host/installed.ts";
import { shownOrigin } from "../market/shown-origin.ts";
import { mayBlock } from "../powers/events.ts";
import { withoutWayOut } from "../session/failure-text.ts";
import type { HookInfo } from "../session/hook-info.ts";
import { withoutRemedy } from "../session/remedies.ts";
import { findGrant, grantsPath, readGrants } from "../store/grants-text.ts";
import { idIn, type LockEntry, lockPath, readLock } from "../store/hooks-lock.ts";
import { note, type ProjectFlags } from "./common.ts";
import { type Here, hooksHere, isStale, powersHere, sessionHere, staleLines } from "./here.ts";
import { lookalikeTexts } from "./lookalike-files.ts";
import { shortName } from "./names.ts";
import { policyLines } from "./policy-here.ts";
import { print, printJson, type Shown, style } from "./print.ts";
import { printTable, printUnderHead } from "./table.ts";

/** Where a hook comes from. */
interface Location extends Partial<Pick<LockEntry, "version" | "source" | "registry" | "pending">> {
  origin: string;
  path?: string;
  project?: string | undefined;
}

interface Row extends Location, Omit<History, "stopped" | "used" | "lastRun" | "onlyTried" | "lastRefusal"> {
  /** The shortest name that is unique here. */
  name: string;
  id: string;
  state: string;
  /** Why it does not run. */
  reason?: string;
  /** Beyond hearing and blocking: what was granted. */
  powers: string[];
  /** What it may do where that is all. */
  least: string;
  /** Powers that it was granted before its files changed, and has no more. */
  stale?: string[];
  /** The same, as sentences. */
  lost?: string[];
  lastRefusal?: string | undefined;
  lastRefusedAt?: string | undefined;
  /** What policies take of the powers, and what they leave of those that they take from: JSON, by power. */
  loses?: Record<string, string>;
  keeps?: Record<string, string>;
}

/** `cordon list`: prints all hooks of a session in this folder, with their origin, powers, state and history. */
export async function list(flags: ProjectFlags): Promise<void> {
  const home = defaultHome();
  const cwd = resolve(flags.cwd ?? ".");
  const histories = await historyIn(home);
  const session = await sessionHere(cwd, home);
  for (const notice of session.notices) note(notice);
  for (const [folder, text] of lookalikeTexts(cwd, home)) note(`${folder}: ${text}`);
  const grants = readGrants(grantsPath(home), false);
  const policies = readPolicies();
  const inForce = policyLines();
  // Also hooks that the grants alone name: what is printed is what commands take.
  const known = hooksHere(cwd, home);
  const here = known.filter(({ origin }) => origin !== undefined);
  // A session leaves out a hook whose id another hook has.
  const found = new Set(here.map(({ key }) => key));
  const all = [...here, ...installedHooks(home, cwd).hooks.filter(({ key }) => !found.has(key))];
  const rows = all.map((hook): Row => {
    const info = session.hooks.find((one) => (one.key ?? one.id) === hook.key);
    const entry = findGrant(grants, hook.key, hook.realPath);
    const isVoid = isStale(hook, entry, info?.digest);
    const limits = widerLimits(entry?.limits);
    const powers: Asks = { ...powersHere(hook, entry, info?.digest), ...(limits && !isVoid ? { limits } : {}) };
    const beyond = new Set(beyondGuard(powers));
    const stale = isVoid ? staleOf(entry).map(({ power }) => power) : [];
    const history = histories.get(hook.id);
    return {
      name: info ? shortName(hook, known) : hook.key,
      id: hook.id,
      ...locationOf(hook, realPathOf(cwd)),
      state: stateOf(info, history),
      ...(info?.reason === undefined || QUIET.has(info.state) || info.disabled ? {} : { reason: info.reason }),
      powers: shownPowers(powers).flatMap(({ power }) => (beyond.has(power) ? [power] : [])),
      least: leastOf(powers),
      ...(stale.length > 0 ? { stale, lost: staleLines(info ? shortName(hook, known) : hook.key, entry) } : {}),
      ...limitedBy(policies, powers),
      crashes: history?.crashes ?? 0,
      lastUse: history?.lastUse,
      lastBlock: history?.lastBlock,
      lastRefusal: history?.lastRefusal?.what,
      lastRefusedAt: history?.lastRefusal?.time,
    };
  });
  const others = [...readLock(lockPath(home)).keys()].filter(
    (key) => idIn(key, undefined) === undefined && idIn(key, realPathOf(cwd)) === undefined,
  );
  if (flags.json) {
    const more = {
      ...(others.length > 0 ? { elsewhere: others } : {}),
      ...(inForce.length > 0 ? { policies: inForce } : {}),
    };
    printJson({ hooks: rows.map(({ lost: _lost, least: _least, ...row }) => row), ...more });
  } else report(rows, others.length, inForce);
}

function limitedBy(policies: readonly Policy[], powers: Asks): Pick<Row, "loses" | "keeps"> {
  const loses = shownByName(takenBy(policies, powers));
  const names = Object.keys(loses);
  if (names.length === 0) return {};
  const left = Object.entries(shownByName(withinPolicies(policies, powers))).filter(([power]) => names.includes(power));
  return { loses, ...(left.length === 0 ? {} : { keeps: Object.fromEntries(left) }) };
}

const leastOf = ({ events }: Asks): string => {
  const guards = [
    ...(mayBlock(events) ? ["blocking"] : []),
    ...(events?.guardResult?.length ? ["withholding results"] : []),
  ];
  if (guards.length > 0) return `only ${guards.join(" and ")}`;
  return events?.see.length ? "only hearing" : "none";
};

const stateOf = (info: HookInfo | undefined, history: History | undefined): string =>
  info === undefined
    ? "left out"
    : info.disabled
      ? "disabled"
      : history?.stopped === "running" && info.state === "active"
        ? "stopped"
        : info.state;

/** States that say all. */
const QUIET: ReadonlySet<string> = new Set(["active", "pending"]);

const ORIGINS = { option: "named", file: "named", user: "own folder", settings: "settings", project: "project" };

function locationOf({ origin, path }: Here, project: string): Location {
  if (origin === undefined) return { origin: "unknown" };
  if (origin.kind !== "installed") return { origin: ORIGINS[origin.kind], path };
  const { version, source, registry, pending } = origin.entry;
  if (!origin.ofProject) return { origin: "installed", version, source, registry, pending };
  return { origin: "installed for this project", version, source, registry, project, pending };
}

function report(rows: readonly Row[], others: number, policies: readonly string[]): void {
  if (rows.length === 0) print`no hook is active here; run: cordon add SPEC`;
  else {
    const head = ["hook", "version", "state", "used", "crashes", "powers"];
    const cells = rows.map((row) => {
      const { name, version = "", pending, state, lastUse, crashes, powers, least, project } = row;
      return [
        `${shownName(name)}${project === undefined ? "" : " (project)"}`,
        pending ? `${version}, ${pending.version} waits` : version,
        state,
        lastUse?.slice(0, 10) ?? "never",
        String(crashes),
        powers.map((power) => marked(power, row)).join(" ") || least,
      ];
    });
    printUnderHead(head, cells, process.stdout);
    print``;
    printTable(rows.flatMap(moreOf), process.stdout);
  }
  if (others > 0) print`${others} more installed for other projects`;
  for (const policy of policies) print`policy in force: ${policy}`;
}

/** A power, and whether a policy takes all of it, or a part. */
function marked(power: string, { loses = {}, keeps = {} }: Row): string {
  if (loses[power] === undefined) return power;
  return `${power} (${keeps[power] === undefined ? "denied" : "narrowed"})`;
}

function moreOf({
  loses = {},
  keeps = {},
  lost = [],
  name,
  origin,
  source,
  registry,
  path,
  lastBlock,
  lastRefusal,
  lastRefusedAt = "",
  pending,
  state,
  reason,
}: Row): Shown[][] {
  const more = [
    ...(reason === undefined ? [] : [`${state}: ${withoutWayOut(withoutRemedy(reason))}`]),
    ...(lastBlock
      ? [`blocked last on ${lastBlock.time.slice(0, 10)}: ${withoutWayOut(withoutRemedy(lastBlock.what))}`]
      : []),
    ...(lastRefusal ? [`refused last on ${lastRefusedAt.slice(0, 10)}: ${lastRefusal}`] : []),
    ...lost,
    ...Object.entries(loses).map(
      ([power, text]) =>
        `your organisation's policy takes ${power} ${text}${keeps[power] === undefined ? "" : `; it leaves ${keeps[power]}`}`,
    ),
    ...(pending
      ? [
          `${name} ${pending.version} ${pending.wider.length > 0 ? `asks also for ${pending.wider.map(whole).join(", ")}` : "guards less"}; run: ${command`cordon update ${name}`}`,
        ]
      : []),
  ];
  return [
    [
      style.bold(shownName(name)),
      `${origin}, from ${source === undefined ? shownName(path ?? "nowhere") : shownOrigin(source, registry)}`,
    ],
    ...more.map((text) => ["", text]),
  ];
}

/** A lock cuts the text of a power at 1000 characters. Of a text that may be cut, only the name of the power is shown. */
const whole = (power: string): string => (power.length < 1000 ? power : power.slice(0, power.indexOf(":")));
