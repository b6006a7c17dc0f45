import { decisionRules } from "../../../wire/events.ts";
import type { Dispatch } from "../../core/dispatch.ts";
import { members, type ResultShape } from "../../core/members.ts";
import { failure } from "../../core/outcome.ts";
import { apply, forHook, parse, serialize, settled } from "../../core/primordials.ts";

type Decision = Record<string, unknown>;

/** What handlers return where that is not what a decision is made of. */
const RETURNED: Readonly<Record<string, readonly string[]>> = {
  before_agent_start: ["message", "systemPrompt"],
  project_trust: ["trusted", "remember"],
  input: ["action", "text", "images"],
};

/** What decides alone. */
const DECIDING: Readonly<Record<string, readonly string[]>> = { project_trust: ["trusted"], input: ["action"] };

/** The decision that a handler of an extension event returned, as plain data; `undefined` if it decided nothing. */
export function decisionOf(type: string, returned: unknown): Decision | undefined {
  const rules = decisionRules(type);
  if (!rules?.decides || returned === undefined || returned === null) return undefined;
  // pi's hooks may return anything here.
  if (type === "turn_end" && !(typeof returned === "object" && ("entries" in returned || "continue" in returned)))
    return undefined;
  // In pi, the returned value is the request itself.
  if (type === "before_provider_request") return { payload: plain(returned) };
  // Handlers change the headers in place.
  if (type === "before_provider_headers") return undefined;
  const names = RETURNED[type] ?? Object.keys(rules.decides);
  const shape: ResultShape = { event: type, names, deciding: DECIDING[type] ?? names };
  const found = plain(members(returned, shape)) as Decision;
  if (type === "before_agent_start") {
    const { message, ...rest } = found;
    return message === undefined ? rest : { ...rest, messages: [message] };
  }
  if (type === "input" && found.action !== "transform") return found.action === "handled" ? found : undefined;
  if (type === "project_trust" && found.trusted === "undecided") return undefined;
  return Object.keys(found).length > 0 ? found : undefined;
}

const plain = (value: unknown): unknown => parse(serialize(value));

/**
 * The result of a `user_bash` handler. One that returns `operations` runs the command itself: that happens here, and its
 * output is the result.
 */
export async function bashResult(returned: unknown, dispatch: Dispatch): Promise<unknown> {
  const answer = (await settled(returned)) as { operations?: { exec?: unknown } } | null | undefined;
  const operations = answer?.operations;
  if (!operations) return answer;
  const { exec } = operations;
  if (typeof exec !== "function") throw failure("BAD_RESULT", "user_bash operations have no function exec");
  const { command, cwd } = dispatch.event;
  let output = "";
  const onData = (data: unknown): void => {
    output += String(data);
  };
  const options = forHook({ onData, signal: dispatch.abort.signal });
  const ended = (await settled(apply(exec, operations, [command, cwd, options]))) as { exitCode?: unknown } | undefined;
  const exitCode = typeof ended?.exitCode === "number" ? { exitCode: ended.exitCode } : {};
  return forHook({ result: { output, ...exitCode, cancelled: dispatch.cancelled === true, truncated: false } });
}
