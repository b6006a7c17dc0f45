import type { LoginStep, SignedIn } from "../../sandbox/wire/providers.ts";
import { cleanLine } from "../base/text.ts";

/** The credentials that a hook gave. Throws for anything else. */
export function signedIn(value: unknown): SignedIn {
  const { credentials, apiKey } = Object(value) as { credentials?: unknown; apiKey?: unknown };
  if (typeof credentials !== "object" || credentials === null || typeof apiKey !== "string")
    throw new TypeError("the hook gave no credentials");
  return { credentials, apiKey };
}

const MAX_SHOWN = 2000;

/** What a sign-in shows, with its texts cleaned and the hook's name before the first. Throws for what is no web address. */
export function shownStep(step: LoginStep, value: unknown, hook: string): unknown {
  const named = (text: unknown): string => `[${hook}] ${cleanLine(String(text ?? ""), MAX_SHOWN)}`;
  const given = Object(value) as Record<string, unknown>;
  if (step === "progress") return named(value);
  if (step === "manualCode") return undefined;
  if (step === "prompt") {
    const { placeholder, allowEmpty } = given;
    return {
      message: named(given.message),
      ...(typeof placeholder === "string" ? { placeholder: cleanLine(placeholder, 200) } : {}),
      ...(typeof allowEmpty === "boolean" ? { allowEmpty } : {}),
    };
  }
  if (step === "select") {
    const options = Array.isArray(given.options) ? given.options.slice(0, 50) : [];
    return {
      message: named(given.message),
      options: options.map((one) => ({ id: String(one?.id), label: cleanLine(String(one?.label), 200) })),
    };
  }
  if (step === "auth") return { url: webAddress(given.url), instructions: named(given.instructions) };
  const seconds = (name: string) => (typeof given[name] === "number" ? { [name]: given[name] } : {});
  return {
    userCode: cleanLine(String(given.userCode), 200),
    verificationUri: webAddress(given.verificationUri),
    ...seconds("intervalSeconds"),
    ...seconds("expiresInSeconds"),
  };
}

/** An agent may open it in a browser. */
function webAddress(given: unknown): string {
  const url = URL.parse(String(given));
  if (!url || !/^https?:$/.test(url.protocol))
    throw new TypeError("a sign-in needs an address that begins with http: or https:");
  return url.href;
}
