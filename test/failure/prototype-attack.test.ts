import { test } from "vitest";
import { attemptAll } from "./prototype-attack.ts";
import { answers, inputs, results } from "./prototype-attack-answers.ts";
import { MODEL, POWERS, powers } from "./prototype-attack-powers.ts";
import { builtIns, inherited } from "./prototype-attack-realm.ts";
import { bridges, frames, messages } from "./prototype-attack-wire.ts";

test.each([
  { promise: "built-ins that a hook replaces are replaced for itself alone", attacks: builtIns },
  { promise: "what every object inherits is inherited in one realm alone", attacks: inherited },
  { promise: "an answer is read once, and for what it is", attacks: answers },
  { promise: "an input is plain data, and runs as it was judged", attacks: inputs },
  { promise: "a result is plain data", attacks: results },
  { promise: "a frame that a hook forges ends its process or changes nothing", attacks: frames },
  { promise: "the modules' way to the host is no other way for a hook", attacks: bridges },
  { promise: "a message that turns into another speaks for its own hook alone", attacks: messages },
])("$promise", ({ attacks }) => attemptAll(attacks));

test("what powers hand to the agent's own code is plain data", () => attemptAll(powers, POWERS, { model: MODEL }));
