import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Suites that take longest, mostly since they wait. Begun last, one would go on while nothing else is left to run. */
const LONGEST = [
  "cli/install",
  "command-agents/closed",
  "command-agents/openclaw-closed",
  "failure/bombs",
  "failure/chaos",
  "failure/forged-frames",
  "failure/host-floods",
  "failure/loops",
  "grants/limits",
  "host/offers",
  "powers/exec-attacks",
  "powers/net-socket-limits",
  "powers/sqlite-limits",
  "runtime/install",
].map((name) => `/${name}.test.ts`);

const isLong = ({ moduleId }: TestSpecification): boolean => LONGEST.some((end) => moduleId.endsWith(end));

export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const alone = sorted.filter(({ project }) => project.config.isolate);
    const shared = sorted.filter(({ project }) => !project.config.isolate);
    return [alone, shared].flatMap((group) => [...group.filter(isLong), ...group.filter((file) => !isLong(file))]);
  }
}
