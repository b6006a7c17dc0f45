import { type Capabilities, withMore } from "../grants/schema.ts";
import { type ExecEntry, type ExecGrant, faultOf } from "../powers/exec-grant.ts";
import { replaceVolatile } from "./volatile-values.ts";

const LEVELS = ["off", "minimal", "low", "medium", "high", "xhigh", "max"];
/** An amount, a share, or a time. */
const NUMBER = /^[~+-]?[$]?\d[\d.,:]*\s?[a-z%]{0,3}$/i;
const isSentenceWithNumber = (text: string): boolean => /^(?=.*\s)(?=.*\p{L}{2}).*\d/su.test(text);
/** What comes after it is a script: two of a kind have little in common. */
export const SCRIPT_NEXT = /^(-[a-z]*[ce]|--?(command|eval|print|exec|script))$/i;

type Arg = ExecEntry["args"][number];
const isSame = (one: Arg, other: Arg | undefined): boolean => JSON.stringify(one) === JSON.stringify(other);

/**
 * Proposed programs with what another session says in another way left open: the model, how much it thinks, numbers that the
 * samples changed, and sentences with numbers. git's arguments stay as they are.
 */
export function withVaried(entries: ExecGrant, model: { provider: string; id: string }): ExecGrant {
  const names = [model.id, `${model.provider}/${model.id}`, "Sample"];
  const open = (entry: ExecEntry): ExecEntry => {
    if (/(^|[/\\])git(\.exe)?$/i.test(entry.program)) return entry;
    const args = entry.args.map((arg, at): Arg => {
      if (typeof arg !== "string" || SCRIPT_NEXT.test(String(entry.args[at - 1]))) return arg;
      if (names.includes(arg) || isSentenceWithNumber(arg))
        return { kind: "text", ...(arg.includes("\n") ? { lines: true } : {}) };
      const others = entries.flatMap((other) => (isButFor(at, entry, other) ? other.args.slice(at, at + 1) : []));
      const vary = (fits: (text: string) => boolean) =>
        fits(arg) && others.some((other) => typeof other === "string" && other !== arg && fits(other));
      if (vary((text) => LEVELS.includes(text))) return { kind: "enum", values: LEVELS };
      return vary((text) => NUMBER.test(text)) ? { kind: "text" } : arg;
    });
    const { fullAccess, ...wider } = { ...entry, args };
    return fullAccess === true || faultOf(wider) !== undefined ? { ...wider, fullAccess: true } : wider;
  };
  // A script that names the moment is another one in each round, and no grant fits the next.
  const apart = new Map(entries.map((one) => [replaceVolatile(JSON.stringify(one), () => ""), one]));
  return [...apart.values()].reduce<Capabilities>((sum, one) => withMore(sum, "exec", [open(one)]), {}).exec ?? [];
}

const isButFor = (place: number, one: ExecEntry, other: ExecEntry): boolean =>
  one.program === other.program &&
  one.args.length === other.args.length &&
  one.args.every((arg, at) => at === place || isSame(arg, other.args[at]));
