import type { Static } from "typebox";
import { exactly } from "../base/schema.ts";
import Type from "../base/type.ts";
import { list } from "./algebra.ts";
import { firstFault, type Power } from "./power.ts";

const flag = (description: string) => Type.Optional(Type.Literal(true, { description }));

/** A provider of models that the hook may add to the agent, by its name, and one thing about it: there is no wildcard. */
const provider = exactly({
  name: Type.String({ minLength: 1, maxLength: 64, description: "The provider's name." }),
  url: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 2048,
      description: "Where the agent sends the conversation: to this address, and below it.",
    }),
  ),
  streams: flag("The hook itself gets the conversation, and answers."),
  login: flag("It signs the person in."),
  routes: flag("It gets the conversation, and chooses which of your models answers."),
  replaces: flag("The agent has a provider of this name, whose place it takes."),
});
const providersGrant = Type.Array(provider, {
  maxItems: 50,
  description: "Providers of models that it may add to the agent. Each entry is about one thing.",
});

export type ProviderPart = Static<typeof provider>;
export type ProvidersGrant = ProviderPart[];

/** Encoded characters that a server may read as the end of a folder. */
const SLIPPERY = /%(2e|2f|5c)/i;

/** A place in its one spelling, without a slash at its end. Throws for what is no address of a web server's folder. */
export function placeOf(text: string): string {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol))
    throw new TypeError("the address of a provider begins with https: or http:");
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "" || /[?#]/.test(text))
    throw new TypeError("the address of a provider has no password, query or fragment");
  if (SLIPPERY.test(url.pathname)) throw new TypeError("the address of a provider has no encoded . / or \\");
  return url.href.replace(/\/+$/, "");
}

const isWithin = (place: string, wide: string): boolean => place === wide || place.startsWith(`${wide}/`);

const NAME = /^[!-)+-~]+$/;

/** What an entry can be about: one of these. */
const PARTS = ["url", "streams", "login", "routes"] as const;

function faultOf({ name, url, streams, login, routes }: ProviderPart): string | undefined {
  if ([url, streams, login, routes].filter((one) => one !== undefined).length > 1)
    return `${name}: one entry names a url, or streams, or login, or routes`;
  if (!NAME.test(name)) return `${name}: a provider's name has letters, digits and signs, without spaces and *`;
  if (url === undefined) return undefined;
  try {
    return placeOf(url) === url ? undefined : `${url}: write it as ${placeOf(url)}`;
  } catch (error) {
    return `${url}: ${(error as Error).message}`;
  }
}

const RIGHTS = ["streams", "login", "routes", "replaces"] as const;

export const providersPower: Power<typeof providersGrant> = {
  schema: providersGrant,
  fault: (parts) => firstFault(parts, faultOf),
  published: {
    items: {
      properties: { name: { pattern: NAME.source }, url: { pattern: "^https?://[^?#\\s]+[^/?#\\s]$" } },
      not: { anyOf: PARTS.flatMap((one, at) => PARTS.slice(at + 1).map((other) => ({ required: [one, other] }))) },
    },
  },
  ...list<ProviderPart>({
    covers: (wide, narrow) =>
      wide.name === narrow.name &&
      (narrow.url === undefined || (wide.url !== undefined && isWithin(narrow.url, wide.url))) &&
      RIGHTS.every((right) => wide[right] === true || narrow[right] !== true),
    meet(one, other) {
      if (one.name !== other.name) return undefined;
      const [a, b] = [one.url ?? "", other.url ?? ""];
      const url = isWithin(a, b) ? a : isWithin(b, a) ? b : "";
      const rights = RIGHTS.filter((right) => one[right] && other[right]).map((right) => [right, true]);
      return { name: one.name, ...(a && b && url ? { url } : {}), ...Object.fromEntries(rights) };
    },
  }),
};
