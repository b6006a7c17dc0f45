import type { HookUIContext } from "../hook-api.ts";
import type { ConsentHandler } from "../session/consent.ts";
import type { Questions } from "./questions.ts";

/** What hooks asked in the call that is being judged, by hook. */
export type AskedHere = Map<string, string>;

/**
 * The person of a session whose agent asks for Cordon: a dialog has no answer now, and the agent puts its text to the person
 * if the hook blocks for that. Questions about powers also wait for `cordon pending`.
 */
export function askedByAgent(session: string, questions: Questions, asked: () => AskedHere) {
  const note = (hook: string, text: string): void => {
    const before = asked().get(hook);
    asked().set(hook, before === undefined ? text : `${before}; ${text}`);
  };
  const consent: ConsentHandler = (question) => {
    note(question.hook, question.text);
    return questions.consent(session, question, AbortSignal.abort());
  };
  const ask: Ask = async (hook, text) => {
    note(hook, text);
    return undefined;
  };
  return { ui: dialogs(ask), consent };
}

/** The person of a session who answers with `cordon pending`, as long as the call waits. */
export function askedElsewhere(session: string, questions: Questions, until: () => AbortSignal) {
  const consent: ConsentHandler = (question) => questions.consent(session, question, until());
  const ask: Ask = (hook, text, options, signal) => {
    const signals = signal ? [until(), signal] : [until()];
    return questions.ask({ session, hook, text, options }, AbortSignal.any(signals));
  };
  return { ui: dialogs(ask), consent };
}

type Ask = (
  hook: string,
  text: string,
  options: readonly string[],
  signal: AbortSignal | undefined,
) => Promise<string | undefined>;

const YES = "yes";

/** Dialogs over questions. Cordon's own, about a hook that failed, are not put: the call stays blocked. */
const dialogs = (ask: Ask): HookUIContext => ({
  async select(_title, options, origin) {
    return origin ? ((await ask(origin.hook, origin.title, options, origin.signal)) ?? null) : null;
  },
  async confirm(_title, message, origin) {
    if (!origin) return false;
    const text = [origin.title, origin.text ?? message].filter((part) => part !== "").join(": ");
    return (await ask(origin.hook, text, [YES, "no"], origin.signal)) === YES;
  },
  async input(_title, _placeholder, origin) {
    return origin ? ((await ask(origin.hook, origin.title, [], origin.signal)) ?? null) : null;
  },
  notify() {},
});
