import { testContainment } from "./containment.ts";
import { throws } from "./wrong-answers.ts";

testContainment(throws);
