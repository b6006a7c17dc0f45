import { loops } from "./attacks.ts";
import { testContainment } from "./containment.ts";

testContainment(loops);
