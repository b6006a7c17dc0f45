import { describe, expect, test } from "vitest";
import { sampled } from "../support/length.ts";
import { PROBES } from "./strands-plugins.ts";
import { MORE_PROBES } from "./strands-plugins-more.ts";
import { SHAPES } from "./strands-plugins-shapes.ts";
import { cordonSide, sdkSide } from "./strands-sides.ts";

const { CANCELLING, ORDER, REWRITING } = PROBES;
const { INTERRUPTS, RESULTS, ADDED } = MORE_PROBES;

describe.each([
  ["cancelling", CANCELLING],
  ["order", ORDER],
  ["rewriting a call", REWRITING],
  ["what a plugin is given", SHAPES],
  ["interrupts", INTERRUPTS],
  ["results", RESULTS],
  ["callbacks added and taken out", ADDED],
] as const)("a plugin does the same in Cordon as in the SDK: %s", (_part, probes) => {
  test.each(sampled(probes).map((one) => [one.name, one] as const))("%s", async (_name, { sees, ...probe }) => {
    // The conversation keeps the calls as the model made them in Cordon: a difference of its own.
    const { history: _sdk, ...sdk } = await sdkSide(probe);
    const { history: _cordon, ...cordon } = await cordonSide(probe);
    expect(sdk).toMatchObject(sees);
    expect(cordon).toEqual(sdk);
  });
});
