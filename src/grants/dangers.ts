import { cleanLine } from "../text.ts";
import type { Capabilities } from "./schema.ts";

/** Powers that tell a hook something, and what that is. */
const tells = (powers: Capabilities): string[] => [
  ...(powers.fs?.read?.length ? [`files (${powers.fs.read.join(", ")})`] : []),
  ...(powers.exec?.length ? ["what its programs print"] : []),
  ...(powers.env?.length ? [`the variables ${powers.env.join(", ")}`] : []),
  ...(powers.session?.length ? ["this session's messages"] : []),
  ...(powers.model?.length ? [`the key of ${powers.model.join(", ")}`] : []),
];

const TELLING = new Set(["fs", "exec", "env", "session", "model"]);

/** Longest of one sentence: lists of places are long. */
const MAX_SHOWN = 300;

/**
 * What a person should know before a hook that holds `held` is granted this besides: what the power alone can do to them,
 * and what it can do together with another. Sentences that end ones about the hook.
 */
export function dangersOf(capability: string, granted: unknown, held: Capabilities): string[] {
  const added = { [capability]: granted } as Capabilities;
  const dangers: string[] = [];
  if (added.exec?.some(({ fullAccess }) => fullAccess)) dangers.push("that is full access: it can run any code as you");
  if (added.fs?.write?.length) dangers.push("what is written there can run code as you");
  if (added.model) dangers.push("costs or tells the key of that provider");
  const places = added.net?.connect ?? (TELLING.has(capability) ? held.net?.connect : undefined) ?? [];
  const told = places.length > 0 ? tells(capability === "net" ? held : added) : [];
  if (told.length > 0) dangers.push(`it can send ${told.join(", ")} to ${places.join(", ")}`);
  return dangers.map((danger) => cleanLine(danger, MAX_SHOWN));
}
