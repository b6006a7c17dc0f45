import { describe, expect, test } from "vitest";
import { sampled } from "../support/length.ts";
import { CALLS } from "./strands-same-calls.ts";
import { EVENTS } from "./strands-same-events.ts";
import { cordonSide, sdkSide } from "./strands-sides.ts";

describe.each(Object.entries({ ...CALLS, ...EVENTS }))(
  "a plugin does the same in Cordon as in the SDK: %s",
  (_part, rows) => {
    test.each(sampled(rows))("%s", async (_claim, source, sees, life) => {
      // The conversation keeps the calls as the model made them in Cordon: a difference of its own.
      const { history: _sdk, ...sdk } = await sdkSide(source, life);
      const { history: _cordon, ...cordon } = await cordonSide(source, life);
      expect(sdk).toMatchObject(sees);
      expect(cordon).toEqual(sdk);
    });
  },
);
