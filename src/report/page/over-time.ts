import type { Count, OverTime } from "../periods.ts";
import { html, type Markup, type Part } from "./html.ts";
import { cell, head, table } from "./table.ts";
import { counted, periodText, thousands } from "./value.ts";

/** How much powers were used over time, as charts and in numbers. */
export function overTimeSection({ unit, periods, powers }: OverTime): Markup {
  const [first = "", last = ""] = [periods.at(0), periods.at(-1)];
  return html`<section id="over-time" aria-labelledby="over-time-title">
<h2 id="over-time-title">Powers over time</h2>
${
  powers.length === 0
    ? html`<p>No power was used or refused.</p>`
    : html`${table({
        caption: html`Each bar is one ${unit}, from ${periodText(first, unit)} to ${periodText(last, unit)}. Above the line: used; below it: refused.`,
        kind: "uses",
        columns: ["power", "used", "refused", html`<span class="unseen">chart</span>`],
        rows: powers.map(({ power, counts }) => ({
          head: head(html`<strong>${power}</strong>`),
          cells: [
            cell("number", html`<span class="label">used</span>`, thousands(sum(counts, "used"))),
            cell("number", html`<span class="label">refused</span>`, thousands(sum(counts, "refused"))),
            cell("chart", chart(counts)),
          ],
        })),
      })}
<details><summary><h3>In numbers</h3> <span class="dim small">${counted(periods.length, unit)}</span></summary>
<div class="inside">${table({
        caption: html`Use of powers in each ${unit} that had any`,
        kind: "periods",
        columns: [unit, "powers"],
        rows: periods.flatMap((period, at) => {
          const text = numbers(powers, at);
          return text === undefined ? [] : [{ head: head(periodText(period, unit)), cells: [cell("text", text)] }];
        }),
      })}</div></details>`
}
</section>`;
}

const sum = (counts: readonly Count[], what: keyof Count): number =>
  counts.reduce((all, count) => all + count[what], 0);

const WIDTH = 10;
const [ABOVE, BELOW] = [26, 12];

/** Bars of one power: what was used stands on the line, what was refused hangs below it. The numbers stand beside it. */
function chart(counts: readonly Count[]): Markup {
  const most = Math.max(1, ...counts.flatMap(({ used, refused }) => [used, refused]));
  const width = counts.length * WIDTH;
  const bars = counts.flatMap(({ used, refused }, at): Part[] => [
    bar("bar", at, ABOVE - height(used, most, ABOVE), height(used, most, ABOVE)),
    bar("bar-refused", at, ABOVE + 1, height(refused, most, BELOW)),
  ]);
  return html`<svg viewBox="0 0 ${width} ${ABOVE + 1 + BELOW}" preserveAspectRatio="none" aria-hidden="true" focusable="false"><rect class="axis" x="0" y="${ABOVE}" width="${width}" height="1"/>${bars}</svg>`;
}

/** Whatever happened once is seen. */
const height = (count: number, most: number, room: number): number =>
  count === 0 ? 0 : Math.max(2, Math.round((count / most) * room));

const bar = (kind: string, at: number, top: number, tall: number): Part =>
  tall > 0 && html`<rect class="${kind}" x="${at * WIDTH + 1}" y="${top}" width="${WIDTH - 2}" height="${tall}"/>`;

function numbers(powers: OverTime["powers"], at: number): string | undefined {
  const texts = powers.flatMap(({ power, counts }) => {
    const { used, refused } = counts[at] ?? { used: 0, refused: 0 };
    const words = [
      ...(used > 0 ? [`${thousands(used)} used`] : []),
      ...(refused > 0 ? [`${thousands(refused)} refused`] : []),
    ];
    return words.length === 0 ? [] : [`${power}: ${words.join(", ")}`];
  });
  return texts.length === 0 ? undefined : texts.join("; ");
}
