import { fault, wrongType } from "./fault.ts";
import { isIPv4, isIPv6 } from "./net-addresses.ts";

type Family = "ipv4" | "ipv6";

/** An address of IPv6. One of IPv4 is written as Node compares it with those: behind `::ffff:`. */
interface Place {
  value: bigint;
  /** As it stands in a rule. */
  text: string;
}

/** The first address behind which those of IPv4 are, and how many bits that leaves. */
const MAPPED = 0xffffn;
const V4_BITS = 32n;
const isMapped = (value: bigint): boolean => value >> V4_BITS === MAPPED;

const TITLE = { ipv4: "IPv4", ipv6: "IPv6" } as const;

/** In the order in which Node names its rules. */
const KINDS = ["Address", "Subnet", "Range"] as const;

interface Rule {
  kind: (typeof KINDS)[number];
  text: string;
  covers(value: bigint, family: Family): boolean;
}

/** Addresses to refuse, which a hook decides by itself: no request knows of the list. */
export class BlockList {
  #rules: Rule[] = [];

  static isBlockList(value: unknown): boolean {
    return typeof value === "object" && value !== null && #rules in value;
  }

  addAddress(address: unknown, family?: unknown): void {
    const of = familyOf(family);
    const { value, text } = placeOf(address, of, "address");
    this.#add("Address", of, text, (other) => other === value);
  }

  addRange(start: unknown, end: unknown, family?: unknown): void {
    const of = familyOf(family);
    const [from, to] = [placeOf(start, of, "start"), placeOf(end, of, "end")];
    if (from.value > to.value)
      throw fault(
        TypeError,
        "ERR_INVALID_ARG_VALUE",
        `The argument 'start' must come before end. Received '${from.text}'`,
      );
    // Node says of an address of IPv4 neither that it comes before one of IPv6 nor that it comes after it.
    const isOfBoth = isMapped(from.value) && isMapped(to.value);
    this.#add(
      "Range",
      of,
      `${from.text}-${to.text}`,
      (other, asked) => (asked === "ipv6" || isOfBoth) && other >= from.value && other <= to.value,
    );
  }

  addSubnet(net: unknown, prefix: unknown, family?: unknown): void {
    const of = familyOf(family);
    const { value, text } = placeOf(net, of, "network");
    const most = of === "ipv4" ? 32 : 128;
    if (typeof prefix !== "number") throw wrongType("prefix", "of type number");
    if (!Number.isInteger(prefix) || prefix < 0 || prefix > most)
      throw fault(
        RangeError,
        "ERR_OUT_OF_RANGE",
        `The value of "prefix" is out of range. It must be >= 0 && <= ${most}. Received ${prefix}`,
      );
    const rest = BigInt(most - prefix);
    this.#add("Subnet", of, `${text}/${prefix}`, (other) => other >> rest === value >> rest);
  }

  /** False for what is no address. */
  check(address: unknown, family: unknown = "ipv4"): boolean {
    if (typeof address !== "string") throw wrongType("address", "of type string");
    if (typeof family !== "string") throw wrongType("family", "of type string");
    // As Node takes any other word.
    const of = family.toLowerCase() === "ipv4" ? "ipv4" : "ipv6";
    const place = placeIn(address, of);
    return place !== undefined && this.#rules.some((rule) => rule.covers(place.value, of));
  }

  get rules(): string[] {
    return KINDS.flatMap((kind) => this.#rules.filter((rule) => rule.kind === kind)).map(({ text }) => text);
  }

  toJSON(): string[] {
    return this.rules;
  }

  /** The newest comes first. */
  #add(kind: Rule["kind"], family: Family, text: string, covers: Rule["covers"]): void {
    this.#rules.unshift({ kind, text: `${kind}: ${TITLE[family]} ${text}`, covers });
  }
}

const isFamily = (family: string): family is Family => family === "ipv4" || family === "ipv6";

function familyOf(family: unknown = "ipv4"): Family {
  if (typeof family !== "string") throw wrongType("family", "of type string");
  const of = family.toLowerCase();
  if (isFamily(of)) return of;
  throw fault(TypeError, "ERR_INVALID_ARG_VALUE", `The property 'options.family' is invalid. Received '${family}'`);
}

function placeOf(address: unknown, family: Family, name: string): Place {
  if (typeof address !== "string") throw wrongType(name, "of type string");
  const place = placeIn(address, family);
  if (place) return place;
  throw fault(Error, "ERR_INVALID_ADDRESS", "Invalid socket address");
}

/** `undefined` for what is no address of the family. */
function placeIn(address: string, family: Family): Place | undefined {
  if (family === "ipv4") {
    if (!isIPv4(address)) return undefined;
    const bits = address.split(".").reduce((sum, part) => (sum << 8n) | BigInt(part), 0n);
    return { value: (MAPPED << V4_BITS) | bits, text: address };
  }
  if (!isIPv6(address)) return undefined;
  // A zone says by which way an address is reached, and not which it is.
  const text = new URL(`http://[${address.replace(/%.*/, "")}]`).hostname.slice(1, -1);
  const [before = [], after = []] = text.split("::").map((part) => part.split(":").filter(Boolean));
  const all = [...before, ...Array(8 - before.length - after.length).fill("0"), ...after];
  const value = all.reduce((sum, part) => (sum << 16n) | BigInt(`0x${part}`), 0n);
  return { value, text: isMapped(value) ? `::ffff:${dotted(value)}` : text };
}

const dotted = (value: bigint): string => [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 0xffn).join(".");
