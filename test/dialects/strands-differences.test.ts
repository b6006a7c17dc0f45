import { describe, expect, test } from "vitest";
import { sampled } from "../support/length.ts";
import { CALLS } from "./strands-differences-calls.ts";
import { DATA } from "./strands-differences-data.ts";
import { cordonSide, sdkSide } from "./strands-sides.ts";

describe.each(Object.entries({ ...CALLS, ...DATA }))("Cordon differs from the SDK on purpose (%s)", (_rule, rows) => {
  test.each(sampled(rows))("%s", async (_claim, source, see, { sdk, cordon }, life) => {
    expect(see(await sdkSide(source, life))).toEqual(sdk);
    expect(see(await cordonSide(source, life))).toEqual(cordon);
  });
});
