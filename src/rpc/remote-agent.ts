import type { AgentAct, AgentRead, SessionRead } from "../../sandbox/wire/choices.ts";
import type { AgentState } from "../../sandbox/wire/messages.ts";
import type { DialogOrigin, HookUIContext } from "../hook-api.ts";
import type { AgentServices } from "../powers/lent-session.ts";
import type { ConsentHandler } from "../session/consent.ts";
import type { RpcConnection } from "./connection.ts";
import type { OpenQuestions } from "./open-questions.ts";
import { chosenAnswer, typedAnswer } from "./typed-answer.ts";

/** The id for questions of Cordon's own. No hook has this id. */
const OWN = null;

/** Who asks, and what every dialog shows. */
const dialog = (title: string, origin: DialogOrigin | undefined) => ({
  hook: origin?.hook ?? OWN,
  title: origin?.title ?? title,
});
const textOrNull = (method: string, answer: unknown): string | null =>
  (typedAnswer(method, "string", answer) as string | undefined) ?? null;

/**
 * The agent's dialogs, over the wire. The texts are the hook's own, cleaned; the agent shows `hook` beside them. `more`: of an
 * agent that shows components.
 */
export function remoteUi(
  connection: RpcConnection,
  questions: OpenQuestions,
  more: Partial<HookUIContext>,
): HookUIContext {
  const ask = async (method: string, params: object, origin: DialogOrigin | undefined): Promise<unknown> => {
    const answer = await connection.ask(method, params, origin?.signal);
    return questions.isPutOff(origin?.hook, answer) ? undefined : answer;
  };
  return {
    ...more,
    async select(title, options, origin) {
      return textOrNull("ui/select", await ask("ui/select", { ...dialog(title, origin), options }, origin));
    },
    async confirm(title, message, origin) {
      const shown = { ...dialog(title, origin), message: origin?.text ?? message };
      return typedAnswer("ui/confirm", "boolean", await ask("ui/confirm", shown, origin)) === true;
    },
    async input(title, placeholder, origin) {
      const shown = placeholder === undefined ? undefined : (origin?.text ?? placeholder);
      return textOrNull("ui/input", await ask("ui/input", { ...dialog(title, origin), placeholder: shown }, origin));
    },
    async editor(title, prefill, origin) {
      const asked = connection.ask("ui/editor", { ...dialog(title, origin), prefill }, origin?.signal);
      return textOrNull("ui/editor", await asked);
    },
    show(what, args, origin) {
      connection.notify("ui/show", { hook: origin?.hook ?? OWN, what, args });
    },
    notify(message, type = "info", origin) {
      connection.notify("ui/notify", { hook: origin?.hook ?? OWN, message: origin?.title ?? message, type });
    },
  };
}

/** What a person may answer where a question does not say it. */
const ANSWERS = ["once", "session", "always", "deny"] as const;

/** Consent over the wire. If no person is behind it, nothing is allowed permanently. */
export function remoteConsent(connection: RpcConnection, questions: OpenQuestions, person: boolean): ConsentHandler {
  return async (question) => {
    const answer = await connection.ask("consent/ask", question);
    if (questions.isPutOff(question.hook, answer)) return "later";
    const chosen = chosenAnswer("consent/ask", question.answers ?? ANSWERS, answer) ?? "deny";
    return chosen === "always" && !person ? "session" : chosen;
  };
}

/** What an agent says at `initialize` that it offers, by name. */
export interface RemoteOffer {
  session?: SessionRead[];
  read?: AgentRead[];
  act?: AgentAct[];
  sendMessage?: boolean;
  screens?: boolean;
  /** It is asked whether it can run a tool that a hook chose. */
  canRun?: boolean;
  /** Names of providers that it has without hooks. */
  providers?: string[];
}

/** The agent's session and functions, over the wire. `state` returns what the agent said last. */
export function remoteAgent(connection: RpcConnection, offer: RemoteOffer, state: () => AgentState): AgentServices {
  /** The last list, of which a hook reads the parts. */
  let last: { key: string; value: unknown } | undefined;
  const query = async (name: SessionRead, argument: string | undefined, from: number): Promise<unknown> => {
    const key = `${name} ${argument ?? ""}`;
    if (from === 0 || last?.key !== key)
      last = { key, value: await connection.ask("agent/session", { name, argument: argument ?? null }) };
    return last.value;
  };
  const byName = <Name extends string, Value>(names: readonly Name[] = [], make: (name: Name) => Value) =>
    Object.fromEntries(names.map((name) => [name, make(name)])) as { [One in Name]?: Value };
  return {
    state,
    session: byName(offer.session, (name) => (argument, from) => query(name, argument, from)),
    read: byName(offer.read, (name) => () => connection.ask("agent/read", { name })),
    act: byName(
      offer.act,
      (name) =>
        (args, { hook }) =>
          connection.ask("agent/act", { hook, name, args }),
    ),
    ...(offer.providers ? { providers: offer.providers } : {}),
    ...(offer.sendMessage
      ? {
          sendMessage: (message, options, { hook }) =>
            connection.notify("agent/sendMessage", { hook, message, options }),
        }
      : {}),
  };
}

/** API keys over the wire. */
export function remoteModel(connection: RpcConnection) {
  return {
    complete(model: object, context: object, given: { signal: AbortSignal }, { hook }: { hook: string }) {
      const { signal, ...options } = given;
      return connection.ask("model/complete", { hook, model, context, options }, signal);
    },
    async resolveApiKey(model: unknown, origin?: { hook: string }): Promise<string | undefined> {
      const answer = await connection.ask("model/resolveApiKey", { hook: origin?.hook ?? OWN, model });
      return textOrNull("model/resolveApiKey", answer) ?? undefined;
    },
  };
}
