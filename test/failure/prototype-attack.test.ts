// Node adds symbols of its own when HTTP is first loaded.
import "node:http";
import { test } from "vitest";
import { attemptAll } from "./prototype-attack.ts";
import { answers, inputs, results } from "./prototype-attack-answers.ts";
import { MODEL, POWERS, powers } from "./prototype-attack-powers.ts";
import { builtIns, inherited } from "./prototype-attack-realm.ts";
import { bridges, frames, messages } from "./prototype-attack-wire.ts";

test.each([
  { promise: "built-ins that a hook replaces are replaced for itself alone", attacks: builtIns },
  { promise: "a change of Object.prototype affects one realm only", attacks: inherited },
  { promise: "an answer is read once, as plain data", attacks: answers },
  { promise: "an input is plain data, and runs as it was judged", attacks: inputs },
  { promise: "a result is plain data", attacks: results },
  { promise: "a frame that a hook forges ends its process or changes nothing", attacks: frames },
  { promise: "a hook gains nothing by using the modules' bridge to the host", attacks: bridges },
  { promise: "a message that turns into another one counts for its own hook only", attacks: messages },
])("$promise", ({ attacks }) => attemptAll(attacks));

test("powers pass only plain data to the agent's own code", () => attemptAll(powers, POWERS, { model: MODEL }));
