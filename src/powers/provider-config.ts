import type { Static, TSchema } from "typebox";
import { compile, exactly, keyed } from "../base/schema.ts";
import { cleanLine } from "../base/text.ts";
import Type from "../base/type.ts";
import { toPlain } from "../supervisor/untrusted-json.ts";
import { OURS } from "./net-limits.ts";
import { type ProviderPart, placeOf } from "./provider-grant.ts";
import { AGENT_APIS } from "./provider-names.ts";

const MAX_NAME = 200;
const MAX_MODELS = 1000;

const optional = <Schema extends TSchema>(schema: Schema) => Type.Optional(schema);
const text = Type.String({ maxLength: 8192 });
const line = Type.String({ minLength: 1, maxLength: MAX_NAME });
const tokens = Type.Number({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
/** Members that mean something to one interface of models alone. */
const open = Type.Record(Type.String(), Type.Unknown());
const headers = keyed(text, { maxProperties: 50 }, 256);

const model = exactly({
  id: line,
  name: line,
  api: optional(line),
  baseUrl: optional(text),
  reasoning: Type.Boolean(),
  thinkingLevelMap: optional(open),
  input: Type.Array(Type.Enum(["text", "image"]), { maxItems: 2 }),
  inputLimits: optional(open),
  cost: open,
  promptCache: optional(open),
  contextWindow: tokens,
  maxTokens: tokens,
  samplingParams: optional(open),
  headers: optional(headers),
  compat: optional(open),
});

const config = exactly({
  name: optional(line),
  baseUrl: optional(text),
  api: optional(line),
  /** A key, not the name of one. */
  apiKey: optional(text),
  authHeader: optional(Type.Boolean()),
  headers: optional(headers),
  models: optional(Type.Array(model, { maxItems: MAX_MODELS })),
  /** The hook answers requests for models of its `api`. */
  streams: optional(Type.Literal(true)),
  /** The hook lists its models anew. */
  refreshes: optional(Type.Literal(true)),
  /** The hook signs the person in. */
  login: optional(exactly({ name: line, isSubscription: optional(Type.Boolean()) })),
});

export type ProviderModel = Static<typeof model>;
/**
 * A provider of models, in the shape of pi's `ProviderConfig`. `apiKey` and the values of headers are what is sent, and no
 * names of variables or commands.
 */
export type ProviderConfig = Static<typeof config>;

const check = compile(config);
const checkModels = compile(Type.Array(model, { maxItems: MAX_MODELS }));

function checked<Value>(schema: ReturnType<typeof compile>, value: unknown): Value {
  if (schema.Check(value)) return toPlain(value) as Value;
  const [first] = schema.Errors(value);
  throw new TypeError(`the configuration of a provider: ${cleanLine(`${first?.instancePath} ${first?.message}`, 300)}`);
}

/** Throws for a configuration that no honest extension gives. Addresses come out in their one spelling. */
export function configOf(value: unknown): ProviderConfig {
  const given = checked<ProviderConfig>(check, value);
  if (given.streams && given.api === undefined) throw new TypeError('"api" is required when registering streamSimple');
  checkSecret(given.apiKey ?? "", "an API key");
  checkHeaders(given.headers);
  return { ...given, ...placed(given), ...(given.models ? { models: given.models.map(modelOf) } : {}) };
}

/** The same for a list of models that a provider gives anew. */
export const modelsOf = (value: unknown): ProviderModel[] => checked<ProviderModel[]>(checkModels, value).map(modelOf);

function modelOf(given: ProviderModel): ProviderModel {
  for (const shown of [given.id, given.name])
    if (cleanLine(shown, MAX_NAME) !== shown) throw new TypeError("a model's name has characters that are not seen");
  checkHeaders(given.headers);
  return { ...given, ...placed(given) };
}

const placed = ({ baseUrl }: { baseUrl?: string }): { baseUrl?: string } =>
  baseUrl === undefined ? {} : { baseUrl: placeOf(baseUrl) };

/** RFC 9110, section 5.6.2. */
const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/;
const UNSENDABLE = /[^\t\x20-\x7e\x80-\xff]/;

function checkSecret(value: string, what: string): void {
  if (value.startsWith("!")) throw new TypeError(`${what} begins with !: a command is not run for a hook`);
  if (UNSENDABLE.test(value)) throw new TypeError(`${what} has characters that no header carries`);
}

function checkHeaders(given: Readonly<Record<string, string>> | undefined): void {
  for (const [name, value] of Object.entries(given ?? {})) {
    if (!TOKEN.test(name) || OURS.has(name.toLowerCase()))
      throw new TypeError(`the header ${cleanLine(name, 100)} is not a provider's to set`);
    checkSecret(value, "the value of a header");
  }
}

/** What a grant must have for this: each place that the agent sends to, and each right. */
export function partsOf(name: string, given: ProviderConfig, replaces: boolean): ProviderPart[] {
  const right = replaces ? ({ replaces: true } as const) : {};
  const places = placesOf(given).map((url) => ({ name, url, ...right }));
  return [
    ...places,
    ...(given.streams ? [{ name, streams: true as const, ...right }] : []),
    ...(given.login ? [{ name, login: true as const, ...right }] : []),
    ...(places.length === 0 && !given.streams && !given.login ? [{ name, ...right }] : []),
  ];
}

/**
 * The places that the agent itself sends requests to. Throws for a model that the agent would ask in a way that finds keys of
 * the machine's by itself.
 */
function placesOf({ baseUrl, api, models, streams }: ProviderConfig): string[] {
  const isAnswered = (asked: string | undefined): boolean =>
    streams === true && asked === api && !AGENT_APIS.has(asked ?? "");
  const places = (models ?? []).flatMap((one) => {
    const asked = one.api ?? api;
    if (isAnswered(asked)) return [];
    if (asked !== undefined && !AGENT_APIS.has(asked))
      throw new TypeError(
        `the agent asks no model of a hook's by ${cleanLine(asked, 64)}: ${[...AGENT_APIS].join(", ")}`,
      );
    return [one.baseUrl ?? baseUrl].filter((place) => place !== undefined);
  });
  // Without models of its own, it changes where the agent sends those that it has.
  const own = baseUrl !== undefined && (models === undefined || !isAnswered(api)) ? [baseUrl] : [];
  return [...new Set([...own, ...places])];
}
