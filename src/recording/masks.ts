import { randomBytes } from "node:crypto";
import { isSecretField, knownSecrets, maskShapes } from "./secret-shapes.ts";

/** Shorter secrets are replaced where they show as such, and not wherever their letters stand. */
const MIN_EVERYWHERE = 8;
/** Deeper values are no events. */
const MAX_DEPTH = 100;
const STAND_IN = /masked-secret-\d{4,}/g;

/** A value without its secrets, and where they were, as JSON Pointers. */
export interface Masked {
  readonly value: unknown;
  readonly masked: readonly string[];
}

/**
 * Replaces secrets by stand-ins, `masked-secret-0001` and so on: one secret has one stand-in in all of a recording. It finds what
 * it knows the shape or the value of, which is not every secret.
 */
export class Masks {
  readonly #standIns = new Map<string, string>();
  /** Secrets that are replaced wherever they stand, the longest first: one may be a part of another. */
  #everywhere: readonly string[] = [];

  /** `values`: secrets that are known as such, of variables for example. */
  constructor(values: Iterable<string> = []) {
    for (const value of values) if (value.length >= MIN_EVERYWHERE) this.#add(value);
  }

  /** Takes a value as JSON gives it. */
  async mask(given: unknown): Promise<Masked> {
    const masked = new Set<string>();
    const shaped = this.#walk(given, masked, (text, name) =>
      isSecretField(name) ? this.#whole(text) : maskShapes(text, (secret) => this.#add(secret)),
    );
    const texts: string[] = [];
    this.#walk(shaped, new Set(), (text) => {
      texts.push(text);
      return text;
    });
    for (const secret of await knownSecrets(texts.join("\n\n"))) if (!isStandIn(secret)) this.#add(secret);
    return { value: this.#walk(shaped, masked, (text) => this.#known(text)), masked: [...masked] };
  }

  #walk(
    value: unknown,
    masked: Set<string>,
    change: (text: string, name: string) => string,
    at = "",
    depth = 0,
  ): unknown {
    if (depth > MAX_DEPTH) return null;
    if (typeof value === "string") {
      const text = change(value, at.slice(at.lastIndexOf("/") + 1));
      if (text !== value) masked.add(at);
      return text;
    }
    if (Array.isArray(value))
      return value.map((one, index) => this.#walk(one, masked, change, `${at}/${index}`, depth + 1));
    if (typeof value !== "object" || value === null) return value;
    // A name may be a secret as well, and `__proto__` has to stay a name.
    return Object.fromEntries(
      Object.entries(value).map(([name, one]) => {
        const shown = change(name, "");
        const place = `${at}/${shown.replaceAll("~", "~0").replaceAll("/", "~1")}`;
        if (shown !== name) masked.add(place);
        return [shown, this.#walk(one, masked, change, place, depth + 1)];
      }),
    );
  }

  /** `Bearer` and the like stay in front. */
  #whole(text: string): string {
    const [, kind = "", secret = ""] = /^((?:Bearer|Basic|token)\s+)?([\s\S]*)$/i.exec(text) ?? [];
    return secret.trim() === "" || isStandIn(secret) ? text : kind + this.#add(secret);
  }

  #known(text: string): string {
    return this.#everywhere.reduce((rest, secret) => rest.replaceAll(secret, this.#standIns.get(secret) ?? ""), text);
  }

  #add(secret: string): string {
    const known = this.#standIns.get(secret);
    if (known !== undefined) return known;
    if (isStandIn(secret)) return secret;
    const standIn = `masked-secret-${String(this.#standIns.size + 1).padStart(4, "0")}`;
    this.#standIns.set(secret, standIn);
    if (secret.length >= MIN_EVERYWHERE)
      this.#everywhere = [...this.#everywhere, secret].sort((a, b) => b.length - a.length);
    return standIn;
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
