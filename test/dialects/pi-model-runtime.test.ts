import { InMemoryCredentialStore } from "@earendil-works/pi-ai";
import { ModelRuntime, resolveCliModel, resolveModelScopeWithDiagnostics } from "@earendil-works/pi-coding-agent";
import { expect, test } from "vitest";
import { on, startSession } from "../support/session.ts";

const modelOf = (provider: string, id: string) => ({
  ...{ provider, id, name: `The ${id}`, api: "openai-completions", baseUrl: "http://127.0.0.1:1", reasoning: true },
  ...{
    input: ["text"],
    cost: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 },
    contextWindow: 1000,
    maxTokens: 10,
  },
});
const MODELS = [
  modelOf("acme", "big-1-20250101"),
  modelOf("acme", "big-1"),
  modelOf("acme", "small"),
  modelOf("zen", "small"),
  modelOf("zen", "acme/big-1"),
];

const IMPORT = `import { ModelRuntime, resolveCliModel, resolveModelScopeWithDiagnostics } from "@earendil-works/pi-coding-agent";
  import { InMemoryCredentialStore } from "@earendil-works/pi-ai";`;
const POWERS = { agent: ["models"], model: ["acme", "zen"] };

/** What an expression with `runtime` is in a hook, or the error that it throws. */
async function inHook(expression: string, capabilities: object = POWERS): Promise<unknown> {
  const source = on(
    "turn_start",
    `const runtime = await ModelRuntime.create({ credentials: new InMemoryCredentialStore(), modelsPath: null, refreshOnCreate: false });
     let said;
     try { said = await (async () => ${expression})(); } catch (error) { said = [error.code ?? error.name, error.message]; }
     console.log(JSON.stringify(said ?? null));`,
    IMPORT,
  );
  const { host, log } = await startSession(
    { asker: { source, grant: { capabilities: { events: { see: ["turn_start"] }, ...capabilities } } as never } },
    {
      agent: { read: { models: () => MODELS }, act: {} } as never,
      model: {
        findModel: (provider: string, id: string) =>
          MODELS.find((one) => one.provider === provider && one.id === id) ?? null,
        complete: async (model: { id: string }) => ({
          role: "assistant",
          content: [],
          stopReason: "stop",
          model: model.id,
        }),
      } as never,
    },
  );
  await host.emit({ type: "turn_start", turnIndex: 0, timestamp: 0 });
  return JSON.parse(log.at(-1)?.text ?? "null");
}

/** pi's own, which knows these models alone by a key. */
async function inPi(): Promise<ModelRuntime> {
  const runtime = await ModelRuntime.create({
    credentials: new InMemoryCredentialStore(),
    modelsPath: null,
    refreshOnCreate: false,
  });
  for (const provider of ["acme", "zen"])
    runtime.registerProvider(provider, {
      ...{ baseUrl: "http://127.0.0.1:1", api: "openai-completions", apiKey: "x" },
      models: MODELS.filter((one) => one.provider === provider) as never,
    });
  await runtime.getAvailable();
  return runtime;
}

/** Read by both sides. */
const ASKED = `const idsOf = (models) => models.map(({ provider, id }) => provider + " " + id);
  const known = (ids) => ids.filter((id) => ["acme", "zen", "nobody"].includes(id));
  return [
    idsOf(runtime.getModels("acme")), idsOf(runtime.getModels("nobody")), idsOf(runtime.getAvailableSnapshot()),
    idsOf(await runtime.getAvailable()), idsOf(await runtime.getAvailable("zen")), runtime.getModel("acme", "small").name,
    runtime.getModel("acme", "none") === undefined, known(runtime.getProviders().map(({ id }) => id)),
    ["acme", "nobody"].map((id) => [runtime.getProvider(id)?.name, runtime.getProvider(id)?.getModels().length, runtime.hasConfiguredAuth(id),
      runtime.getProviderAuthStatus(id).configured, runtime.isUsingOAuth(id), runtime.isUsingSubscription(id), runtime.getRegisteredNativeProvider(id)]),
    (await runtime.checkAuth("acme"))?.type, await runtime.checkAuth("nobody"), runtime.getError(),
  ];`;

test("a runtime of the session's models answers as pi's own of the same models", async () => {
  const ask = new Function("runtime", `return (async () => { ${ASKED} })();`) as (runtime: object) => Promise<unknown>;
  const said = await inHook(`{ ${ASKED} }`);
  expect(said).toEqual(JSON.parse(JSON.stringify(await ask(await inPi()))));
});

const NAMED = [
  ...["acme/big-1", "acme/big", "big-1", "small", "zen/small:high", "acme/small:max", "acme/none", "nobody/x", "BIG"],
  ...["acme/big-1:odd", "zen/acme/big-1", "", "The small", "zen/new:low"],
];
const PATTERNS = [
  "acme/*",
  "*big*:high",
  "zen/?mall",
  "none*",
  "small",
  "acme/big:low",
  "acme/small:odd",
  "zen/[a-s]mall",
];

test("models are named on a command line as in pi", async () => {
  const runtime = await inPi();
  // pi knows hundreds of others.
  const own = { getModels: () => runtime.getAvailableSnapshot(), hasConfiguredAuth: () => true };
  const named = NAMED.map((cliModel) => resolveCliModel({ cliModel, modelRuntime: own as never }));
  const provided = resolveCliModel({
    cliProvider: "zen",
    cliModel: "small",
    cliThinking: "low",
    modelRuntime: own as never,
  });
  const scope = await resolveModelScopeWithDiagnostics(PATTERNS, runtime);
  const said = (await inHook(
    `[${JSON.stringify(NAMED)}.map((cliModel) => resolveCliModel({ cliModel, modelRuntime: runtime })),
      resolveCliModel({ cliProvider: "zen", cliModel: "small", cliThinking: "low", modelRuntime: runtime }),
      await resolveModelScopeWithDiagnostics(${JSON.stringify(PATTERNS)}, runtime)]`,
  )) as unknown[];
  const plain = (value: unknown): unknown =>
    JSON.parse(JSON.stringify(value), (key, one) => (key === "model" ? `${one.provider} ${one.id}` : one));
  expect(plain(said)).toEqual(plain([named, provided, scope]));
});

test("it asks a model by the power for that", async () => {
  const ask = `{ const model = runtime.getModel("acme", "small"); const seen = [];
    for await (const { type } of runtime.streamSimple(model, { messages: [] })) seen.push(type);
    return [seen, (await runtime.completeSimple(model, { messages: [] })).model, (await runtime.stream(model, {}).result()).stopReason]; }`;
  expect(await inHook(ask)).toEqual([["done"], "small", "stop"]);
});

// biome-ignore format: a table
const REFUSED: [call: string, says: RegExp][] = [
  ['runtime.getAuth("acme")', /getAuth is not offered to hooks: keys stay with the agent/],
  ['runtime.setRuntimeApiKey("acme", "k")', /keys stay with the agent/],
  ["runtime.listCredentials()", /keys stay with the agent/],
  ['runtime.login("acme", "oauth", {})', /keys stay with the agent/],
  ['runtime.registerProvider("mine", {})', /pi\.registerProvider\(name, config\)/],
  ["runtime.registerNativeProvider({})", /pi\.registerProvider\(name, config\)/],
];

test("keys and providers stay with the agent, with every member of pi's own there", async () => {
  const names = Object.getOwnPropertyNames(ModelRuntime.prototype);
  // What pi's types call private.
  const inner =
    /^(configureRadius|providerIds|recompose|rebuild|update|runAvail|queueAvail|refreshProvider|enqueue|synchronize|prepareRequest)/;
  const said = (await inHook(
    `{ const said = [${JSON.stringify(names)}.filter((name) => typeof ModelRuntime.prototype[name] !== "function")];
       for (const use of [${REFUSED.map(([call]) => `() => ${call}`)}]) try { await use(); said.push("nothing"); } catch (error) { said.push(error.message); }
       said.push(await runtime.logout("acme").catch(() => "rejects"));
       return said; }`,
  )) as unknown[];
  expect((said[0] as string[]).filter((name) => !inner.test(name))).toEqual([]);
  expect(said.slice(1)).toEqual([...REFUSED.map(([, says]) => expect.stringMatching(says)), "rejects"]);
});

test.each([
  ["runtime.getModels()", "agent"],
  ['runtime.getModel("acme", "small")', "model"],
  ['runtime.complete({ provider: "acme", id: "small" }, {})', "model"],
])("without the power, %s says so", async (call, power) => {
  expect(await inHook(call, {})).toEqual(["NOT_GRANTED", expect.stringContaining(`"${power}"`)]);
});
