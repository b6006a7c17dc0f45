import { randomBytes } from "node:crypto";
import { setImmediate as turn } from "node:timers/promises";
import { SecretIndex } from "./secret-index.ts";
import { isSecretField, isSecretList, isSecretNumber, knownSecrets, maskShapes } from "./secret-shapes.ts";

/** Shorter secrets are replaced where they show as such, and not wherever their letters stand. */
const MIN_EVERYWHERE = 8;
/** Shorter numbers are counts. */
const MIN_DIGITS = 4;
/** Deeper values are no events. */
const MAX_DEPTH = 100;
/** Of all secrets of a recording together. A file that an agent reads can look like thousands. */
const MAX_SECRETS = 10_000;
const MAX_SECRET_LETTERS = 1_000_000;
/** Masked names of fields, in letters: a line has no room for more. */
const MAX_POINTERS = 1024 * 1024;
/** Letters after which the agent has its turn. */
const STRETCH = 128 * 1024;
/** What a text costs beside its letters. */
const PER_TEXT = 16;
const STAND_IN = /masked-secret-\d{4,}/g;

/** A value without its secrets, and where they were, as JSON Pointers. */
export interface Masked {
  readonly value: unknown;
  readonly masked: readonly string[];
}

/** Thrown for what has more secrets than are kept: neither it nor what follows could be shown without them. */
export class Unmaskable extends Error {}

/**
 * Replaces secrets by stand-ins, `masked-secret-0001` and so on: one secret has one stand-in in all of a recording. It finds what
 * it knows the shape or the value of, which is not every secret.
 */
export class Masks {
  readonly #standIns = new Map<string, string>();
  /** Secrets that are replaced wherever they stand. */
  readonly #everywhere = new SecretIndex();
  #letters = 0;

  /** `values`: secrets that are known as such, of variables for example. Throws `Unmaskable`. */
  constructor(values: Iterable<string> = []) {
    for (const value of values) if (value.length >= MIN_EVERYWHERE) this.#add(value);
  }

  /** Takes a value as JSON gives it, one at a time. Rejects with `Unmaskable`, and has to be given up then. */
  async mask(given: unknown): Promise<Masked> {
    const texts: Text[] = [];
    replaceTexts(given, (shown, role, field) => {
      texts.push({ shown, role, field });
      return shown;
    });
    await inStretches(texts, (one) => {
      if (isSecretIn(one)) one.shown = this.#whole(one.shown);
      else if (one.role !== "number") one.shown = maskShapes(one.shown, (secret) => this.#add(secret));
    });
    const all = texts.map(({ shown }) => shown).join("\n\n");
    for (const secret of await knownSecrets(all)) if (!isStandIn(secret)) this.#add(secret);
    await inStretches(texts, (one) => {
      one.shown = this.#known(one.shown);
    });
    const shown = texts.values();
    const masked = new Set<string>();
    let letters = 0;
    const mark = (at: string): void => {
      if (letters <= MAX_POINTERS) masked.add(at);
      letters += at.length;
    };
    const value = replaceTexts(given, () => shown.next().value?.shown ?? "", mark);
    return { value, masked: [...masked] };
  }

  /** `Bearer` and the like stay in front. */
  #whole(text: string): string {
    const [, kind = "", secret = ""] = /^((?:Bearer|Basic|token)\s+)?([\s\S]*)$/i.exec(text) ?? [];
    return secret.trim() === "" || isStandIn(secret) ? text : kind + this.#add(secret);
  }

  #known(text: string): string {
    let shown = "";
    let done = 0;
    for (const { start, end, secret } of this.#everywhere.find(text)) {
      shown += text.slice(done, start) + (this.#standIns.get(text.slice(secret.start, secret.end)) ?? "");
      done = end;
    }
    return shown + text.slice(done);
  }

  #add(found: string): string {
    const known = this.#standIns.get(found);
    if (known !== undefined) return known;
    if (isStandIn(found)) return found;
    this.#letters += found.length;
    if (this.#standIns.size >= MAX_SECRETS || this.#letters > MAX_SECRET_LETTERS)
      throw new Unmaskable(
        `there are more secrets than can be hidden: ${MAX_SECRETS}, of ${MAX_SECRET_LETTERS} letters together, are the most`,
      );
    // As part of a text it would keep all of that.
    const secret = Buffer.from(found, "utf16le").toString("utf16le");
    const standIn = `masked-secret-${String(this.#standIns.size + 1).padStart(4, "0")}`;
    this.#standIns.set(secret, standIn);
    if (secret.length >= MIN_EVERYWHERE) this.#everywhere.add(secret);
    return standIn;
  }
}

/** A text within a value: the name of a member; the member itself; one of a list; or a number, as text. */
type Role = "name" | "member" | "item" | "number";

/** A text of a value, as it is shown so far. */
interface Text {
  shown: string;
  readonly role: Role;
  /** The name of the member; of a text in a list, that of the list. Empty if it has no name. */
  readonly field: string;
}

function isSecretIn({ shown, role, field }: Text): boolean {
  if (role === "name") return false;
  if (role === "number") return shown.length >= MIN_DIGITS && isSecretNumber(field);
  return role === "item" ? isSecretList(field) : isSecretField(field);
}

/** A copy of a value with each text replaced. `mark` gets JSON Pointers to those that changed. */
function replaceTexts(
  value: unknown,
  change: (text: string, role: Role, field: string) => string,
  mark: (at: string) => void = () => {},
  field = "",
  role: Role = "item",
  at = "",
  depth = 0,
): unknown {
  if (depth > MAX_DEPTH) return null;
  if (typeof value === "string" || typeof value === "number") {
    const given = String(value);
    const text = change(given, typeof value === "number" ? "number" : role, field);
    if (text === given) return value;
    mark(at);
    return text;
  }
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value))
    return value.map((one, index) => replaceTexts(one, change, mark, field, "item", `${at}/${index}`, depth + 1));
  // A name may be a secret as well, and `__proto__` has to stay a name.
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => {
      const shown = change(name, "name", "");
      const place = `${at}/${shown.replaceAll("~", "~0").replaceAll("/", "~1")}`;
      if (shown !== name) mark(place);
      return [shown, replaceTexts(one, change, mark, name, "member", place, depth + 1)];
    }),
  );
}

/** Acts on each, with a turn for the agent now and then. */
async function inStretches(texts: readonly Text[], act: (one: Text) => void): Promise<void> {
  let work = 0;
  for (const one of texts) {
    act(one);
    work += one.shown.length + PER_TEXT;
    if (work < STRETCH) continue;
    work = 0;
    await turn();
  }
}

const isStandIn = (text: string): boolean => /^[-_A-Za-z]{0,12}masked-secret-\d{4,}$/.test(text);

/**
 * Other stand-ins in place of those of a recording, of another length and other letters: a verdict that differs with them depends on
 * what was masked.
 */
export class OtherStandIns {
  readonly #others = new Map<string, string>();

  /** Takes JSON text. */
  replace(json: string): string {
    return json.replace(STAND_IN, (standIn) => {
      const other = this.#others.get(standIn) ?? randomBytes(20).toString("hex");
      this.#others.set(standIn, other);
      return other;
    });
  }

  /** The stand-ins of the recording again, as far as they stand whole. */
  restore(json: string): string {
    return [...this.#others].reduce((text, [standIn, other]) => text.replaceAll(other, standIn), json);
  }
}

/** The value with all stand-ins alike: two recordings count them in another order. */
export const withoutNumbers = (json: string): string => json.replace(STAND_IN, "masked-secret");
