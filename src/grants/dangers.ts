import { AGENT_ARGV } from "../powers/env.ts";
import { isRefused } from "../powers/fs-refused-names.ts";
import type { ProviderPart } from "../powers/provider-grant.ts";
import { quoted } from "../powers/quoted.ts";
import { dangersOfLimits } from "./limits.ts";
import type { Capabilities, Limits } from "./schema.ts";

const SHELLS = ["bash", "powershell"];
const agentTools = (powers: Capabilities): string[] => [...new Set(powers.agents?.flatMap(({ tools }) => tools) ?? [])];

/** What a hook can learn through its powers. */
const learns = (powers: Capabilities): string[] => [
  ...(powers.fs?.read?.length ? [`files (${named(powers.fs.read)})`] : []),
  ...(powers.sqlite?.length ? [`databases (${named(powers.sqlite.map(({ path }) => path))})`] : []),
  ...(powers.exec?.length ? ["what its programs print"] : []),
  ...(powers.env?.length ? [`the variables ${named(powers.env)}`] : []),
  ...(powers.session?.length ? ["this session's messages"] : []),
  ...(powers.bus?.length ? [`what other hooks say on ${named(powers.bus)}`] : []),
  ...(powers.ui?.includes("markdown") ? ["what you and your agent say"] : []),
  ...(powers.ui?.includes("typing") ? ["what you type"] : []),
  ...(agentTools(powers).length > 0 ? [`what its agents find with ${named(agentTools(powers))}`] : []),
  ...(powers.calls?.length ? [`results of ${named(powers.calls)}`] : []),
  ...(powers.model?.length ? [`the key of ${named(powers.model)}`] : []),
  ...(powers.providers?.some(({ streams, routes }) => streams || routes)
    ? ["the conversation with models of its own"]
    : []),
];

const TELLING = new Set([
  "fs",
  "sqlite",
  "exec",
  "env",
  "session",
  "agents",
  "calls",
  "model",
  "providers",
  "bus",
  "ui",
]);

/** The most names in one sentence. The whole powers are shown beside it. */
const MAX_NAMED = 3;

const named = (names: readonly string[]): string => {
  const more = names.length - MAX_NAMED;
  return `${names.slice(0, MAX_NAMED).map(quoted).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
};

/** Where a hook can send to. */
const placesOf = ({ net, providers = [] }: Capabilities): string[] => [
  ...(net?.connect ?? []),
  ...new Set(providers.flatMap(({ url }) => (url === undefined ? [] : [url]))),
];

/** One file that nothing loads as code or settings, by its name and its folders' names. All other patterns count as code. */
const DATA = /^\$(?:CWD|TMP)(?:\/\w[\w-]*){0,20}\/\w[\w-]*\.(?:log|csv|tsv|jsonl|ndjson)$/;

/** A provider's key may be one that the agent keeps, by its name. */
function dangersOfProvider({ name, url, streams, login, routes, replaces }: ProviderPart): string[] {
  const shown = quoted(name);
  const key = replaces ? `with your own key of ${shown}` : `with the key that is kept for ${shown}`;
  return [
    ...(replaces ? [`it changes the agent's own provider ${shown}: its places, headers and key`] : []),
    ...(url === undefined
      ? []
      : [`all of your conversation goes to ${quoted(url)} while a model of ${shown} is in use, ${key}`]),
    ...(streams
      ? [
          `it reads all of your conversation while a model of ${shown} is in use, ${key}, and answers in the model's place`,
        ]
      : []),
    ...(routes
      ? [
          `it reads all of your conversation while a model of ${shown} is in use, and chooses which of your models, at their cost, answers`,
        ]
      : []),
    ...(login ? [`it signs you in to ${shown}, and holds what it gets for that`] : []),
  ];
}

/**
 * What a person should know before they grant this power to a hook that has the powers `held`: what the power can do by
 * itself, and together with another. Each text ends a sentence about the hook.
 */
export function dangersOf(capability: string, granted: unknown, held: Capabilities): string[] {
  if (capability === "limits") return dangersOfLimits(granted as Limits);
  const added = { [capability]: granted } as Capabilities;
  const dangers: string[] = [];
  if (added.exec?.some(({ fullAccess }) => fullAccess)) dangers.push("that is full access: it can run any code as you");
  if (added.exec?.some(({ stdin }) => stdin))
    dangers.push("it writes whatever it likes to that program's standard input");
  if (added.exec?.some(({ gitNetwork }) => gitNetwork))
    dangers.push("git then reaches other machines, with your ssh keys");
  if (added.agents?.length) {
    const tools = agentTools(added);
    const does = tools.length > 0 ? `: what it tells them to do with ${named(tools)} is done as you` : "";
    dangers.push(`it runs agents of its own, which spend your tokens${does}`);
    if (tools.some((name) => SHELLS.includes(name)))
      dangers.push("that is full access: its agents run any command, unless a hook blocks it");
  }
  if (added.calls?.length) {
    dangers.push(`its tools run ${named(added.calls)} by themselves: what these do is done as you`);
    if (added.calls.some((name) => SHELLS.includes(name)))
      dangers.push("that is full access: its tools run any command, unless a hook blocks it");
  }
  if (added.env?.includes(AGENT_ARGV))
    dangers.push("it reads how your agent was started, with all that you typed there");
  const secrets = added.fs?.read?.filter((pattern) => !/[*?[]/.test(pattern) && isRefused(pattern, "read")) ?? [];
  if (secrets.length > 0) dangers.push(`it reads what holds keys or passwords (${named(secrets)})`);
  if (added.fs?.write?.some((pattern) => !DATA.test(pattern)))
    dangers.push("what is written there can run code as you");
  if (added.sqlite?.some(({ write }) => write))
    dangers.push("programs that use those databases trust what is written there");
  if (added.model) dangers.push("costs or tells the key of that provider");
  for (const part of added.providers ?? []) dangers.push(...dangersOfProvider(part));
  if (added.events?.trustProject) dangers.push("it decides whether a project's own settings and hooks are trusted");
  if (added.events?.rewriteUserInput) dangers.push("it changes what you ask, and answers your own commands");
  if (added.ui?.includes("editor")) dangers.push("it reads and changes what you are writing");
  if (added.ui?.includes("markdown")) dangers.push("it reads what is said, and changes how you are shown it");
  if (added.ui?.includes("typing")) dangers.push("it reads all that you type");
  // What is said on a channel is every hook's that has it.
  const said = capability === "bus" ? learns(held) : TELLING.has(capability) && held.bus?.length ? learns(added) : [];
  if (said.length > 0)
    dangers.push(`it can tell ${said.join(", ")} to other hooks on ${named(added.bus ?? held.bus ?? [])}`);
  const sends = capability === "net" || added.providers?.some(({ url }) => url !== undefined);
  const endpoints = sends ? placesOf(added) : TELLING.has(capability) ? placesOf(held) : [];
  const learnt = endpoints.length > 0 ? learns(sends ? { ...held, ...added } : added) : [];
  if (learnt.length > 0) dangers.push(`it can send ${learnt.join(", ")} to ${named(endpoints)}`);
  return dangers;
}
