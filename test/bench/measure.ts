/** Times in microseconds of one variant, over all rounds. */
export class Times {
  readonly #values: number[] = [];

  add(us: number): void {
    this.#values.push(us);
  }

  quantile(part: number): number {
    const sorted = [...this.#values].sort((a, b) => a - b);
    return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? Number.NaN;
  }

  get median(): number {
    return this.quantile(0.5);
  }
}

export interface Variant {
  name: string;
  /** One round trip. */
  once(): Promise<void>;
  close(): Promise<void>;
}

/** Measures variants in turns and adds their times, so that other load of the machine affects all of them. */
export async function inTurns(
  variants: readonly Variant[],
  rounds: number,
  perRound: number,
  times: Map<string, Times>,
): Promise<void> {
  for (const { name } of variants) if (!times.has(name)) times.set(name, new Times());
  for (const variant of variants) for (let at = 0; at < perRound; at++) await variant.once();
  for (let round = 0; round < rounds; round++) {
    for (const variant of variants) {
      for (let at = 0; at < perRound; at++) {
        const started = performance.now();
        await variant.once();
        times.get(variant.name)?.add((performance.now() - started) * 1000);
      }
    }
  }
}

export const round = (value: number, digits = 0): string => value.toFixed(digits);

/** A row of the table that the README shows. */
export interface Row {
  what: string;
  value: string;
  beside: string;
  ratio?: number;
  goal?: number;
}

/** Prints rows as a Markdown table; true if every ratio is within its goal. */
export function print(title: string, rows: readonly Row[]): boolean {
  console.log(`\n### ${title}\n\n| what | measured | beside | ratio | goal |\n|---|---|---|---|---|`);
  for (const { what, value, beside, ratio, goal } of rows) {
    const shown = ratio === undefined ? "" : `${ratio.toFixed(2)} ×`;
    console.log(
      `| ${what} | ${value} | ${beside} | ${shown} | ${goal === undefined ? "" : `≤ ${goal}${ratio === undefined ? "" : " ×"}${ratio !== undefined && ratio > goal ? " **missed**" : ""}`} |`,
    );
  }
  return rows.every(({ ratio, goal }) => ratio === undefined || goal === undefined || ratio <= goal);
}
