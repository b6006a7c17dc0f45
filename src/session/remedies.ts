import { about, command, shellQuoted } from "../base/shell-word.ts";
import type { Manifest } from "../grants/manifest.ts";
import { askedOf } from "../grants/one-power.ts";
import { type Capabilities, powersOf, withMore } from "../grants/schema.ts";
import type { Wanted } from "../grants/wanted.ts";
import { exactly } from "../powers/quoted.ts";

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
  /** What the embedding agent gave it: that counts, and no file. */
  readonly given: object | undefined;
}

/** A hook that blocks. `required`: by a policy, so a person cannot go on without it. `isNowhere`: a path names it where there is no file. */
interface Blocker extends Subject {
  readonly required: boolean;
  readonly isNowhere: boolean;
}

/** What a hook asks for, and what it has. */
interface Granted {
  readonly manifest: Manifest | undefined;
  readonly grant: { readonly capabilities: Capabilities };
  /** What it was granted before its files changed, and has no more. */
  readonly lost?: Capabilities | undefined;
}

/** Longest grant in a remedy: people copy it, and read it before. */
const MAX_GRANT = 1000;

/** What is said of a refusal of what was granted since its session began. */
export const GRANTED_SINCE = "it was granted since: sessions that start now have it";

/**
 * What gives a hook something that it lacks, as the end of a sentence. Cordon's own command can be copied as it is: it says what to
 * grant, unless the hook's manifest asks for that. A `grant` that is `undefined` is not known.
 */
export function grantRemedy(hook: Subject & Granted, wanted: Wanted, isForbidden = false): string {
  if (isForbidden) return "your organisation's policy does not allow it";
  // Who grants it again without a look grants it to files that they do not know.
  const isLost = hook.lost !== undefined && Object.hasOwn(hook.lost, wanted.capability);
  const changed = isLost ? `its files changed since it was granted ${wanted.capability}: look at them first; ` : "";
  return changed + commandFor(hook, wanted);
}

function commandFor(
  { typed, id, remedies, grantsFile, given, manifest, grant: has }: Subject & Granted,
  { capability, grant }: Wanted,
): string {
  if (remedies.grant !== REMEDIES.grant) return `run: ${about(remedies.grant, id)} ${capability}`;
  const json = wantedText({ grant: has }, { capability, grant });
  const place = given ? "the grant that its host gives it" : grantsFile && `its entry in ${grantsFile}`;
  if (place) return `add ${json === undefined ? capability : `"${capability}": ${json}`} to ${place}`;
  const run = command`cordon grant ${typed} ${capability}`;
  if (asks(manifest, capability, grant)) return `run: ${run}`;
  return `run: ${json === undefined ? command`cordon trace ${typed}` : `${run} ${shellQuoted(json)}`}`;
}

/** A grant as JSON that a person can type; `undefined` if none is known, or it is too long. */
function wantedText({ grant: has }: Pick<Granted, "grant">, { capability, grant }: Wanted): string | undefined {
  // A right of events alone is no grant: which events it is about goes with it.
  const value = capability === "events" ? withMore(has.capabilities, capability, grant).events : grant;
  const json = exactly(JSON.stringify(value) ?? "");
  return json === "" || json.length > MAX_GRANT ? undefined : json;
}

/** The same, for a line of the audit. */
export function wantedFact(hook: Pick<Granted, "grant">, wanted: Wanted): { wanted?: string } {
  const text = wantedText(hook, wanted);
  return text === undefined ? {} : { wanted: text };
}

/** A text about a hook that is tried out, without the command that would grant it something: it has no name of its own yet. */
export const withoutRemedy = (text: string): string =>
  text.replace(/; (?:run: cordon (?:grant|trace) |add .{1,2000}? to the grant that its host gives it).*$/s, "");

/** Whether a manifest asks for that power, or for more of it: the command alone grants it then. Limits are granted one by one. */
const asks = (manifest: Manifest | undefined, capability: string, grant: unknown): boolean =>
  manifest !== undefined &&
  capability !== "limits" &&
  grant !== undefined &&
  powersOf.covers(askedOf(manifest), { [capability]: grant } as Capabilities);

/** The way to go on without a hook; empty where an agent has none, or a policy requires the hook. */
export function wayWithout({ typed, id, origin, required, remedies: { remove } }: Blocker): string {
  if (required) return "";
  // What is not installed goes with its file or its setting.
  if (remove === REMEDIES.remove && origin.kind !== "installed") return command`cordon disable ${typed}`;
  return remove && about(remove, id);
}

/** The ways to go on without a hook that cannot judge, or with it again. `isForbidden`: a policy stopped it. */
export function waysOn(hook: Blocker, isForbidden: boolean): string {
  const { typed, id, remedies, required } = hook;
  const { restart } = remedies;
  // No command finds what is not there, and it may be another path that was meant.
  if (hook.isNowhere) return "mend the path that names it, or leave that out";
  const out = wayWithout(hook);
  if (isForbidden && required) return "ask who wrote your organisation's policy: it requires this hook, too";
  if (isForbidden) return out || command`cordon disable ${typed}`;
  return `${about(restart, restart === REMEDIES.restart ? typed : id)}${out === "" ? "" : ` or ${out}`}`;
}

/** As an agent words them. A text alone is the one for a restart, and stands without a removal. */
export const remediesOf = (given: string | Partial<Remedies> | undefined): Remedies =>
  typeof given === "string" ? { ...REMEDIES, restart: given, remove: "" } : { ...REMEDIES, ...given };
