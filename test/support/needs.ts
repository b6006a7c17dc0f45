import type { TestOptions } from "vitest";
import { LONG } from "./length.ts";

declare module "vitest" {
  interface TaskMeta {
    /** What this machine, or this run, lacks for the test. */
    lacks?: string;
  }
}

/** Options of a test, or of a suite, that is skipped if something is lacking. The end of the run counts these by what it is. */
export const needs = (lacks: string | false | undefined): TestOptions =>
  lacks === false || lacks === undefined ? {} : { skip: true, meta: { lacks } };

/** Of a test that takes long, or whose class has many rows. */
export const needsTime = (): TestOptions => needs(!LONG && "only in npm run test:long");
