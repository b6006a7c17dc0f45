import type { Report } from "../report.ts";
import type { Trouble } from "../trouble.ts";
import { html, type Markup } from "./html.ts";
import { commandLine, counted, day, dayAndTime, hookName, shortened, thousands, value } from "./value.ts";

/** Whether anything is wrong, and what hooks did. */
export function summarySection(report: Report): Markup {
  const { troubles, summary } = report;
  const isWrong = troubles.some(({ level }) => level === "wrong");
  const level = isWrong ? "wrong" : troubles.length > 0 ? "look" : "fine";
  return html`<section id="summary" aria-labelledby="verdict" class="banner ${level}">
<h2 id="verdict">${sentence(level, troubles.length)}</h2>
${
  troubles.length > 0
    ? html`<h3 class="unseen">What to look at</h3>
<ul class="things">${troubles.slice(0, FIRST).map(thing)}</ul>`
    : undefined
}
${
  troubles.length > FIRST
    ? html`<details><summary>${thousands(troubles.length - FIRST)} more</summary><ul class="things">${troubles.slice(FIRST).map(thing)}</ul></details>`
    : undefined
}
<p>${didText(report)}</p>
<dl class="figures">
${figure("hooks", summary.hooks)}${figure("answers to events", summary.answers)}${figure("blocked", summary.blocked)}${figure("changed", summary.changed)}${summary.monitored > 0 ? figure("would be blocked", summary.monitored) : undefined}${figure("powers used", summary.used)}${figure("powers refused", summary.refused)}${figure("crashes", summary.crashes)}</dl>
</section>`;
}

/** Characters of what happened or changed. */
const MAX_TEXT = 600;

/** Things that are seen at once. */
const FIRST = 6;

function sentence(level: "fine" | "look" | "wrong", count: number): Markup {
  if (level === "fine") return html`<span aria-hidden="true">✓</span> Nothing is wrong`;
  const things = count === 1 ? "one thing is" : `${thousands(count)} things are`;
  if (level === "look") return html`<span aria-hidden="true">?</span> Nothing is broken; ${things} for you to decide`;
  return html`<span aria-hidden="true">!</span> Something is wrong; ${things} for you to look at`;
}

const figure = (name: string, count: number): Markup => html`<div><dt>${name}</dt><dd>${thousands(count)}</dd></div>
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
${
  changes === undefined
    ? html`<p>${record.hasLastHead === undefined ? "This is the first report. The next one says what changed since." : "The hooks here cannot be listed, so nothing can be said about what changed."}</p>`
    : html`<p>The last report was written on ${dayAndTime(changes.since)}. ${changes.lines === 0 ? "Nothing was recorded" : html`${counted(changes.lines, "line")} ${changes.lines === 1 ? "was" : "were"} recorded`} since. ${record.hasLastHead === false ? "The line that was the last one then is gone." : "The line that was the last one then is still there, unchanged."}</p>
${
  changes.entries.length === 0
    ? html`<p>The hooks and their powers are the same.</p>`
    : html`<ul class="things">${changes.entries.map(
        ({
          hook,
          text,
          alert,
        }) => html`<li>${alert ? CHANGE.alert : CHANGE.plain}<p>${hookName(hook)} ${value(text, MAX_TEXT)}</p></li>
`,
      )}</ul>`
}
${changes.leftOut > 0 ? html`<p class="dim">${thousands(changes.leftOut)} more changes are left out.</p>` : undefined}`
}
</section>`;
}

const CHANGE = {
  alert: html`<span class="badge look"><span aria-hidden="true">?</span> look</span>`,
  plain: html`<span class="badge other"><span aria-hidden="true">·</span> noted</span>`,
};
