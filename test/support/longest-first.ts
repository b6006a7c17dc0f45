import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Suites that take longest, mostly since they wait. Begun last, one would go on while nothing else is left to run. */
const LONGEST = [
  "audit/decisions",
  "bundle/builder",
  "cli/adopt",
  "cli/commands",
  "cli/demo",
  "cli/init",
  "cli/install",
  "cli/remedies",
  "cli/trace",
  "command-agents/closed",
  "command-agents/openclaw-closed",
  "coverage/coverage",
  "docs/blocks",
  "failure/after-verdict",
  "failure/bombs",
  "failure/descriptors",
  "failure/host-floods",
  "failure/loops",
  "failure/realm-tampering",
  "grants/limits",
  "guest/modules-child-process-power",
  "guest/zlib-bombs",
  "market/registry",
  "powers/agents-attacks",
  "powers/exec-attacks",
  "powers/net-socket-limits",
  "powers/screens",
  "powers/sqlite-limits",
  "powers/ui-attack",
  "sandbox/close",
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
