import { testContainment } from "./containment.ts";
import { shapes } from "./wrong-answers.ts";

testContainment(shapes);
