import { isAbsolute, join, resolve } from "node:path";
import { CordonError } from "../base/errors.ts";
import { realPathOf } from "./paths.ts";
import { userFolder } from "./user-folder.ts";

/**
 * The real path of Cordon's home: `$CORDON_HOME` or `~/.cordon`. It has the grants, bundles, audit log and runtime. Builds read
 * nothing through a link out of their folder, and by whatever path it is named it is one home. Throws for a relative
 * `$CORDON_HOME`: each working directory would have another home, and grants would lie in projects. Throws for one below `/proc`:
 * Node never comes back from making a folder there.
 */
export function defaultHome(): string {
  const home = realPathOf(namedHome());
  if (!/^\/proc(\/|$)/.test(home)) return home;
  throw new CordonError(
    "BAD_GRANT",
    `Cordon's home is ${home}, and nothing can be kept in /proc; set CORDON_HOME to a folder of yours`,
  );
}

/** The same as it is named, maybe through links. Throws for a relative one, as {@link defaultHome} does. */
export function namedHome(): string {
  const named = process.env.CORDON_HOME;
  if (!named) return join(userFolder(), ".cordon");
  if (isAbsolute(named)) return resolve(named);
  const whole = resolve(named);
  throw new CordonError("BAD_GRANT", `CORDON_HOME=${named} is not an absolute path; set it to one, such as ${whole}`);
}

/** What Cordon itself keeps in its home. A hook that a person wrote there is theirs, and so is any other file. */
export const OWN_NAMES = [
  "adopted",
  "adopted.json",
  "agents.json",
  "audit",
  "bin",
  "blocked.jsonl",
  "bundles",
  "cache",
  "grants.json",
  "hooks.lock",
  "indexes",
  "indexes.json",
  "install.journal",
  "installed",
  "openclaw-cordon",
  "quarantine",
  "recordings",
  "reports",
  "restarts.json",
  "run",
  "runtime",
] as const;

/** The path of something that Cordon keeps in its home. */
export const inHome = (home: string, name: (typeof OWN_NAMES)[number]): string => join(home, name);

/** What a write leaves behind where it was killed: a lock, a draft, a runtime that was not complete. */
const LEFT = /(\.lock|\.[^.]+\.[0-9a-f]+\.(tmp|owner))$|(?<=^runtime)\.([0-9a-f]{8}|old)$/;

/** True for a name in the home that is Cordon's own. */
export const isOwnName = (name: string): boolean =>
  OWN_NAMES.some((own) => own === name || own === name.replace(LEFT, ""));
