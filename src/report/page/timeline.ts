import { DECISION } from "../../audit/line.ts";
import { MAX_HOOKS, MAX_NAME, MAX_NOTABLE, MAX_ROUTINE, MAX_SESSION_BYTES } from "../limits.ts";
import type { Moment, Session } from "../sessions.ts";
import { asFit } from "./as-fit.ts";
import { deedBadge, deedCounts } from "./deed-badge.ts";
import { html, type Markup } from "./html.ts";
import { cell, head, table } from "./table.ts";
import { clockTime, counted, dayAndTime, hookName, shortened, thousands, value } from "./value.ts";

/** The calls and verdicts of the latest sessions. `names`: the short names of hooks, by id. */
export function timelineSection(sessions: readonly Session[], names: ReadonlyMap<string, string>): Markup {
  const all = new Set(sessions.flatMap(({ moments }) => moments.flatMap(({ hooks }) => hooks)));
  // Others are found by their words.
  const hooks = [...all].slice(0, MAX_HOOKS);
  const shown = new Map(
    hooks.map((hook, at): [string, Shown] => [hook, { number: at, name: names.get(hook) ?? hook }]),
  );
  return html`<section id="timeline" aria-labelledby="timeline-title">
<h2 id="timeline-title">What happened</h2>
<p class="dim">The newest session first, and what happened in it in order. The audit log has no numbers of sessions: one begins here when an agent starts, when hooks are loaded, or after half an hour of silence. Times are UTC.</p>
${
  sessions.length === 0
    ? html`<p>No session is on record.</p>`
    : html`<form id="filter" hidden aria-label="Filter">
<label>Hook <select name="hook"><option value="">all</option>${hooks.map((hook, at) => html`<option value="${at}">${shortened(names.get(hook) ?? (hook || "Cordon"), MAX_NAME)}</option>`)}</select></label>
<label>Words <input type="search" name="words" autocomplete="off"></label>
<label class="row"><input type="checkbox" name="notable"> only what was not let pass</label>
<output class="small" aria-live="polite"></output>
</form>
${asFit(sessions, MAX_SESSION_BYTES, (session, at) => sessionDetails(session, at === 0, shown), sessionShort)}`
}
</section>`;
}

const sessionShort = ({ from, counts }: Session): Markup =>
  html`<p class="dim small">${dayAndTime(from)}: ${deedCounts(counts)}; left out, since the page is full. <code>cordon audit</code> prints it.</p>
`;

function sessionDetails(session: Session, isOpen: boolean, shown: ReadonlyMap<string, Shown>): Markup {
  const { agent, from, to, moments, counts, leftOut } = session;
  return html`<details class="session"${isOpen ? html` open` : undefined}><summary><h3>${dayAndTime(from)} to ${clockTime(to, "minutes")}${agent === undefined ? undefined : html` in ${value(agent)}`}</h3> <span class="dim small">${deedCounts(counts)}</span></summary>
<div class="inside">
${leftOut > 0 ? html`<p class="dim small">${counted(leftOut, "row")} left out: of a session the page shows the latest ${MAX_NOTABLE} that say more than that something passed, and the latest ${MAX_ROUTINE} others. <code>cordon audit</code> prints all.</p>` : undefined}
${table({
  caption: "What was recorded, oldest first",
  kind: "timeline",
  columns: ["time", "verdict", "what", "hook"],
  rows: moments.map((moment) => row(moment, shown)),
})}
</div></details>
`;
}

interface Shown {
  /** In the filter. */
  number: number;
  name: string;
}

const row = (moment: Moment, shown: ReadonlyMap<string, Shown>) => ({
  deed: moment.deed,
  hooks: moment.hooks.flatMap((hook) => shown.get(hook)?.number ?? []).join(" "),
  head: head(clockTime(moment.time)),
  cells: [
    cell(
      "verdict",
      deedBadge(moment.deed),
      moment.times > 1 && html` <span class="dim small">× ${thousands(moment.times)}</span>`,
    ),
    cell("what", whatOf(moment)),
    cell(
      "who",
      moment.hooks.map(
        (hook, at) => html`${at === 0 ? undefined : html`, `}${hookName(shown.get(hook)?.name ?? hook)}`,
      ),
    ),
  ],
});

/** Outcomes that the badge says already. */
const PLAIN = /^(pass|rewrite|block|would block|ask|allowed|ran|NOT_GRANTED|answered)$/;

function whatOf({ event, capability, value: about, outcome, monitor }: Moment): Markup {
  const where = capability !== undefined && event !== undefined && event !== DECISION;
  return html`<strong>${named(capability ?? event ?? "")}</strong>${where && html` <span class="dim small">in ${named(event)}</span>`}${about && html` ${value(about)}`}${!PLAIN.test(outcome) && html` <span class="dim small">${named(outcome)}</span>`}${monitor && html` <span class="dim small">(monitored)</span>`}`;
}

const named = (name: string): Markup => html`<bdi>${shortened(name, MAX_NAME)}</bdi>`;
