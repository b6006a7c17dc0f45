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
  /**
   * Further keywords of the published JSON Schema, for editors: they refuse nothing that `fault` accepts. Apart from the schema,
   * since `fault` says in words what is wrong.
   */
  readonly published?: object;
}

/** The first fault of several parts. */
export const firstFault = <T>(parts: readonly T[], faultOf: (part: T) => string | undefined): string | undefined =>
  parts.map(faultOf).find((fault) => fault !== undefined);
