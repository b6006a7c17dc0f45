import { dirname, join } from "node:path";
import { AGENT_ACTS, AGENT_READS } from "../../sandbox/wire/choices.ts";
import { NOWHERE } from "../../sandbox/wire/messages.ts";
import { userFolder } from "../disk/user-folder.ts";
import { SAMPLE_MESSAGE, type SampleWorld, systemPromptOptions } from "../host/sample-events.ts";
import type { Pretence } from "../powers/pretence.ts";
import { sampleEntries, USER } from "./sample-entries.ts";
import { sampleVariable } from "./sample-env.ts";
import { sampleGit } from "./sample-git.ts";
import { SampleServers } from "./sample-servers.ts";
import { sampleSessionFile } from "./sample-session.ts";

/** What each model of pi's has. A cost is in dollars for a million tokens. */
const MODEL = {
  name: "Sample",
  api: "anthropic-messages",
  baseUrl: "https://api.example.com",
  reasoning: true,
  input: ["text"],
  cost: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
  contextWindow: 200_000,
  maxTokens: 64_000,
};
/** A person's own commands, and a project's. */
const commands = (cwd: string) =>
  [join(userFolder(), ".pi", "agent"), join(cwd, ".pi")].flatMap((folder, at) => {
    const info = { scope: at === 0 ? "user" : "project", origin: "top-level", source: "local", baseDir: folder };
    const named = at === 0 ? "sample-own" : "sample";
    const one = (name: string, source: string, path: string) => ({
      name,
      description: `a ${source}`,
      source,
      sourceInfo: { ...info, path: join(folder, path) },
    });
    return [one(named, "prompt", `prompts/${named}.md`), one(`skill:${named}`, "skill", `skills/${named}/SKILL.md`)];
  });

/** Tools of pi's own, and one of an extension. */
const tools = (cwd: string) => {
  const info = { scope: "temporary", origin: "top-level" };
  const one = (name: string, sourceInfo: object) => ({
    name,
    description: name,
    parameters: { type: "object", properties: {} },
    sourceInfo: { ...info, ...sourceInfo },
  });
  const path = join(cwd, ".pi", "extensions", "sample.ts");
  return [
    ...TOOLS.map((name) => one(name, { path: `<builtin:${name}>`, source: "builtin" })),
    one("sample", { path, source: "local", scope: "project" }),
  ];
};

const SAMPLE_AGENT = {
  agent: 1,
  sessionId: "sample",
  systemPrompt: "You are an agent.",
  tools: [],
  model: MODEL,
  thinkingLevel: "off",
};
const message = (one: object) => [
  { type: "message_start", message: one },
  { type: "message_end", message: one },
];
/** What an agent of a hook's own does at a prompt. */
const SAMPLE_RUN = [
  { type: "agent_start" },
  { type: "turn_start" },
  ...message(USER),
  ...message(SAMPLE_MESSAGE),
  { type: "turn_end" },
  { type: "agent_end" },
];
const TOOLS = ["bash", "read", "edit", "write"];

const GONE_ON = { cancelled: false };
/** What acts of the agent that are no mere orders answer. */
const ANSWERS: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ["setModel", true],
  ["newSession", GONE_ON],
  ["switchSession", GONE_ON],
  ["fork", GONE_ON],
  ["navigateTree", GONE_ON],
]);

/** Not the same each time, so that what depends on it is seen to. */
const thinkingLevel = (mode: "tui" | "rpc", agrees: boolean): string =>
  mode === "rpc" ? "off" : agrees ? "medium" : "high";

/**
 * An agent as far as a hook that is tried out sees it. It does nothing. `agrees`: as of {@link samplePretence}. `asked`: called when the
 * hook asks what can be answered in two ways.
 */
export const sampleAgent = (
  mode: "tui" | "rpc",
  agrees: boolean,
  { cwd, model }: SampleWorld,
  asked: () => void,
  entries = sampleEntries(),
) => ({
  state: () => ({
    mode,
    model: { ...MODEL, ...model },
    scopedModels: [],
    thinkingLevel: thinkingLevel(mode, agrees),
    contextUsage: { tokens: agrees ? 150_000 : 90_000, contextWindow: 200_000, percent: agrees ? 75 : 45 },
    isIdle: true,
    hasPendingMessages: false,
    isProjectTrusted: true,
  }),
  session: {
    branch: () => entries.all,
    entries: () => entries.all,
    entry: (id: string | undefined) => entries.all.find((entry) => entry.id === id),
    leafEntry: () => entries.all.at(-1),
    tree: () => [],
    contextEntries: () => entries.all,
    projection: () => ({ entries: entries.all }),
    systemPrompt: () => "You are an agent.",
    systemPromptOptions: () => systemPromptOptions(cwd),
    leafId: () => entries.all.at(-1)?.id,
    header: () => ({ type: "session", id: "sample" }),
    label: () => undefined,
    // A hook that gives the session a name looks whether it has one.
    sessionName: () => {
      asked();
      return agrees ? "sample" : undefined;
    },
    sessionId: () => "sample",
    sessionDir: () => dirname(sampleSessionFile(cwd)),
  },
  read: {
    activeTools: () => TOOLS,
    allTools: () => tools(cwd),
    commands: () => commands(cwd),
    models: () => [{ ...MODEL, ...model }],
    packageDir: () => NOWHERE,
    settings: () => ({}),
    thinkingLevel: () => thinkingLevel(mode, agrees),
  },
  act: {
    ...Object.fromEntries(AGENT_ACTS.map((name) => [name, () => ANSWERS.get(name) ?? null])),
    appendEntry: entries.append,
  },
  sendMessage: () => {},
});

/**
 * What a hook that is tried out gets for powers that it was not granted: it may read, and everything else it is told was done.
 * `agrees`: programs and servers succeed, else they fail. `isFirst`: what the hook keeps in git is not there yet.
 * `reads`: whether it may read files. `bare`: no variable is set. `cwd`: the folder it works in.
 */
export function samplePretence(
  { agrees, isFirst, reads, bare = false }: { agrees: boolean; isFirst: boolean; reads: boolean; bare?: boolean },
  cwd: string,
  used: () => void,
): Pretence {
  const servers = new SampleServers();
  const answers: Readonly<Record<string, (args: readonly unknown[]) => unknown>> = {
    exec: ([program, args]) => {
      const fails = !agrees || (isFirst && asksForOwnRef(args));
      return {
        stdout: fails ? "" : sampleOutput(program, args, cwd),
        stderr: fails ? "Error: it failed\n" : "",
        code: fails || saysByItsCode(args) ? 1 : 0,
        killed: false,
        closed: true,
      };
    },
    "exec.late": () => null,
    send: () => null,
    "send.message": () => null,
    "model.resolveApiKey": () => "sample-key",
    "model.complete": () => SAMPLE_MESSAGE,
    // Without the model that it looks for first, a hook may look for another.
    "model.find": ([provider, id]) => (agrees ? { ...MODEL, provider, id } : null),
    "calls.run": ([name, args]) => ({
      toolCall: { type: "toolCall", id: "sample-call/1", name, arguments: args },
      result: { content: [{ type: "text", text: "sample" }], details: {} },
      isError: !agrees,
    }),
    "agents.create": ([setup]) => ({ ...SAMPLE_AGENT, tools: (setup as { tools: string[] }).tools }),
    "agents.read": () => ({ events: SAMPLE_RUN, count: SAMPLE_RUN.length, ended: "it was a sample" }),
    "agents.prompt": () => ({ count: SAMPLE_RUN.length }),
    "agents.conversation": () => ({ items: [USER, SAMPLE_MESSAGE], next: null }),
    "agents.change": () => ({}),
    ...Object.fromEntries(["messages", "abort", "end", "update"].map((name) => [`agents.${name}`, () => null])),
    "env.get": ([name]) => sampleVariable(String(name), agrees && !bare, reads),
    "env.names": () => [],
    "fs.mkdir": () => 1,
    "fs.mkdtemp": ([path]) => `${path}sample`,
    ...Object.fromEntries(
      [
        "write",
        "append",
        "writable",
        "chmod",
        "utimes",
        "rmdir",
        "unlink",
        "rm",
        "rename",
        "copy",
        "symlink",
        "link",
      ].map((name) => [`fs.${name}`, () => null]),
    ),
    "providers.answer": () => null,
    "providers.tell": ([step]) => (/^(prompt|manualCode|select)$/.test(String(step)) ? '"sample"' : null),
    "net.listen": ([host, port]) => servers.listen(String(host), Number(port)),
    "net.request": ([request]) => ({
      status: agrees ? 200 : 500,
      statusText: "",
      headers: ["content-type", "application/json"],
      url: (request as { url: string }).url,
      redirected: false,
      body: ["utf8", "{}"],
    }),
  };
  return {
    powers: {
      ui: ["notify", "select", "confirm", "input", "editor", "show", "draw", "markdown", "typing"],
      session: ["entries", "messages"],
      agent: [...AGENT_READS, ...AGENT_ACTS],
      ...(reads ? { fs: { read: ["/**"] } } : {}),
      sqlite: [{ path: ":memory:" }, ...(reads ? [{ path: "/**" }] : [])],
    },
    proposed: ["providers"],
    // A database that it would write is an empty one, as where the hook is new.
    others: (operation, [path, options]) =>
      operation === "sqlite.open" && !Object(options).readOnly && path !== ":memory:"
        ? [":memory:", options]
        : undefined,
    answer(operation, args) {
      const answer = answers[operation];
      if (!answer) return undefined;
      used();
      return { value: answer(args) };
    },
    instead: (operation, [server]) =>
      operation === "net.accept" ? servers.next(Number(server))?.then((value) => ({ value })) : undefined,
  };
}

const sampleOutput = (program: unknown, args: unknown, cwd: string): string =>
  /(^|\/)git$/.test(String(program)) && Array.isArray(args) ? sampleGit(args.map(String), cwd) : "sample\n";

/** A reference of the hook's own, which git lacks before the hook has made it. */
const asksForOwnRef = (args: unknown): boolean =>
  Array.isArray(args) &&
  args.includes("--verify") &&
  args.some((arg) => /^refs\/(?!heads|tags|remotes)/.test(String(arg)));

/** `git diff --quiet` fails where there is a change. */
const saysByItsCode = (args: unknown): boolean =>
  Array.isArray(args) && args.includes("diff") && (args.includes("--quiet") || args.includes("--exit-code"));
