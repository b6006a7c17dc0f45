import { existsSync } from "node:fs";
import { isAbsolute } from "node:path";
import { type History, historyIn } from "../audit/history.ts";
import { attemptOr } from "../base/attempt.ts";
import { command } from "../base/shell-word.ts";
import { shownName } from "../base/text.ts";
import type { GrantEntry } from "../grants/grant.ts";
import { findManifest } from "../grants/manifest.ts";
import { type Policy, readPolicies, requiredHooks, takenBy } from "../grants/policy.ts";
import { type Asks, powersOf } from "../grants/schema.ts";
import { mayBlock } from "../powers/events.ts";
import { GUARDED } from "../session/guard-memory.ts";
import type { HookInfo } from "../session/hook-info.ts";
import { REMEDIES, waysOn } from "../session/remedies.ts";
import { helpText } from "../session/required.ts";
import { grantsPath, readGrants } from "../store/grants-text.ts";
import { projectOf } from "../store/hooks-lock.ts";
import { ADD_EXAMPLE } from "./example-hook.ts";
import { type Finding, fault, fine, remark, standing } from "./finding.ts";
import { type Here, hooksHere, isStale, powersHere, sessionHere, staleLines } from "./here.ts";
import { lookalikeTexts } from "./lookalike-files.ts";
import { shortName } from "./names.ts";
import { requiredHere } from "./policy-here.ts";
import { unknownEvents, unknownText } from "./unknown-events.ts";

/** What `cordon doctor` finds about the hooks of a session here, and about their grants. */
export async function hookFindings(cwd: string, home: string): Promise<Finding[]> {
  const histories = await historyIn(home);
  const { hooks, notices } = await sessionHere(cwd, home);
  const policies = readPolicies();
  const grants = readGrants(grantsPath(home), false);
  const here = hooksHere(cwd, home);
  const required = new Set(requiredHooks(policies));
  const findings = hooks.flatMap((info) => {
    const { id, key = id, path, state, reason, disabled } = info;
    const name = shortName({ id, key, path }, here);
    const history = histories.get(id);
    if (disabled)
      return [standing(`hook ${shownName(name)}`, `disabled: it does not run; run: ${command`cordon enable ${name}`}`)];
    const hook = here.find((one) => one.key === key);
    const stopped = history?.stopped;
    const now = STATES[state](`hook ${shownName(name)}`, reason ? `${state}: ${reason}` : state);
    return [
      // It is active in sessions that start now.
      ...(stopped === "running" && state === "active" ? [] : [now]),
      ...unknownEvents(info).map((one) => remark(`hook ${shownName(name)}`, unknownText(one))),
      ...(stopped === "running"
        ? [
            fault(
              `hook ${shownName(name)}`,
              `${TOO_OFTEN}, and blocks there; run: ${waysOf(name, hook, required.has(id))}`,
            ),
          ]
        : []),
      ...(stopped === "over"
        ? [standing(`hook ${shownName(name)}`, `${TOO_OFTEN}, which is over: the next one starts it afresh`)]
        : []),
      // Nothing can be granted to a hook that was never accepted.
      ...(state === "pending" ? [] : lackedFinding(name, hook, grants.get(key), { info, policies })),
      ...unusedFinding(name, grants.get(key), history),
    ];
  });
  const known = new Set(hooks.map((hook) => hook.key ?? hook.id));
  const idle = [...grants.keys()].filter((key) => !isAbsolute(key) && !known.has(key));
  const unclaimed = idle.map((key) =>
    remark(
      `grant ${key}`,
      `no hook found here has this id; if no hook should have it, run: ${command`cordon remove ${key}`}`,
    ),
  );
  // What goes on as it was accepted, although its file is gone, is a hook here.
  const gone = [...grants.keys()].filter(
    (key) => isAbsolute(key) && !known.has(key) && !existsSync(projectOf(key) ?? key),
  );
  const orphaned = gone.map((key) =>
    fault(
      `grant ${key}`,
      `its ${projectOf(key) === undefined ? "file" : "project"} is gone; run: ${command`cordon remove ${key}`}`,
    ),
  );
  const off = [...grants].flatMap(([key, entry]) =>
    isAbsolute(key) && !known.has(key) && entry.disabled === true
      ? [
          standing(
            `hook ${shortName({ id: key, key, path: key }, here)}`,
            `disabled, wherever an agent names it; run: ${command`cordon enable ${key}`}`,
          ),
        ]
      : [],
  );
  const missing = requiredHere(policies, hooks, here).map((lacking) =>
    fault(`required hook ${lacking.id}`, `${lacking.why}: every tool call is blocked${helpText(lacking)}`),
  );
  const none = findings.length > 0 ? [] : [remark("hooks", `none found, so nothing is judged yet; ${ADD_EXAMPLE}`)];
  return [
    ...orphaned,
    ...findings,
    ...none,
    ...off,
    ...missing,
    ...unclaimed,
    ...lookalikeTexts(cwd, home).map(([folder, text]) => standing(folder, text)),
    ...notices.map((notice) => fault("hooks", notice)),
  ];
}

const STATES = { active: fine, pending: remark, starting: fault, failed: fault, stopped: fault, changed: fault };
const TOO_OFTEN = "crashed too often in its last session";

/** How to go on with a hook that its session stopped, or without it. */
const waysOf = (name: string, hook: Here | undefined, required: boolean): string =>
  waysOn(
    {
      ...{ id: name, typed: name, origin: hook?.origin ?? { kind: "option" } },
      ...{ remedies: REMEDIES, grantsFile: undefined, given: undefined, required, isNowhere: false },
    },
    false,
  );

/** Reports powers that a hook asks for and was not given. It may take what it cannot read for what is not there, and let calls pass. */
function lackedFinding(
  name: string,
  hook: Here | undefined,
  entry: GrantEntry | undefined,
  { info, policies }: { info: HookInfo; policies: readonly Policy[] },
): Finding[] {
  if (!hook) return [];
  const { digest, state } = info;
  const lost = isStale(hook, entry, digest) ? staleLines(name, entry) : [];
  if (lost.length > 0) return lost.map((text) => remark(`hook ${name}`, text));
  // A manifest that cannot be read fails its hook, which is reported.
  const manifest = attemptOr(() => findManifest(hook.realPath).manifest, undefined);
  const { events: _events, ...asked }: Asks = manifest?.capabilities ?? {};
  const { events, ...has } = powersHere(hook, entry, digest);
  const lacked = Object.keys(powersOf.minus(asked, has) ?? {});
  const taken = Object.keys(takenBy(policies, powersOf.meet(asked, has) ?? {}));
  const adds = lacked.every((power) => ADDED.has(power));
  // Of one that does not run, nobody knows what it hears.
  const judges = state !== "active" || info.events.some((type) => GUARDED.includes(type));
  const without = adds ? "what it adds is not offered" : judges ? MAY_JUDGE_ELSE : "what it does by that is not done";
  return [
    ...(taken.length === 0 ? [] : [remark(`hook ${name}`, takenText(taken, mayBlock(events)))]),
    ...(lacked.length === 0
      ? []
      : [
          standing(
            `hook ${name}`,
            `it asks for ${lacked.join(", ")} and was granted less: ${without}; run: ${lacked.map((power) => command`cordon grant ${name} ${power}`).join(" and ")}`,
          ),
        ]),
  ];
}

/** Powers by which a hook adds something to its agent, and judges nothing. */
const ADDED: ReadonlySet<string> = new Set(["tools", "commands", "providers"]);

const MAY_JUDGE_ELSE = "without it, it may block every call, or let pass what it would block";

const takenText = (taken: readonly string[], guards: boolean): string =>
  `your organisation's policy takes ${taken.join(", ")} of what it was granted: ${guards ? "it may block each call that it cannot judge without" : "it does without"}`;

/** Reports powers that a hook was granted long ago and never used, although the hook itself was in use. */
function unusedFinding(id: string, grant: GrantEntry | undefined, history: History | undefined): Finding[] {
  const granted = Date.parse(grant?.grantedAt ?? "");
  if (!(Date.now() - granted > UNUSED_AFTER_MS) || !history?.lastUse || Date.parse(history.lastUse) < granted)
    return [];
  const { events: _events, ui: _ui, ...powers } = grant?.capabilities ?? {};
  const unused = Object.keys(powers).filter((power) => {
    const last = history.used.get(power);
    return last === undefined || Date.parse(last) < granted;
  });
  const since = `was granted on ${grant?.grantedAt?.slice(0, 10)} and not used since`;
  return unused.map((power) =>
    remark(`power ${power} of ${id}`, `${since}; run: ${command`cordon revoke ${id} ${power}`}`),
  );
}

const UNUSED_AFTER_MS = 30 * 24 * 60 * 60 * 1000;
