import type { Port } from "../../core/port.ts";

/** What a value of pi's configuration names: `$$` and `$!` are signs, `$NAME` and `${NAME}` variables. */
const PARTS = /\$(?:([$!])|\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))/g;

/**
 * What is sent for a key or a header. Variables are the hook's, by its own `env` power: undefined if one is not set or was not
 * granted. Throws for a command, which pi would run in a shell.
 */
export function sentValue(port: Port, given: unknown, what: string): string | undefined {
  if (given === undefined || given === null) return undefined;
  const text = String(given);
  if (text.startsWith("!"))
    throw new TypeError(`${what} is a command for a shell of the agent's, which a contained hook cannot have`);
  let isWhole = true;
  const sent = text.replace(PARTS, (_all, sign: string | undefined, braced?: string, plain?: string) => {
    if (sign !== undefined) return sign;
    const value = variable(port, (braced ?? plain) as string);
    if (value === undefined) isWhole = false;
    return value ?? "";
  });
  return isWhole ? sent : undefined;
}

/** The host reports a refusal. */
function variable(port: Port, name: string): string | undefined {
  try {
    const value = port.ask({ op: "env.get", dispatch: 0, args: [name] });
    return typeof value === "string" && value !== "" ? value : undefined;
  } catch {
    return undefined;
  }
}
