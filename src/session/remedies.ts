/** What a person types to set things right, before the name of the hook. */
export interface Remedies {
  /** Restarts a hook. */
  readonly restart: string;
  /** Takes a hook out; empty where an agent has no such command. */
  readonly remove: string;
  /** Grants a power; the power follows the hook's name. */
  readonly grant: string;
  /** Accepts the hooks of a project. No name follows. */
  readonly accept: string;
}

/** Cordon's own commands. */
export const REMEDIES: Remedies = {
  restart: "cordon restart",
  remove: "cordon remove",
  grant: "cordon grant",
  accept: "cordon accept",
};

/** As an agent words them. A text alone is the one for a restart, and stands without a removal. */
export const remediesOf = (given: string | Partial<Remedies> | undefined): Remedies =>
  typeof given === "string" ? { ...REMEDIES, restart: given, remove: "" } : { ...REMEDIES, ...given };
