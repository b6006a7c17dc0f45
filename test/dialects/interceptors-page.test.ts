import { describe, expect, test } from "vitest";
import { testFixture } from "./interceptors-agent.ts";
import { EXAMPLES } from "./interceptors-page-examples.ts";
import { GUARDS } from "./interceptors-page-guards.ts";
import { MATCHING } from "./interceptors-page-matching.ts";
import { POINTS } from "./interceptors-page-points.ts";
import { REGISTRIES } from "./interceptors-page-registry.ts";

const PARTS = [
  ["its examples", EXAMPLES],
  ["the four points", POINTS],
  ["matching, ordering, throwing", MATCHING],
  ["the registry, and what is beside it", REGISTRIES],
  ["the built-in guards", GUARDS],
] as const;

const NOT_BEHAVIOUR: Record<string, string> = {
  "src/agents/tool-policy.ts normalizes names; src/interceptors/*.ts hold this and that": "OpenClaw's own source tree",
  "runEmbeddedAttempt() fires message.before and params.before, and calls initializeGlobalInterceptors()":
    "OpenClaw's own program: here the agent emits both events, and a hook finds the registry made",
  "pi-tool-definition-adapter.ts wraps every tool's execute()":
    "OpenClaw's own program: here wrapToolsWithHooks does, and in the library wrapToolWithInterceptors",
  "gateway startup: loadPlugins() (existing)": "OpenClaw's own program",
  "createAgentSession() with effective parameters; the agent prompts the LLM": "the agent's part",
  "params.before can route to different models":
    "the page itself calls provider and model read-only context in this version",
  "pnpm test src/interceptors/, pnpm test src/agents/pi-tool-definition-adapter": "commands for OpenClaw's source tree",
  "afterEach(() => resetGlobalInterceptors())": "advice for tests, which interceptors-registry.test.ts follows",
  "the columns Hooks and Plugins of the comparison": "about OpenClaw's two other systems",
  "see also docs/hooks.md, docs/plugin.md, docs/plugins/agent-tools.md": "references",
};

describe.each(PARTS)("the page on interceptors: %s", (_part, fixtures) => {
  describe.each(fixtures)("$what", testFixture);
});

test("no statement stands twice, and what is no behaviour has a reason", () => {
  for (const { what, cases } of PARTS.flatMap(([, fixtures]) => fixtures)) {
    const said = cases.map(({ says }) => says);
    expect(new Set(said).size, what).toBe(said.length);
  }
  expect(Object.values(NOT_BEHAVIOUR).every((reason) => reason.length > 0)).toBe(true);
});
