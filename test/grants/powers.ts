import fc from "fast-check";
import { OwnPaths } from "../../src/disk/own-paths.ts";
import { type AgentsGrant, boundOf } from "../../src/powers/agents-grant.ts";
import type { AnyCapability } from "../../src/powers/capability.ts";
import { may, mayBlock, mayFor, sees } from "../../src/powers/events.ts";
import { CAPABILITIES } from "../../src/powers/index.ts";
import type { Session } from "../../src/powers/lent-session.ts";
import type { POWERS } from "../../src/powers/powers.ts";
import { offersCommand, offersTool } from "../../src/powers/tools.ts";

/** Tools, the provider of another model than the session's, and so many at once. */
type AgentUse = [tools: string[], provider: string | undefined, atOnce: number];

/** One power's grants and uses, for the tests of the laws of grants. */
export interface Sample {
  readonly power: keyof typeof POWERS;
  /** Grants with one part. */
  readonly part: fc.Arbitrary<unknown>;
  readonly join: (parts: unknown[]) => unknown;
  readonly use: fc.Arbitrary<unknown>;
  /** Grants that these uses can distinguish: for them `covers` agrees exactly with the check. */
  readonly decided: { readonly part: fc.Arbitrary<unknown>; readonly uses: readonly unknown[] };
  /** The power's own check, as the broker calls it. */
  readonly allows: (grant: unknown, use: never) => boolean;
}

/** A folder that does not exist: patterns are about names. */
const CWD = "/nowhere/project";
const session = { cwd: CWD, workspaces: [CWD], own: new OwnPaths([]) } as unknown as Session;

function asks(method: string, args: readonly unknown[], grant: unknown): boolean {
  const capability = CAPABILITIES.get(method) as AnyCapability;
  const circumstances = {
    session,
    hook: { id: "hook", name: "hook", unread: 0 },
    event: undefined,
    blocks: false,
    signal: new AbortController().signal,
    last: () => () => {},
    also: () => {},
    seen: () => {},
  };
  return capability.ask(args, circumstances).check({ [capability.capability]: grant }) !== undefined;
}

const providerPlaces = ["https://a.example", "https://a.example/v1", "https://a.example/v10", "https://b.example"];
const rightOfProvider = fc.constantFrom(
  {},
  { streams: true },
  { login: true },
  { routes: true },
  ...providerPlaces.map((url) => ({ url })),
);
const hookPart = rightOfProvider.map((right) => ({ name: "my-llm", ...right }));
const ownPart = rightOfProvider.map((right) => ({ name: "openai", replaces: true, ...right }));
const providerUses = ["my-llm", "openai", "other"].flatMap((name) =>
  [
    { headers: {} },
    { api: "mine", streams: true },
    { login: { name: "x" } },
    "auto",
    ...providerPlaces.map((baseUrl) => ({ baseUrl })),
  ].map((config) => [name, config] as const),
);

const flat = (parts: unknown[]): unknown => parts.flat();
const byField = (parts: unknown[]): unknown => {
  const sum: Record<string, unknown[]> = {};
  for (const part of parts as Record<string, unknown[]>[])
    for (const [name, values] of Object.entries(part)) sum[name] = [...(sum[name] ?? []), ...values];
  return sum;
};

const segment = fc.stringMatching(/^[ab.*?]{1,4}$/).filter((text) => text !== "." && text !== ".." && text !== "**");
const glob = fc
  .array(fc.oneof({ weight: 3, arbitrary: segment }, fc.constant("**")), { minLength: 1, maxLength: 4 })
  .filter((parts) => parts.filter((part) => part === "**").length <= 2)
  .map((parts) => parts.join("/"));
const pattern = fc.oneof(
  { weight: 8, arbitrary: glob.map((rest) => `$CWD/${rest}`) },
  fc.constantFrom(
    "/**",
    "/nowhere/**",
    "/nowhere/*/a",
    "$HOME/**",
    "$CWD/[ab]*",
    "$CWD/[ab]/**",
    "$CWD",
    "$CWD/**",
    "$CWD/a/.env",
    "$CWD/.git/a",
    "$CWD/**/.env",
  ),
);
/** Paths that distinguish patterns of these letters. */
const path = fc
  .array(
    fc.stringMatching(/^[ab.]{1,4}$|^[ab]\n$|^\.env$|^\.git$/).filter((text) => !/^\.+$/.test(text)),
    { maxLength: 4 },
  )
  .map((parts) => [CWD, ...parts].join("/"));

const plainWords = ["a", "ab", "7", "42", "007", "deadbeef", "-a", "a/b", "x y", ".env", "a/.env", "@a", "a..b", ""];
const word = fc.constantFrom(...plainWords);
const kind = fc.oneof(
  word,
  fc.record({ kind: fc.constant("enum"), values: fc.uniqueArray(word, { maxLength: 3 }) }),
  fc.record({ kind: fc.constant("int"), min: fc.integer({ min: -5, max: 50 }), max: fc.integer({ min: -5, max: 50 }) }),
  fc.constantFrom(
    { kind: "int" },
    { kind: "sha" },
    { kind: "ref" },
    { kind: "relpath" },
    { kind: "text" },
    { kind: "text", lines: true },
  ),
  fc.record({ kind: fc.constant("text"), max: fc.constantFrom(1, 4, 15, 64, 255, 5000) }),
);
const rest = fc.constantFrom("int", "sha", "ref", "relpath", "text").map((name) => ({ rest: name }));
const args = fc
  .tuple(fc.array(kind, { maxLength: 2 }), fc.option(rest, { nil: undefined }))
  .map(([fixed, last]) => [...fixed, ...(last ? [last] : [])]);
const entry = fc.record(
  {
    program: fc.constantFrom("cat", "tool"),
    args,
    perMinute: fc.constantFrom(1, 200),
    timeoutMs: fc.constantFrom(1, 9e5),
    stdin: fc.boolean(),
    gitNetwork: fc.boolean(),
  },
  { requiredKeys: ["program", "args"] },
);
const command = fc.tuple(
  fc.constantFrom("cat", "tool"),
  fc.array(fc.oneof(word, fc.constantFrom("50", "a".repeat(300))), { maxLength: 3 }),
);

const name = fc.constantFrom("A", "AB", "A_B", "A*", "AB*", "B");
const event = fc.constantFrom("tool_call", "session", "context", "*");
const tools = fc.uniqueArray(fc.constantFrom("bash", "read", "*"), { maxLength: 2 });
const events = fc.record(
  {
    see: fc.uniqueArray(event, { maxLength: 2 }),
    block: fc.boolean(),
    cancel: fc.boolean(),
    compact: fc.boolean(),
    guardResult: tools,
    rewriteInput: tools,
    rewriteResult: tools,
    rewriteMessage: fc.boolean(),
    rewriteParams: fc.boolean(),
    trustProject: fc.boolean(),
    rewritePrompt: fc.boolean(),
    rewriteContext: fc.boolean(),
    rewriteUserInput: fc.boolean(),
  },
  { requiredKeys: ["see"] },
);
const eventUses = [
  ...["tool_call", "session", "other", "context", "input"].map(
    (type) => (grant: unknown) => sees(grant as never, type),
  ),
  (grant: unknown) => mayBlock(grant as never),
  ...(
    [
      "cancel",
      "compact",
      "rewriteMessage",
      "rewriteParams",
      "trustProject",
      "rewritePrompt",
      "rewriteContext",
      "rewriteUserInput",
    ] as const
  ).map((right) => (grant: unknown) => may(grant as never, right)),
  ...(["guardResult", "rewriteInput", "rewriteResult"] as const).flatMap((right) =>
    ["bash", "read", "other"].map((tool) => (grant: unknown) => mayFor(grant as never, right, tool)),
  ),
];

const RIGHTS = { read: "fs.read", write: "fs.unlink", watch: "fs.look" } as const;
const right = fc.constantFrom<keyof typeof RIGHTS>("read", "write", "watch");

const namesOf = (...lengths: number[]): string[] =>
  lengths.flatMap((length) => combinations(["a", "z"], length).map((chars) => chars.join("")));

/**
 * Every path of up to three parts of up to three letters, and of four parts of up to two: what "**" means is deeper than a pattern
 * without it. One letter represents all names that no pattern has.
 */
const paths = [
  ...[0, 1, 2, 3].flatMap((depth) => combinations(namesOf(1, 2, 3), depth)),
  ...combinations(namesOf(1, 2), 4),
].map((names) => [CWD, ...names].join("/"));
const shortGlob = fc
  .array(fc.constantFrom("a", "aa", "*", "a*", "*a", "?", "a?", "?*", "**", "*a*"), { minLength: 1, maxLength: 3 })
  .filter((names) => names.filter((one) => one === "**").length <= 2)
  .map((names) => `$CWD/${names.join("/")}`);

/** Grants of one database. */
const database = (file: fc.Arbitrary<string>): fc.Arbitrary<unknown> =>
  fc
    .oneof(
      { weight: 8, arbitrary: fc.record({ path: file, write: fc.constant(true) }, { requiredKeys: ["path"] }) },
      fc.constant({ path: ":memory:" }),
    )
    .map((one) => [one]);

function combinations<T>(of: readonly T[], length: number): T[][] {
  return length === 0 ? [[]] : combinations(of, length - 1).flatMap((start) => of.map((one) => [...start, one]));
}

const words = [
  // With leading zeros a number has the maximum length.
  ...Array.from({ length: 53 }, (_, number) => [String(number), String(number).padStart(15, "0")]).flat(),
  ...plainWords,
  "007",
  "9".repeat(15),
  "a",
  "ab",
  "a/b",
  "x y",
  "x".repeat(5),
  "-a",
  "@a",
  "a..b",
  "",
  "f".repeat(7),
  "f".repeat(64),
  "q".repeat(16),
  "q".repeat(65),
  "x ".repeat(200),
  "q".repeat(255),
  "x".repeat(4097),
  "a\nb",
];
const shortKind = kind.filter((one) => typeof one === "string" || one.kind !== "relpath");
const shortRest = rest.filter((one) => one.rest !== "relpath");
const shortArgs = fc.oneof(
  fc.tuple(shortKind),
  fc.tuple(shortRest),
  fc.tuple(fc.constantFrom("a", "ab"), shortRest),
  fc.tuple(fc.constantFrom("a", "ab"), shortKind),
);
const decidedCommands = [
  [],
  ...combinations(words, 1),
  ...combinations(["a", "ab"], 1).flatMap((start) => words.map((one) => [...start, one])),
].map((given) => ["tool", given]);
const methods = [
  ["ui.notify", ["a", "info"]],
  ["ui.select", ["a", []]],
  ["ui.confirm", ["a", "b"]],
  ["ui.input", ["a"]],
] as const;
const variables = ["A", "AB", "A_B", "ABC", "AX", "A_", "B", "BA"];
const places = ["a.com:80", "A.com:80", "a.com:81", "[::1]:80", "[0:0::1]:80", "127.0.0.1:80", "[::ffff:7f00:1]:80"];

const place = fc.constantFrom(...places);

const agents = fc
  .record(
    {
      tools: fc.uniqueArray(fc.constantFrom("read", "bash"), { maxLength: 2 }),
      models: fc.uniqueArray(fc.constantFrom("p", "q"), { minLength: 1, maxLength: 2 }),
      atOnce: fc.constantFrom(1, 2, 4, 5),
    },
    { requiredKeys: ["tools"] },
  )
  .map((entry) => [entry]);
const agentUses: AgentUse[] = [[], ["read"], ["bash"], ["read", "bash"], ["other"]].flatMap((tools) =>
  [undefined, "p", "q"].flatMap((provider) => [1, 2, 3, 4, 5].map((atOnce): AgentUse => [tools, provider, atOnce])),
);

export const SAMPLES: readonly Sample[] = [
  {
    power: "fs",
    part: fc.tuple(right, pattern).map(([which, text]) => ({ [which]: [text] })),
    join: byField,
    use: fc.tuple(right, path),
    decided: {
      part: fc.tuple(right, shortGlob).map(([which, text]) => ({ [which]: [text] })),
      uses: (Object.keys(RIGHTS) as (keyof typeof RIGHTS)[]).flatMap((which) => paths.map((file) => [which, file])),
    },
    allows: (grant, [which, file]: readonly [keyof typeof RIGHTS, string]) =>
      asks(RIGHTS[which], which === "read" ? [file, "utf8"] : [file], grant),
  },
  {
    power: "sqlite",
    part: database(pattern),
    join: flat,
    use: fc.tuple(fc.boolean(), fc.oneof(path, fc.constant(":memory:"))),
    decided: {
      part: database(shortGlob),
      uses: [true, false].flatMap((readOnly) => [...paths, ":memory:"].map((file) => [readOnly, file])),
    },
    allows: (grant, [readOnly, file]: readonly [boolean, string]) =>
      asks("sqlite.open", [file, { readOnly, foreignKeys: true, doubleQuoted: false, timeout: 0 }], grant),
  },
  {
    power: "exec",
    part: entry.map((one) => [one]),
    join: flat,
    use: command,
    decided: {
      part: shortArgs.map((given) => [{ program: "tool", args: given }]),
      uses: decidedCommands,
    },
    allows: (grant, [program, given]: readonly [string, string[]]) => asks("exec", [program, given, {}], grant),
  },
  {
    power: "net",
    part: fc.oneof(
      place.map((one) => ({ connect: [one] })),
      place.filter((one) => !one.includes("com")).map((one) => ({ listen: [one] })),
    ),
    join: byField,
    use: fc.tuple(fc.boolean(), place),
    decided: {
      part: fc
        .oneof(
          place.map((one) => ({ connect: [one] })),
          place.map((one) => ({ listen: [one] })),
        )
        .filter((one) => !("listen" in one) || !one.listen[0]?.includes("com")),
      uses: [true, false].flatMap((listens) => places.map((one) => [listens, one])),
    },
    allows: (grant, [listens, one]: readonly [boolean, string]) => {
      if (!listens)
        return asks("net.request", [{ method: "GET", url: `http://${one}/`, headers: [], redirect: "error" }], grant);
      const [, host, port] = /^(.*):(\d+)$/.exec(one) ?? [];
      return asks("net.listen", [host, Number(port)], grant);
    },
  },
  {
    power: "env",
    part: name.map((one) => [one]),
    join: flat,
    use: fc.constantFrom(...variables),
    decided: { part: name.map((one) => [one]), uses: variables },
    allows: (grant, one: string) => asks("env.get", [one], grant),
  },
  {
    power: "ui",
    part: fc.constantFrom("notify", "select", "confirm", "input").map((one) => [one]),
    join: flat,
    use: fc.constantFrom(...methods),
    decided: { part: fc.constantFrom("notify", "select", "confirm", "input").map((one) => [one]), uses: methods },
    allows: (grant, [method, given]: readonly [string, unknown[]]) => asks(method, given, grant),
  },
  {
    power: "session",
    part: fc.constantFrom("entries", "messages").map((one) => [one]),
    join: flat,
    use: fc.constantFrom("entries", "messages", "compactionEntry", "previousSummary", "other"),
    decided: {
      part: fc.constantFrom("entries", "messages").map((one) => [one]),
      uses: ["entries", "previousSummary", "other"],
    },
    allows: (grant, field: string) => asks("session.read", [field], grant),
  },
  {
    power: "tools",
    part: fc.constantFrom("greet", "bash", "*").map((one) => [one]),
    join: flat,
    use: fc.constantFrom("greet", "bash", "other"),
    decided: { part: fc.constantFrom("greet", "bash", "*").map((one) => [one]), uses: ["greet", "bash", "other"] },
    allows: (grant, name: string) => offersTool(grant as string[] | undefined, name),
  },
  {
    power: "commands",
    part: fc.constantFrom("plan", "ctrl+x", "*").map((one) => [one]),
    join: flat,
    use: fc.constantFrom("plan", "ctrl+x", "other"),
    decided: { part: fc.constantFrom("plan", "ctrl+x", "*").map((one) => [one]), uses: ["plan", "ctrl+x", "other"] },
    allows: (grant, name: string) => offersCommand(grant as string[] | undefined, name),
  },
  {
    power: "agent",
    part: fc.constantFrom("commands", "abort", "setModel").map((one) => [one]),
    join: flat,
    use: fc.constantFrom("abort", "setModel", "reload"),
    decided: {
      part: fc.constantFrom("abort", "setModel").map((one) => [one]),
      uses: ["abort", "setModel", "reload"],
    },
    allows: (grant, act: string) => asks("agent.act", [act, []], grant),
  },
  {
    power: "calls",
    part: fc.constantFrom("read", "bash").map((one) => [one]),
    join: flat,
    use: fc.constantFrom("read", "bash", "other"),
    decided: { part: fc.constantFrom("read", "bash").map((one) => [one]), uses: ["read", "bash", "other"] },
    allows: (grant, name: string) => asks("calls.run", [name, {}], grant),
  },
  {
    power: "agents",
    part: agents,
    join: flat,
    use: fc.constantFrom(...agentUses),
    decided: { part: agents, uses: agentUses },
    allows: (grant, [tools, provider, atOnce]: AgentUse) => {
      const setup = { tools, own: [], ...(provider === undefined ? {} : { model: { provider, id: "m" } }) };
      const most = (grant as AgentsGrant).filter(
        (entry) =>
          tools.every((tool) => entry.tools.includes(tool)) &&
          (provider === undefined || entry.models?.includes(provider)),
      );
      return asks("agents.create", [setup], grant) && most.some((entry) => boundOf(entry, "atOnce") >= atOnce);
    },
  },
  {
    power: "providers",
    part: fc
      .oneof(ownPart, hookPart, fc.constant({ name: "my-llm", url: "https://a.example", replaces: true }))
      .map((one) => [one]),
    join: flat,
    use: fc.constantFrom(...providerUses),
    decided: { part: fc.oneof(ownPart, hookPart).map((one) => [one]), uses: providerUses },
    allows: (grant, [name, config]: readonly [string, object | string]) =>
      typeof config === "string"
        ? asks("providers.registerVirtual", [{ provider: name, id: config, name: "x" }], grant)
        : asks("providers.register", [name, config], grant),
  },
  {
    power: "bus",
    part: fc.constantFrom("todo", "plan").map((one) => [one]),
    join: flat,
    use: fc.constantFrom("todo", "plan", "other"),
    decided: { part: fc.constantFrom("todo", "plan").map((one) => [one]), uses: ["todo", "plan", "other"] },
    allows: (grant, name: string) => asks("bus.emit", [name, null], grant) && asks("bus.listen", [name], grant),
  },
  {
    power: "model",
    part: fc.constantFrom("anthropic", "openai").map((one) => [one]),
    join: flat,
    use: fc.constantFrom("anthropic", "openai", "other"),
    decided: {
      part: fc.constantFrom("anthropic", "openai").map((one) => [one]),
      uses: ["anthropic", "openai", "other"],
    },
    allows: (grant, provider: string) => asks("model.find", [provider, "id"], grant),
  },
  {
    power: "send",
    part: fc.oneof(
      fc.constant({}),
      fc.integer({ min: 1, max: 10 }).map((perMinute) => ({ perMinute })),
    ),
    join: (parts) => parts[0],
    use: fc.integer({ min: 1, max: 11 }),
    // So many per minute.
    decided: {
      part: fc.oneof(
        fc.constant({}),
        fc.integer({ min: 1, max: 10 }).map((perMinute) => ({ perMinute })),
      ),
      uses: Array.from({ length: 11 }, (_, count) => count + 1),
    },
    allows: (grant, count: number) =>
      asks("send", ["text"], grant) && count <= (CAPABILITIES.get("send") as AnyCapability).perMinute({ send: grant }),
  },
  {
    power: "events",
    part: events,
    join: (parts) => parts[0],
    use: fc.constantFrom(...eventUses),
    decided: { part: events, uses: eventUses },
    allows: (grant, use: (grant: unknown) => boolean) => use(grant),
  },
];
