import { POWERS } from "../../powers/powers.ts";
import type { EntryState, PowerState, ReportedHook } from "../hook.ts";
import { MAX_HOOK_BYTES, MAX_ID, MAX_NAME } from "../limits.ts";
import { OTHER_POWER } from "../record.ts";
import type { Report } from "../report.ts";
import { asFit } from "./as-fit.ts";
import { html, type Markup, type Part } from "./html.ts";
import { cell, head, table } from "./table.ts";
import { commandLine, counted, day, dayAndTime, hookName, rounded, shortened, thousands, value } from "./value.ts";

/** Most powers that fit beside each other, and beside the blocks, on a screen of 1152 px. */
const MAX_COLUMNS = 6;

const ORDER = [...Object.keys(POWERS), "limits", OTHER_POWER];

/** The hooks and their powers: a matrix, and then each hook by itself. */
export function hooksSection(hooks: readonly ReportedHook[], own: Report["own"], isPartial: boolean): Markup {
  const names = ORDER.filter((name) => hooks.some(({ powers }) => powers.some(({ power }) => power === name)));
  return html`<section id="hooks" aria-labelledby="hooks-title">
<h2 id="hooks-title">Hooks and their powers</h2>
${
  hooks.length === 0 && own.blocked === 0
    ? html`<p>No hook is installed or on record.</p>`
    : html`${table({
        caption: isPartial
          ? "What each hook may do, and what it did with that since the start of the report"
          : "What each hook may do, and what it did with that",
        kind: names.length > MAX_COLUMNS ? "matrix many" : "matrix",
        columns: ["hook", "blocked", ...names],
        rows: [
          ...hooks.map((hook, at) => ({
            head: hookHead(hook, at),
            cells: [blockedCell(hook.counts.blocked), ...names.map((name) => matrixCell(hook, name))],
          })),
          ...(own.blocked > 0 ? [ownRow(own, names.length)] : []),
        ],
      })}
<ul class="legend"><li><span class="is-used"><span aria-hidden="true">●</span> used</span>, how often</li><li><span class="is-unused"><span aria-hidden="true">○</span> unused</span>: granted, not used</li><li><span class="is-refused"><span aria-hidden="true">✕</span> refused</span>, how often</li><li><span class="is-asked"><span aria-hidden="true">◇</span> asked</span>: not granted</li></ul>
<h3 class="unseen">Each hook</h3>
${own.blocked > 0 ? ownDetails(own) : undefined}${asFit(hooks, MAX_HOOK_BYTES, (hook, at) => hookDetails(hook, at, isPartial), hookShort)}`
}
</section>`;
}

const hookHead = ({ name, origin, provenance, state }: ReportedHook, at: number): Markup =>
  head(
    html`<a href="#hook-${at}">${hookName(name)}</a><br>`,
    html`<span class="dim small">${origin}${provenance === undefined ? undefined : html`, ${PROVENANCE_WORDS[provenance]}`}</span> ${stateBadge(state)}`,
  );

/** What Cordon blocked itself, since no hook could judge it. It has no powers. */
const ownRow = ({ blocked }: Report["own"], powers: number) => ({
  head: head(
    html`<a href="#hook-own">${hookName("")}</a><br>`,
    html`<span class="dim small">itself: no hook could judge</span>`,
  ),
  cells: [blockedCell(blocked), ...Array.from({ length: powers }, () => NONE)],
});

const ownDetails = ({ blocked, reasons, last }: Report["own"]): Markup =>
  html`<details class="hook-details"><summary><h3>${hookName("")}</h3> <span class="dim small">itself, ${counted(blocked, "call")} blocked</span></summary>
<div class="inside" id="hook-own">
<p>Calls and results that no hook could judge: Cordon blocked them itself.</p>
${list(reasons, "")}
${last && html`<p class="dim small">last on ${dayAndTime(last.time)}: ${value(last.what)}</p>`}
</div></details>
`;

const PROVENANCE_WORDS = { none: "no provenance", signed: "signed", attested: "attested" };

const PROVENANCE = {
  none: "none: nothing says who built it, and from what",
  signed: "signed by the registry; nothing says from what it was built",
  attested: "attested: a build service vouches for the repository that it was built from",
};

const STATES: { readonly [State in ReportedHook["state"]]: readonly [kind: string, sign: string, word: string] } = {
  active: ["fine", "✓", "in use"],
  pending: ["look", "?", "not accepted"],
  stopped: ["wrong", "!", "stopped"],
  failed: ["wrong", "!", "failed to load"],
  disabled: ["other", "·", "disabled"],
  granted: ["other", "·", "not found here"],
  recorded: ["other", "·", "not installed"],
};

function stateBadge(state: ReportedHook["state"]): Markup | undefined {
  if (state === "active") return undefined;
  const [kind, sign, word] = STATES[state];
  return html`<span class="badge ${kind}"><span aria-hidden="true">${sign}</span> ${word}</span>`;
}

/** How many calls and results it blocked. */
function blockedCell(blocked = 0): Markup {
  if (blocked === 0) return NONE;
  return cell("some", html`<span class="label">blocked</span>`, html`<span class="signs">${rounded(blocked)}</span>`);
}

const NONE = cell("none", html`<span aria-hidden="true">–</span><span class="unseen">none</span>`);

function matrixCell({ powers }: ReportedHook, name: string): Markup {
  const power = powers.find(({ power }) => power === name);
  if (!power) return NONE;
  return cell(
    "some",
    html`<span class="label">${name}</span>`,
    html`<span class="signs">${signs(power, rounded)}</span>`,
  );
}

/** The signs of a power, each with its word. */
function signs({ granted, asked, used, refused, unrecorded }: PowerState, shown = thousands): Part {
  const all = [
    ...(granted !== undefined && unrecorded
      ? [html`<span class="is-unused"><span aria-hidden="true">●</span> granted</span>`]
      : []),
    ...(used > 0 ? [html`<span class="is-used"><span aria-hidden="true">●</span> used ${shown(used)}</span>`] : []),
    ...(granted !== undefined && used === 0 && !unrecorded
      ? [html`<span class="is-unused"><span aria-hidden="true">○</span> unused</span>`]
      : []),
    ...(refused > 0
      ? [html`<span class="is-refused"><span aria-hidden="true">✕</span> refused ${shown(refused)}</span>`]
      : []),
    ...(asked !== undefined && granted === undefined && refused === 0
      ? [html`<span class="is-asked"><span aria-hidden="true">◇</span> asked</span>`]
      : []),
  ];
  return all.map((one, at) => (at === 0 ? one : html`<br>${one}`));
}

const hookShort = ({ name }: ReportedHook, at: number): Markup =>
  html`<p class="dim small" id="hook-${at}">${hookName(name)}: left out, since the page is full. ${commandLine("cordon list")} prints its powers.</p>
`;

function hookDetails(hook: ReportedHook, at: number, isPartial: boolean): Markup {
  const { id, key, origin, source, version, provenance, publisher, builder, digest, grantedAt, state } = hook;
  const { pending, shared, lastUse, lastBlock, crashes, unsandboxed, counts, powers, decisions } = hook;
  const [, , word] = STATES[state];
  const facts: [string, Part][] = [
    ...fact("id", value(id, MAX_ID)),
    ...fact("in the grants as", key && value(key, MAX_ID)),
    ...fact("state", word),
    ...fact("origin", html`${origin}${source === undefined ? undefined : html`, from ${value(source, MAX_ID)}`}`),
    ...fact("version", version && value(version)),
    ...fact("provenance", provenance && PROVENANCE[provenance]),
    ...fact("publisher", publisher && value(publisher)),
    ...fact("built by", builder && value(builder, MAX_ID)),
    ...fact("digest", digest && value(digest)),
    ...fact("granted", grantedAt && dayAndTime(grantedAt)),
    ...fact(
      "waiting",
      pending &&
        html`version ${value(pending.version)} ${pending.wider.length > 0 ? html`also asks for ${value(pending.wider.join(", "), MAX_ID)}` : "guards less"}`,
    ),
    ...fact("last used", lastUse ? dayAndTime(lastUse) : "never"),
    ...fact("blocked", counts.blocked !== undefined && thousands(counts.blocked)),
    ...fact("last block", lastBlock && html`${dayAndTime(lastBlock.time)}: ${value(lastBlock.what)}`),
    ...fact("crashes", crashes > 0 && thousands(crashes)),
    ...fact("trusted", unsandboxed > 0 && html`no sandbox: loaded so ${counted(unsandboxed, "time")}`),
    ...fact("decided", decisions.length > 0 && decisionList(decisions)),
    ...fact("note", shared && "another hook here has the same id: the audit log does not say which of them did what"),
  ];
  return html`<details class="hook-details"><summary><h3>${hookName(hook.name)}</h3> <span class="dim small">${origin}, ${counted(powers.filter(({ granted }) => granted !== undefined).length, "power")}</span></summary>
<div class="inside" id="hook-${at}">
<dl class="facts">${facts.map(
    ([name, text]) => html`<dt>${name}</dt><dd>${text}</dd>
`,
  )}</dl>
${
  powers.length === 0
    ? html`<p>It has no powers, and tried to use none.</p>`
    : table({
        caption: html`Powers of ${value(hook.name, MAX_NAME)}, the most dangerous first`,
        kind: "powers",
        columns: ["power", "granted", isPartial ? "since the start of the report" : "what it did"],
        rows: powers.map((power) => ({
          head: head(html`<strong>${power.power}</strong>`),
          cells: powerCells(power, state),
        })),
      })
}
</div></details>
`;
}

const decisionList = (decisions: ReportedHook["decisions"]): Markup =>
  html`<ul class="plain small">${decisions.map(({ time, outcome, power, value: about }) => html`<li>${dayAndTime(time)}: ${value(outcome)}${power && html` <strong>${value(power)}</strong>`}${about && html` ${value(about)}`}</li>`)}</ul>`;

const fact = (name: string, text: Part | false): [string, Part][] =>
  text === undefined || text === false || text === "" ? [] : [[name, text]];

function powerCells(power: PowerState, state: ReportedHook["state"]): Markup[] {
  const { granted, asked, byDefault, dangers, lastUse, operations, refusals, taken, forbidden } = power;
  return [
    cell(
      "granted",
      html`<span class="label">granted</span>`,
      granted === undefined ? html`<span class="dim">${ungranted(state)}</span>` : value(granted, granted.length),
      taken !== undefined &&
        html`<br><span class="small">your organisation's policy takes ${taken === granted ? "all of it" : value(taken, MAX_ID)}</span>`,
      forbidden && html`<br><span class="small">your organisation's policy allows no hook this</span>`,
      byDefault && html`<br><span class="dim small">by default: nobody decided about it</span>`,
      asked !== undefined && html`<br><span class="dim small">asked for ${value(asked, MAX_ID)}</span>`,
      dangers.length > 0 &&
        html`<ul class="plain small">${dangers.map((one) => html`<li><bdi>${shortened(one, MAX_ID)}</bdi></li>`)}</ul>`,
    ),
    cell(
      "did",
      html`<span class="label">what it did</span>`,
      signs(power),
      lastUse && html`<br><span class="dim small">last on ${day(lastUse)}</span>`,
      list(operations, ""),
      list(refusals, "refused "),
      entryList(power),
    ),
  ];
}

/** Which entries of a grant were used, and which never. */
function entryList({ entries = [], unassigned = 0 }: PowerState): Part {
  const uses = ({ used, lastUse }: EntryState): Part => {
    if (used > 0) return html`<span class="is-used"><span aria-hidden="true">●</span> used ${thousands(used)}</span>`;
    const none = unassigned > 0 ? "no use on record" : "never used";
    const when = lastUse === undefined ? none : html`last used on ${day(lastUse)}`;
    return html`<span class="is-unused"><span aria-hidden="true">○</span> ${when}</span>`;
  };
  return (
    entries.length > 0 &&
    html`<ul class="plain small">${entries.map((one) => html`<li>${value(one.entry)}: ${uses(one)}</li>`)}${unassigned > 0 ? html`<li class="dim">of ${counted(unassigned, "use")} the record does not say by which entry</li>` : undefined}</ul>`
  );
}

/** A hook that only the record names may have had its grants from its agent or from another file. */
const ungranted = (state: ReportedHook["state"]): string =>
  state === "recorded" ? "nothing here; it may have had a grant of its agent, or of a --grants file" : "nothing";

const list = (counts: readonly { name: string; count: number }[], word: string): Part =>
  counts.length > 0 &&
  html`<ul class="plain small">${counts.map(({ name, count }) => html`<li>${name === "" ? "others" : html`${word === "" ? undefined : html`${word} `}${value(name)}`} × ${thousands(count)}</li>`)}</ul>`;
