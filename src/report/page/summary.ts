import type { Change, Changes } from "../changes.ts";
import type { Trouble } from "../finding.ts";
import type { Report } from "../report.ts";
import { html, type Markup } from "./html.ts";
import { commandLine, counted, day, dayAndTime, hookName, rounded, shortened, thousands } from "./value.ts";

/** Whether anything is wrong, and what hooks did. */
export function summarySection(report: Report): Markup {
  const { troubles, summary } = report;
  const isWrong = troubles.some(({ level }) => level === "wrong");
  const level = isWrong ? "wrong" : troubles.length > 0 ? "look" : "fine";
  return html`<section id="summary" aria-labelledby="verdict" class="banner ${level}">
<h2 id="verdict">${sentence(level, troubles.length)}</h2>
${troubles.length > 0 && html`<h3 class="unseen">What to look at</h3>`}
${things(troubles.map(thing))}
<p>${didText(report)}</p>
<dl class="figures">
${figure("hooks", summary.hooks)}${figure("events answered", summary.answers)}${figure("blocked", summary.blocked)}${figure("changed", summary.changed)}${summary.monitored > 0 ? figure("would be blocked", summary.monitored) : undefined}${figure("powers used", summary.used)}${figure("powers refused", summary.refused)}${figure("crashes", summary.crashes)}</dl>
</section>`;
}

/** Characters of what happened or changed. */
const MAX_TEXT = 600;

/** Things that are seen at once. */
const FIRST = 6;

function things(all: readonly Markup[]): Markup | undefined {
  if (all.length === 0) return undefined;
  const [first, more] = [all.slice(0, FIRST), all.slice(FIRST)];
  return html`<ul class="things">${first}</ul>
${more.length > 0 && html`<details><summary>${thousands(more.length)} more</summary><ul class="things">${more}</ul></details>`}`;
}

function sentence(level: "fine" | "look" | "wrong", count: number): Markup {
  if (level === "fine") return html`<span aria-hidden="true">✓</span> Nothing is wrong`;
  const things = count === 1 ? "one thing is" : `${thousands(count)} things are`;
  if (level === "look") return html`Nothing is broken; ${things} for you to decide`;
  return html`<span aria-hidden="true">!</span> Something is wrong; ${things} for you to look at`;
}

const figure = (
  name: string,
  count: number,
): Markup => html`<div><dt>${name}</dt><dd>${count < 100_000 ? thousands(count) : rounded(count)}</dd></div>
`;

function didText({ summary, record, since }: Report): Markup {
  if (record.from === undefined || record.to === undefined)
    return html`Nothing is on record${since === undefined ? " yet" : html` since ${dayAndTime(since)}`}.`;
  const { answers, blocked, changed, used, refused } = summary;
  return html`From ${day(record.from)} to ${dayAndTime(record.to)}, hooks answered ${counted(answers, "event")}: they blocked ${thousands(blocked)} and changed ${thousands(changed)}. They used powers ${counted(used, "time")}, and were refused ${counted(refused, "time")}.`;
}

const BADGES = {
  wrong: html`<span class="badge wrong"><span aria-hidden="true">!</span> wrong</span>`,
  look: html`<span class="badge look"><span aria-hidden="true">?</span> look</span>`,
};

const thing = ({ level, hook, text, run }: Trouble): Markup => html`<li>${BADGES[level]}
<p>${hook === undefined ? undefined : html`${hookName(hook)} `}<bdi>${shortened(text, MAX_TEXT)}</bdi>${run === undefined ? undefined : html`<br>${commandLine(run)}`}</p></li>
`;

/** What changed since the last report. */
export function changesSection({ changes, record }: Report): Markup {
  return html`<section id="changes" aria-labelledby="changes-title">
<h2 id="changes-title">Since the last report</h2>
${changes ? changesIn(changes, record) : html`<p>${record.hasLastHead === undefined ? FIRST_REPORT : NO_HOOKS}</p>`}
</section>`;
}

const FIRST_REPORT = "This is the first report. The next one says what changed since.";
const NO_HOOKS = "The hooks here cannot be listed, so nothing can be said about what changed.";

function changesIn({ since, entries, leftOut, lines }: Changes, record: Report["record"]): Markup {
  return html`<p>The last report was written on ${dayAndTime(since)}. ${recordedSince(lines, record)}</p>
${entries.length === 0 ? html`<p>The hooks and their powers are the same.</p>` : things(entries.map(changeItem))}
${leftOut > 0 && html`<p class="dim">${thousands(leftOut)} more changes are left out.</p>`}`;
}

/** Where lines went or came back, their number says nothing about what was recorded. */
function recordedSince(lines: number, { hasLastHead, back }: Report["record"]): string {
  if (hasLastHead !== true) return "The line that was the last one then is gone.";
  if (back !== undefined) return "The audit log had lost lines then, which are there again.";
  const recorded =
    lines === 0 ? "Nothing was recorded" : `${counted(lines, "line")} ${lines === 1 ? "was" : "were"} recorded`;
  return `${recorded} since. The line that was the last one then is still there, unchanged.`;
}

const changeItem = ({ hook, text, alert }: Change): Markup =>
  html`<li>${alert ? BADGES.look : NOTED}<p>${hookName(hook)} <bdi>${shortened(text, MAX_TEXT)}</bdi></p></li>
`;

const NOTED = html`<span class="badge other"><span aria-hidden="true">·</span> noted</span>`;
