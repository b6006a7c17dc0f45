import { bombs } from "./attacks.ts";
import { testContainment } from "./containment.ts";

testContainment(bombs);
