import { counted } from "../base/counted.ts";
import { meant } from "../base/near-names.ts";
import { cleanLine } from "../base/text.ts";
import { quoted } from "../powers/quoted.ts";
import type { Lacking } from "../session/required.ts";
import type { Trouble } from "./finding.ts";
import type { ReportedHook } from "./hook.ts";
import { goneText, type SeenLine } from "./last-report.ts";
import { MAX_ENTRIES, MAX_VALUE } from "./limits.ts";
import type { WholeRecord } from "./record.ts";
import { refusalTroubles } from "./refusal-trouble.ts";
import { commandAbout, grantAgain } from "./typed.ts";

/**
 * @param problems what could not be read
 * @param lost a line that a report saw, and that is gone since
 * @param lacking hooks that a policy requires, and that do not judge
 */
export function troublesOf(
  record: WholeRecord,
  hooks: readonly ReportedHook[],
  problems: readonly string[],
  lost: SeenLine | undefined,
  lacking: readonly Lacking[],
): { troubles: Trouble[]; leftOut: number } {
  const all = [
    ...problems.map((text): Trouble => ({ level: "wrong", text })),
    ...lacking.map(({ id, why, near = [], run }) =>
      wrong(`your organisation's policy requires ${quoted(id)}: ${why}; every tool call is blocked${meant(near)}`, run),
    ),
    ...recordTroubles(record, lost),
    ...hooks.flatMap(troublesOfHook),
  ].sort((a, b) => (a.level === b.level ? 0 : a.level === "wrong" ? -1 : 1));
  return { troubles: all.slice(0, MAX_ENTRIES), leftOut: Math.max(0, all.length - MAX_ENTRIES) };
}

function recordTroubles({ faultCount, unreadable, deeds }: WholeRecord, lost: SeenLine | undefined): Trouble[] {
  const places = counted(faultCount, "place");
  const would = deeds.get("monitored") ?? 0;
  return [
    ...(unreadable === undefined ? [] : [wrong(`the audit log cannot be read to its end: ${unreadable}`)]),
    ...(faultCount === 0 ? [] : [wrong(`the audit log was changed in ${places}`, "cordon audit --verify")]),
    ...(lost === undefined ? [] : [wrong(`audit log: ${goneText(lost)}`, "cordon audit --verify")]),
    ...(would === 0 ? [] : [look(`hooks only monitored: ${times(would, "call")} ran that they would have blocked`)]),
  ];
}

const wrong = (text: string, run?: string): Trouble => ({
  level: "wrong",
  text,
  ...(run === undefined ? {} : { run }),
});
const look = (text: string): Trouble => ({ level: "look", text });

function troublesOfHook(hook: ReportedHook): Trouble[] {
  const { name, state, crashes, unsandboxed, pending, stale = [], decisions } = hook;
  // Nothing is left to decide about it.
  if (state === "recorded" && decisions.at(-1)?.outcome === "removed") return [];
  const about = (level: Trouble["level"], text: string, run?: string): Trouble => ({
    ...{ level, hook: name, text },
    ...(run === undefined ? {} : { run }),
  });
  const restart = commandAbout("restart", name);
  return [
    ...(state === "stopped"
      ? [about("wrong", "crashed too often in its last session, and blocks there", restart)]
      : []),
    ...(state === "failed" ? [about("wrong", failedText(hook), "cordon doctor")] : []),
    ...(unsandboxed > 0
      ? [about("look", `ran ${times(unsandboxed)} as a trusted hook: no sandbox, no grants, no record of what it did`)]
      : []),
    ...(crashes > 0
      ? [about("look", `crashed ${times(crashes)}`, commandAbout("audit --hook", name, "--power", "crash"))]
      : []),
    ...stale.map((one) =>
      about("look", `lost ${one.power}: its files changed since it was granted that`, grantAgain(name, one)),
    ),
    ...refusalTroubles(hook),
    ...(state === "pending"
      ? [about("look", "waits for you: it does nothing until you accept it", "cordon accept")]
      : []),
    ...(pending
      ? [
          about(
            "look",
            `version ${quoted(pending.version)} ${pending.wider.length > 0 ? "asks for more" : "guards less"}, and waits`,
            commandAbout("update", name),
          ),
        ]
      : []),
  ];
}

/** The next load may find what failed this one mended. */
function failedText({ failure: { reason, policy } = {} }: ReportedHook): string {
  const by = policy === undefined ? "" : `: the policy ${quoted(policy)} did not allow it`;
  const why = reason === undefined ? "" : `: ${quoted(cleanLine(reason, MAX_VALUE))}`;
  return `could not be loaded the last time, and blocks what it guards${by}${why}; a new session tries again`;
}

/** `once`, `3 times`, or of what: `3 calls`. */
const times = (count: number, what?: string): string =>
  what === undefined ? (count === 1 ? "once" : counted(count, "time")) : counted(count, what);
