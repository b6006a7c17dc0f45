import { beforeAll, expect, test } from "vitest";
import { wrapToolsWithHooks } from "../../src/host/wrap-tools.ts";
import { sharedSession } from "../support/session.ts";

type Events = Record<string, unknown>;
type Args = Record<string, unknown>;
type Content = ({ type: "text"; text: string } | { type: "image"; data: string; mimeType: string })[];

export const ALL: Events = {
  block: true,
  rewriteInput: ["*"],
  rewriteResult: ["*"],
  rewriteMessage: true,
  rewriteParams: true,
};

/** The registry, as a hook of the page gets it. */
export const REGISTRY = `import { getGlobalInterceptorRegistry } from "../interceptors/global.js";
const registry = getGlobalInterceptorRegistry()!;
`;

/** A hook `hook` of this source, with these rights over events, and others beside it. All rows ask the same running host. */
export interface Fixture {
  about: string;
  source: string;
  grant?: Events;
  beside?: Record<string, string>;
  rows: Row[];
}

/** A claim, an agent's step, and its outcome. */
export type Row = [claim: string, step: Step, expected: unknown];

type Step = (agent: Agent) => unknown;

/** An agent as on the page: its messages, parameters and real tools all pass the hooks. */
interface Agent extends Omit<ReturnType<typeof sharedSession>, "call"> {
  /** What hooks wrote to their console while they were loaded. */
  loading: string[];
}

/** The tests of a fixture. */
export function testFixture({ source, grant, beside = {}, rows }: Fixture): void {
  const given = (events: Events = {}) => ({ capabilities: { events: { see: ["*"], block: true, ...events } } });
  const granted = Object.entries(beside).map(([id, other]) => [id, { source: other, grant: given() }]);
  const session = sharedSession({ hook: { source, grant: given(grant) }, ...Object.fromEntries(granted) });
  let loading: string[] = [];
  beforeAll(() => {
    loading = lines(session);
  });

  test("its hooks run", () => {
    expect(session.host.hooks.map(({ state, reason }) => ({ state, reason }))).toEqual(
      Array(1 + granted.length).fill({ state: "active", reason: undefined }),
    );
    expect(session.host.hooks[0]).toMatchObject({ id: "hook", dialect: "interceptors" });
  });
  test.each(rows)("%s", async (_claim, step, expected) => {
    const { host, log, errors } = session;
    log.length = 0;
    errors.length = 0;
    expect(await step({ host, log, errors, loading, folder: session.folder, audit: session.audit })).toEqual(expected);
  });
}

/** A call of a tool: its verdict. */
export const call =
  (input: Args | string, toolName = "bash", toolCallId = "call-1"): Step =>
  ({ host }) =>
    host.emitToolCall({ type: "tool_call", toolName, toolCallId, input: argsOf(input) });

/** Why a call is blocked; `undefined` if it is not. */
export const refusal =
  (input: Args | string, toolName?: string): Step =>
  async (agent) => {
    const verdict = (await call(input, toolName)(agent)) as { reason?: string } | undefined;
    return verdict?.reason;
  };

/** A result of a tool: how hooks change it. */
export const result =
  (content: Content | string, more: { toolName?: string; isError?: boolean; details?: unknown } = {}): Step =>
  ({ host }) =>
    host.emit({
      type: "tool_result",
      toolName: "bash",
      toolCallId: "call-1",
      input: {},
      isError: false,
      content: typeof content === "string" ? [text(content)] : content,
      ...more,
    });

export const message =
  (said: string, more: Args = {}): Step =>
  ({ host }) =>
    host.emit({ type: "message", text: said, metadata: {}, ...more } as never);

export const params =
  (more: Args = {}): Step =>
  ({ host }) =>
    host.emit({ type: "params", provider: "anthropic", model: "sonnet", metadata: {}, ...more } as never);

/** A message on its way to the model: the text it became, its tags, and what the parameters became. */
export const exchange =
  (said: string): Step =>
  async (agent) => {
    const changes = (await message(said, { agentId: "main" })(agent)) as object | undefined;
    const sent = { text: said, metadata: {}, ...changes };
    const now = { message: sent.text, metadata: sent.metadata };
    const levels = { thinkLevel: "low", reasoningLevel: "off" };
    const changed = (await params({ agentId: "main", ...levels, ...now })(agent)) as object | undefined;
    return { ...now, ...levels, ...changed };
  };

/** A tool wrapped by the hooks: its arguments, and the result that the agent gets. */
export const use =
  (input: Args | string, name = "bash", answer: () => Content = () => []): Step =>
  async ({ host }) => {
    let ran: Args | undefined;
    const execute = async (_id: string, given: Args) => {
      ran = given;
      return { content: answer() };
    };
    const [tool] = wrapToolsWithHooks([{ name, execute }], host);
    const told = await tool?.execute("call-1", argsOf(input)).then(
      ({ content }) => content.map((item) => (item.type === "text" ? item.text : "[image]")),
      (error: Error) => [error.message],
    );
    return { ran, told };
  };

/** The outcomes of steps, one after the other. */
export const each =
  (...steps: Step[]): Step =>
  async (agent) => {
    const outcomes = [];
    for (const step of steps) outcomes.push(await step(agent));
    return outcomes;
  };

/** The hooks' console lines during a step. */
export const said =
  (...steps: Step[]): Step =>
  async (agent) => {
    await each(...steps)(agent);
    return lines(agent);
  };

/** The outcome of a step, and the errors that were reported during it. */
export const reported =
  (step: Step): Step =>
  async (agent) => [
    await step(agent),
    agent.errors.splice(0).map(({ code, error, event }) => ({ code, error, event })),
  ];

const lines = ({ log }: Pick<Agent, "log">): string[] => log.splice(0).map((line) => line.text);

const argsOf = (input: Args | string): Args => (typeof input === "string" ? { command: input } : input);

export const text = (value: string) => ({ type: "text" as const, text: value });
