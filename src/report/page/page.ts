import { createHash } from "node:crypto";
import { command } from "../../base/shell-word.ts";
import { MAX_ID } from "../limits.ts";
import type { Report } from "../report.ts";
import { hooksSection } from "./hooks.ts";
import { html, Markup } from "./html.ts";
import { overTimeSection } from "./over-time.ts";
import { SCRIPT } from "./script.ts";
import { STYLE } from "./style.ts";
import { changesSection, summarySection } from "./summary.ts";
import { timelineSection } from "./timeline.ts";
import { commandLine, counted, dayAndTime, thousands, value } from "./value.ts";

/** The first bytes of every report: Cordon writes over no other file. */
export const MARK = "<!doctype html>\n<!-- A report of Cordon -->\n";

const hashOf = (text: Markup): string => `'sha256-${createHash("sha256").update(Markup.text(text)).digest("base64")}'`;

/** Nothing is loaded or sent, and no style or script runs but those with these hashes. */
const POLICY = [
  "default-src 'none'",
  `style-src ${hashOf(STYLE)}`,
  `script-src ${hashOf(SCRIPT)}`,
  "base-uri 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

/** The whole page, which needs nothing beside itself. */
export function pageOf(report: Report): string {
  const { time, home, since, hooks, own, sessions, overTime, leftOut } = report;
  const page = html`<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<title>Cordon report</title>
<style>${STYLE}</style>
</head>
<body>
<header>
<h1>Cordon report</h1>
<p class="dim">${dayAndTime(time)} UTC${since === undefined ? undefined : html`, counting from ${dayAndTime(since)}`}. Home: ${value(home, MAX_ID)}</p>
<nav aria-label="Parts of the report"><ul>${PARTS.map(([id, name]) => html`<li><a href="#${id}">${name}</a></li>`)}</ul></nav>
</header>
<main>
${summarySection(report)}
${changesSection(report)}
${hooksSection(hooks, own, since !== undefined)}
${timelineSection(sessions, namesOf(hooks))}
${overTimeSection(overTime)}
${recordSection(report)}
</main>
<footer>
${leftOut.length > 0 ? html`<p>Left out:</p><ul class="plain">${leftOut.map((one) => html`<li>${one}</li>`)}</ul>` : undefined}
<p>This page reads what is on record, and starts no hook. ${commandLine("cordon doctor")} tries whether each loads.</p>
</footer>
<script>${SCRIPT}</script>
</body>
</html>
`;
  return MARK + Markup.text(page);
}

const PARTS = [
  ["summary", "Summary"],
  ["changes", "Since the last report"],
  ["hooks", "Hooks and powers"],
  ["timeline", "What happened"],
  ["over-time", "Powers over time"],
  ["record", "The audit log"],
] as const;

/** The short names of hooks by their ids, of those that have theirs alone. */
const namesOf = (hooks: Report["hooks"]): Map<string, string> =>
  new Map(hooks.flatMap(({ id, name, shared }) => (shared ? [] : [[id, name]])));

/** The chain of the record: its head, and whether it verifies. */
function recordSection({ record, policies }: Report): Markup {
  const { folder, lines, trials, linesInPeriod, head, faults, faultCount, hasLastHead, lost, back } = record;
  return html`<section id="record" aria-labelledby="record-title">
<h2 id="record-title">The audit log</h2>
<p>${stateOfLog(record)}</p>
<dl class="facts">
${lines > 0 && html`<dt>head</dt><dd>${value(head)}</dd>`}
<dt>lines</dt><dd>${counted(lines, "line")}${linesInPeriod < lines ? html`, of which this page counts ${thousands(linesInPeriod)}` : undefined}${trials > 0 ? html`; ${thousands(trials)} are of hooks that were only tried out, which ${commandLine("cordon audit")} prints` : undefined}</dd>
<dt>folder</dt><dd>${value(folder, MAX_ID)}</dd>
<dt>last report</dt><dd>${hasLastHead === undefined ? "none to compare with" : hasLastHead ? "the line that it saw last is there" : "the line that it saw last is gone"}</dd>
${lost === undefined ? undefined : html`<dt>lost</dt><dd>the last line that the report of ${dayAndTime(lost)} saw, and what was around it</dd>`}${back === undefined ? undefined : html`<dt>put back</dt><dd>the last line that the report of ${dayAndTime(back)} saw: it was gone, and is there again</dd>`}${policies.map((policy) => html`<dt>policy</dt><dd>${value(policy, MAX_ID)}</dd>`)}
</dl>
${faultCount > 0 ? html`<h3>${counted(faultCount, "fault")}</h3><ul class="plain">${faults.map(({ at, fault }) => html`<li>${value(at)}: <bdi>${fault}</bdi></li>`)}</ul>` : undefined}
${lines > 0 && html`<p>The head is the hash of the last line. Keep it elsewhere: ${commandLine(command`cordon audit --head ${head}`)} then finds whether lines were cut off at the end, or the whole record was written anew.</p>`}
</section>`;
}

/** Whether the log is whole, as the summary says it. */
function stateOfLog({ verifies, lost, lines }: Report["record"]): Markup {
  const wrong = (text: string): Markup =>
    html`<span class="badge wrong"><span aria-hidden="true">!</span> ${text}</span>`;
  if (!verifies) return html`${wrong("does not verify")} What is on this page may not be what happened.`;
  if (lost !== undefined)
    return html`${wrong("lines are gone")} ${lines === 0 ? "The audit log is empty, and a report saw lines." : "Each line that is there follows the one before it, but a line that a report saw is gone."}`;
  if (lines === 0) return html`The audit log is empty.`;
  return html`<span class="badge fine"><span aria-hidden="true">✓</span> verifies</span> Each line follows the one before it: none was changed, added, moved or removed in between.`;
}
