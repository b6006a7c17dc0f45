import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { HookHost, wrapToolsWithHooks } from "../../src/index.ts";
import { writeFiles } from "../support/session.ts";

type Events = Record<string, unknown>;
type Args = Record<string, unknown>;
type Content = ({ type: "text"; text: string } | { type: "image"; data: string; mimeType: string })[];
type Hooks = Record<string, string | { source: string; grant?: Events; priority?: number; failure?: "open" }>;

export const ALL: Events = {
  block: true,
  rewriteInput: ["*"],
  rewriteResult: ["*"],
  rewriteMessage: true,
  rewriteParams: true,
};

/** Hooks by id with what is asked of them: each statement is one test against the same running host. */
export interface Fixture {
  what: string;
  /** One hook, called `hook`, with these rights over events; `beside` it others. */
  source: string;
  grant?: Events;
  beside?: Hooks;
  cases: Case[];
}

export interface Case {
  says: string;
  drive(agent: Agent): unknown;
  expect: unknown;
}

/** An agent as the page has it: messages, parameters and real tools, all of them past the hooks. */
export class Agent {
  readonly host: HookHost;
  /** What hooks wrote to their console while they were loaded. */
  readonly loading: string[];
  readonly #folder: string;
  readonly #log: { hook?: string; text: string }[];
  readonly #errors: { code: string; error: string; event: string }[];

  private constructor(host: HookHost, folder: string, log: { hook?: string; text: string }[]) {
    this.host = host;
    this.#folder = folder;
    this.#log = log;
    this.loading = this.said();
    this.#errors = [];
    host.onError(({ code, error, event }) => this.#errors.push({ code, error, event }));
  }

  static async start(hooks: Hooks): Promise<Agent> {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "cordon-page-")));
    mkdirSync(join(folder, "work"));
    const log: { hook?: string; text: string }[] = [];
    const host = await HookHost.start({
      cwd: join(folder, "work"),
      home: join(folder, "home"),
      discover: false,
      hooks: Object.entries(hooks).map(([id, given]) => {
        const { source, grant, ...rest } = typeof given === "string" ? { source: given } : given;
        writeFiles(folder, { [`hooks/${id}.ts`]: source });
        const events = { see: ["*"], block: true, ...grant };
        return { path: join(folder, "hooks", `${id}.ts`), id, grant: { capabilities: { events }, ...rest } };
      }),
      log: (line) => log.push(line),
    });
    return new Agent(host, folder, log);
  }

  async close(): Promise<void> {
    await this.host.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** What hooks wrote to their console since the last time. */
  said(): string[] {
    return this.#log.splice(0).map(({ text }) => text);
  }

  /** Errors told since the last time. */
  errors(): { code: string; error: string; event: string }[] {
    // A call that was blocked for one says so itself.
    return this.#errors.splice(0).filter(({ code, event }) => event !== "tool_call" || code === "NOT_GRANTED");
  }

  /** A call's verdict; a text is the command of `bash`. */
  async call(input: Args | string, toolName = "bash", toolCallId = "call-1") {
    const args = typeof input === "string" ? { command: input } : input;
    return this.host.emitToolCall({ type: "tool_call", toolName, toolCallId, input: args });
  }

  /** Why a call is blocked; `undefined` if it is not. */
  async blocked(input: Args | string, toolName = "bash"): Promise<string | undefined> {
    const verdict = await this.call(input, toolName);
    return verdict && "block" in verdict ? verdict.reason : undefined;
  }

  /** What hooks make of a result. */
  result(content: Content | string, more: { toolName?: string; isError?: boolean; details?: unknown } = {}) {
    return this.host.emit({
      type: "tool_result",
      toolName: "bash",
      toolCallId: "call-1",
      input: {},
      isError: false,
      content: typeof content === "string" ? [{ type: "text", text: content }] : content,
      ...more,
    });
  }

  message(text: string, more: Args = {}) {
    return this.host.emit({ type: "message", text, metadata: {}, ...more } as never);
  }

  params(more: Args = {}) {
    return this.host.emit({ type: "params", provider: "anthropic", model: "sonnet", metadata: {}, ...more } as never);
  }

  /** A message on its way to the model: the text it became, its tags, and what the parameters became. */
  async exchange(text: string, { agentId = "main", thinkLevel = "low", reasoningLevel = "off" } = {}) {
    const sent = { text, metadata: {}, ...(await this.message(text, { agentId })) };
    const now = { message: sent.text, metadata: sent.metadata };
    const changed = await this.params({ agentId, thinkLevel, reasoningLevel, ...now });
    return { ...now, thinkLevel, reasoningLevel, ...changed };
  }

  /** Runs a tool with the hooks around it: the arguments it ran with, and what the agent is told. */
  async use(name: string, args: Args, answer: () => { content: Content; details?: unknown }) {
    let ran: Args | undefined;
    const execute = async (_id: string, params: Args) => {
      ran = params;
      return answer();
    };
    const [tool] = wrapToolsWithHooks([{ name, execute }], this.host);
    const told = await tool?.execute("call-1", args).then(
      ({ content }) => content.map((item) => (item.type === "text" ? item.text : "[image]")),
      (error: Error) => [error.message],
    );
    return { ran, told };
  }
}

/** The tests of a fixture. */
export function testFixture({ source, grant, beside, cases }: Fixture): void {
  let agent: Agent;
  beforeAll(async () => {
    agent = await Agent.start({ hook: { source, ...(grant ? { grant } : {}) }, ...beside });
  });
  afterAll(() => agent.close());
  test("its hooks run", () => {
    expect(agent.host.hooks.map(({ id, state, reason }) => ({ id, state, reason }))).toEqual(
      agent.host.hooks.map(({ id }) => ({ id, state: "active", reason: undefined })),
    );
    expect(agent.host.hooks.find(({ id }) => id === "hook")).toMatchObject({ dialect: "interceptors" });
  });
  test.each(cases)("$says", async (one) => {
    expect(await one.drive(agent)).toEqual(one.expect);
  });
}

/** The registry as a hook on the page reaches it. */
export const REGISTRY = `import { getGlobalInterceptorRegistry } from "../interceptors/global.js";
const registry = getGlobalInterceptorRegistry()!;
`;

/** A hook with one registration. */
export const registered = (fields: string): string => `${REGISTRY}registry.add({ ${fields} });\n`;

export const text = (value: string) => ({ type: "text" as const, text: value });
