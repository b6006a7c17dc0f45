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

/** A hook, as far as a person does something about it. */
interface Subject {
  readonly id: string;
  /** How a person names it in a command: an id from a package's name means nothing where the package is not installed. */
  readonly typed: string;
  readonly origin: { readonly kind: string };
  readonly remedies: Remedies;
  /** The file with its grants that was named for the session. It goes before what `cordon grant` keeps. */
  readonly grantsFile: string | undefined;
}

/** What gives a hook a power that it lacks, as the end of a sentence. */
export function grantRemedy({ typed, id, remedies, grantsFile }: Subject, power: string, isForbidden = false): string {
  if (isForbidden) return "your organisation's policy does not allow it";
  const isOwn = remedies.grant === REMEDIES.grant;
  if (isOwn && grantsFile !== undefined) return `add it to its entry in ${grantsFile}`;
  return `run: ${remedies.grant} ${isOwn ? typed : id} ${power}`;
}

/** The way to go on without a hook; empty where an agent has none. */
export function wayWithout({ typed, id, origin, remedies: { remove } }: Subject): string {
  // What is not installed goes with its file or its setting.
  if (remove === REMEDIES.remove && origin.kind !== "installed") return `cordon disable ${typed}`;
  return remove && `${remove} ${id}`;
}

/** The ways to go on without a hook that cannot judge, or with it again. `isForbidden`: a policy stopped it. */
export function waysOn(hook: Subject, isForbidden: boolean): string {
  const { typed, id, remedies } = hook;
  const { restart } = remedies;
  const out = wayWithout(hook);
  if (isForbidden) return out || `cordon disable ${typed}`;
  return `${restart} ${restart === REMEDIES.restart ? typed : id}${out === "" ? "" : ` or ${out}`}`;
}

/** As an agent words them. A text alone is the one for a restart, and stands without a removal. */
export const remediesOf = (given: string | Partial<Remedies> | undefined): Remedies =>
  typeof given === "string" ? { ...REMEDIES, restart: given, remove: "" } : { ...REMEDIES, ...given };
