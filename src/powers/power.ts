import type { Static, TSchema } from "typebox";
import type { Algebra } from "./algebra.ts";

/**
 * What can be granted of one power. Policy, update, trace and consent compare and join grants through it, and know
 * nothing of any one power.
 */
export interface Power<Schema extends TSchema> extends Algebra<Static<Schema>> {
  readonly schema: Schema;
  /** What is wrong with a grant that fits the schema, if anything. */
  fault?(grant: Static<Schema>): string | undefined;
}

/** The first fault of several parts. */
export const firstFault = <T>(parts: readonly T[], faultOf: (part: T) => string | undefined): string | undefined =>
  parts.map(faultOf).find((fault) => fault !== undefined);
