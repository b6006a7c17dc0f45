import { describe, expect, test } from "vitest";
import { sampled } from "../support/length.ts";
import { DIFFERENCES } from "./strands-differences.ts";
import { cordonSide, sdkSide } from "./strands-sides.ts";

describe.each([
  ["throws", DIFFERENCES.THROWS],
  ["tools", DIFFERENCES.TOOLS],
  ["plugins of two modules", DIFFERENCES.MODULES],
  ["events", DIFFERENCES.EVENTS],
  ["data", DIFFERENCES.DATA],
  ["questions", DIFFERENCES.QUESTIONS],
] as const)("Cordon differs from the SDK on purpose: %s", (_part, differences) => {
  test.each(sampled(differences).map((one) => [one.name, one.rule, one] as const))(
    "%s (%s)",
    async (_name, _rule, { see, sdk, cordon, ...probe }) => {
      expect(see(await sdkSide(probe))).toEqual(sdk);
      expect(see(await cordonSide(probe))).toEqual(cordon);
    },
  );
});
