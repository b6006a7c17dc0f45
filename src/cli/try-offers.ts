import { setTimeout as delay } from "node:timers/promises";
import type { HookHost } from "../host/host.ts";
import type { Providers } from "../host/providers.ts";
import { samplesOf } from "./sample-arguments.ts";

/** A tool or command has this long. One that waits for what never comes is left behind. */
const RUN_MS = 5000;
/** For all of them. */
const ALL_MS = 60_000;
/** Most completions of a command that are tried as its arguments. */
const MOST_COMPLETIONS = 6;

/** What a hook offers to the agent, and what of it did not end while it was tried. */
export interface Tried {
  readonly tools: Set<string>;
  readonly commands: Set<string>;
  readonly unended: Set<string>;
}

/** Runs what the hook offers, with sample arguments. */
export async function tryOffers({ offers, providers }: HookHost, tried: Tried): Promise<void> {
  const end = performance.now() + ALL_MS;
  const run: Run = async (what, start) => {
    const left = Math.min(RUN_MS, end - performance.now());
    const isOver = left > 0 && (await Promise.race([start(AbortSignal.timeout(left)).then(() => true), late(left)]));
    if (!isOver) tried.unended.add(what);
  };
  for (const { name, parameters } of offers.tools) {
    tried.tools.add(name);
    for (const way of samplesOf(parameters))
      await run(`tool ${name}`, (signal) => offers.runTool(name, way, { toolCallId: "sample", signal }));
  }
  await tryProviders(providers, run);
  for (const kind of ["command", "shortcut"] as const) {
    for (const { name, completes } of offers.commands(kind)) {
      tried.commands.add(name);
      const known = completes ? (await offers.complete(name, "")).map(({ value }) => value) : [];
      const texts = kind === "command" ? ["", ...known.slice(0, MOST_COMPLETIONS), "sample"] : [""];
      for (const text of new Set(texts))
        await run(`${kind} ${name}`, (signal) => offers.runCommand(kind, name, text, signal));
    }
  }
}

type Run = (what: string, start: (signal: AbortSignal) => Promise<unknown>) => Promise<void>;

const MESSAGES = [
  { role: "system", content: "You are a helpful assistant.", timestamp: 1 },
  { role: "user", content: "hello", timestamp: 1 },
];

/** Asks each provider and each virtual model once, and signs in. Without an answer, that is no finding. */
async function tryProviders(providers: Providers, run: Run): Promise<void> {
  const ignored = (work: Promise<unknown>): Promise<unknown> => work.catch(() => {});
  for (const { name, config } of providers.all) {
    const { models: [first] = [], baseUrl, api, streams, refreshes, login } = config;
    const model = { baseUrl, api, ...first, provider: name };
    const request = { model, context: { messages: MESSAGES }, options: { apiKey: "sample" } };
    if (refreshes) await run(`models of ${name}`, (signal) => ignored(providers.models(name, signal)));
    if (login)
      await run(`sign-in of ${name}`, (signal) => ignored(providers.login(name, async () => "sample", signal)));
    if (streams && first)
      await run(`provider ${name}`, (signal) =>
        ignored(providers.stream(name, request, { signal, onEvent: () => {} })),
      );
  }
  for (const { hook: _hook, ...model } of providers.virtualModels) {
    const request = { model, thinkingLevel: "off", reason: "user", messages: MESSAGES };
    await run(`virtual model ${model.name}`, (signal) => ignored(providers.route(model, request, signal)));
  }
}

/** What was left behind must not keep this process from ending. */
const late = (ms: number): Promise<false> => delay(ms + 100, false as const, { ref: false });
