import type { Reporter, TestCase, TestModule, TestSuite } from "vitest/node";

/** The last lines of a run: how many tests were skipped, and for what. */
export default class Skipped implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const counts = new Map<string, number>();
    for (const module of modules)
      for (const test of module.children.allTests("skipped")) {
        const why = reasonOf(test);
        counts.set(why, (counts.get(why) ?? 0) + 1);
      }
    for (const [why, count] of [...counts].sort()) console.log(`     Skipped  ${count}: ${why}`);
  }
}

function reasonOf(test: TestCase): string {
  const result = test.result();
  const note = "note" in result ? result.note : undefined;
  for (let at: TestCase | TestSuite | TestModule = test; "parent" in at; at = at.parent) {
    const { lacks } = at.meta() as { lacks?: string };
    if (lacks !== undefined) return lacks;
  }
  return note ?? "no reason is named";
}
