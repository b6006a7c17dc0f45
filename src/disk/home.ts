import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { CordonError } from "../base/errors.ts";

/**
 * Cordon's home: `$CORDON_HOME` or `~/.cordon`. It has the grants, bundles, audit log and runtime. Throws for a relative
 * `$CORDON_HOME`: each working directory would have another home, and grants would lie in projects.
 */
export function defaultHome(): string {
  const named = process.env.CORDON_HOME;
  if (!named) return join(homedir(), ".cordon");
  if (isAbsolute(named)) return resolve(named);
  const whole = resolve(named);
  throw new CordonError("BAD_GRANT", `CORDON_HOME=${named} is not an absolute path; set it to one, such as ${whole}`);
}
