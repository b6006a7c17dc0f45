import { describe, test } from "vitest";
import { sampled } from "../support/length.ts";
import { expectSameTrusted } from "./compare.ts";
import { agentStart, emits } from "./events.ts";
import { CONTEXT } from "./probes/context.ts";
import { ERRORS } from "./probes/errors.ts";
import { MODULES } from "./probes/modules.ts";
import { SESSION } from "./probes/session.ts";
import { BLOCKS, PASSES } from "./probes/tool-call.ts";
import { TOOL_RESULT } from "./probes/tool-result.ts";
import { scenarioOf } from "./scenario.ts";

// Issue, 4: "`trust: "full"` (`--trusted-hook`) loads one's own hook in process through jiti, with the same events and results."
describe('hooks with trust "full" do the same as in pi', () => {
  describe.each(Object.entries({ SESSION, TOOL_CALL: [...BLOCKS, ...PASSES], TOOL_RESULT, ERRORS, CONTEXT }))(
    "%s",
    (_part, probes) => {
      test.each(sampled(probes))("%s", (...probe) => expectSameTrusted(scenarioOf(probe)));
    },
  );

  test.each(sampled(Object.entries(MODULES)))("a module with %s", (_name, source) =>
    expectSameTrusted({ hooks: { module: source }, script: emits(agentStart) }),
  );
});
