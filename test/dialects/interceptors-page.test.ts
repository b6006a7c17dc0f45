import { describe, expect, test } from "vitest";
import { type Fixture, testFixture } from "./interceptors-agent.ts";
import { EXAMPLES } from "./interceptors-page-examples.ts";
import { GUARDS } from "./interceptors-page-guards.ts";
import { MATCHING } from "./interceptors-page-matching.ts";
import { POINTS } from "./interceptors-page-points.ts";
import { REGISTRIES } from "./interceptors-page-registry.ts";

// The page's other statements are not about hooks: OpenClaw's own source tree and programs (the agent calls both
// events, prompts the model, wraps its tools), commands and advice for its tests, its two other systems, references, and
// that params.before might choose models one day.
const PARTS: Record<string, Fixture[]> = {
  "its examples": EXAMPLES,
  "the four points": POINTS,
  "matching, ordering, throwing": MATCHING,
  "the registry, and what is beside it": REGISTRIES,
  "the built-in guards": GUARDS,
};

describe.each(Object.entries(PARTS))("the page on interceptors: %s", (_part, fixtures) => {
  describe.each(fixtures.map((fixture) => [fixture.about, fixture] as const))("%s", (_about, fixture) =>
    testFixture(fixture),
  );
});

test("no statement appears twice", () => {
  for (const { about, rows } of Object.values(PARTS).flat()) {
    const claims = rows.map(([claim]) => claim);
    expect(new Set(claims).size, about).toBe(claims.length);
  }
});
