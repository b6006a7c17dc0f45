import { cleanLine, cleanText } from "../base/text.ts";
import type { DialogOrigin, HookUIContext } from "../hook-api.ts";
import { type ConsentHandler, FOR_LONGER } from "../session/consent.ts";
import type { AskedHere, Handed } from "./handed.ts";
import type { Questions } from "./questions.ts";

/** Longest question of one hook that an agent is handed. */
const MAX_QUESTION = 2000;

/** What several hooks have of one dialog (Claude Code's shows ten lines of a screen), and each of them at the least. */
const MAX_TOGETHER = 600;
const LEAST_OF_EACH = 200;

const note = (asked: AskedHere, hook: string, text: string): void => {
  asked.set(hook, [...(asked.get(hook) ?? []), text]);
};

/** The questions as an agent shows them: one line for each hook, which cannot look like another hook's. `longest`: of a line. */
const questionsIn = (asked: AskedHere, longest = MAX_QUESTION): string =>
  [...asked].map(([hook, texts]) => cleanLine(`hook ${hook} asks: ${texts.join("; ")}`, longest)).join("\n");

/** The same in one text, where the length of one hook's question leaves out no other hook's. */
export function questionOf(asked: AskedHere): string {
  const share = Math.max(LEAST_OF_EACH, Math.floor(MAX_TOGETHER / asked.size));
  return questionsIn(asked, asked.size === 1 ? MAX_QUESTION : share);
}

/** A question about a power in a dialog of the agent's, which knows yes and no: what yes means, and the command that can say more. */
const askedHere = (text: string, yes: string, command: string): string =>
  text.replace(FOR_LONGER, `; ${yes}: ${command}, which grants `);

/** What yes means where the agent runs the call then, and hooks do not judge it again. */
const RUNS = "yes runs this call without that; to allow it";

/** Whether a hook was only refused powers: whatever it decides then, it was not asked of the person. */
export const isAboutPowers = (texts: readonly string[] = []): boolean =>
  texts.every((text) => text.includes(`; ${RUNS}: `));

/**
 * The person of a session whose agent asks for Cordon: a dialog has no answer now, and the agent puts its text to the person
 * if the hook blocks for that. Questions about powers also wait for `cordon pending`; one that was answered there is not put.
 */
export function askedByAgent(session: string, questions: Questions, now: () => HandedBack) {
  const put = (hook: string, text: string): void => {
    const { asked, beside } = now();
    if (beside === 0) note(asked, hook, text);
  };
  const consent: ConsentHandler = async (question) => {
    const reply = await questions.consent(session, question, AbortSignal.abort());
    if (reply === "later") put(question.hook, askedHere(question.text, RUNS, "cordon pending"));
    return reply;
  };
  const ask: Ask = async ({ hook }, text) => {
    put(hook, text);
    return undefined;
  };
  return { ui: dialogs(ask), consent };
}

/** The person of a session who answers with `cordon pending`, as long as the call waits. */
export function askedElsewhere(session: string, questions: Questions, until: () => AbortSignal) {
  const consent: ConsentHandler = (question) => questions.consent(session, question, until());
  // The signal is the dialog's own: `until` is of the call that came last, and others may wait beside it.
  const ask: Ask = ({ hook, event, signal = until() }, text, options) =>
    questions.ask({ session, hook, text, options, ...(event ? { event } : {}) }, signal);
  return { ui: dialogs(ask), ask, consent };
}

/** The call that is being judged, and what its agent's person is asked and allowed about it. */
export interface HandedBack {
  /**
   * Results and events that hooks are told beside it. A dialog does not say whose it is, and a block of the call must not become a
   * question by another's: meanwhile none counts for the call.
   */
  beside: number;
  asked: AskedHere;
  /** What the person allowed before: for a power once, for a dialog as often as its hook asks. */
  allowed: AskedHere;
  /** Aborted when the call waits no more. */
  patience: AbortSignal;
}

/**
 * The person of a session whose agent shows what can be allowed or denied, and hands the call back. Whatever it cannot show
 * whole, or has other answers, waits for `cordon pending` as long as the call does. `longest`: of all that one call asks.
 */
export function askedAgain(
  session: string,
  questions: Questions,
  { handed, longest, now }: { handed: Handed; longest: number; now: () => HandedBack },
) {
  const elsewhere = askedElsewhere(session, questions, () => now().patience);
  const put = (hook: string, text: string): boolean => {
    const { asked, beside } = now();
    const next: AskedHere = new Map(asked);
    note(next, hook, text);
    // Whatever one hook writes, no other hook's question is cut off for it, and none of its own words.
    if (beside > 0 || !handed.mayAsk(hook) || cleanText(questionsIn(next), longest) !== questionsIn(next)) return false;
    note(asked, hook, text);
    return true;
  };
  const consent: ConsentHandler = (question) => {
    const { hook, answers } = question;
    const text = askedHere(question.text, "yes allows it once; for longer", "cordon grant");
    const { allowed } = now();
    const texts = allowed.get(hook) ?? [];
    if (answers !== undefined && !answers.includes("once")) return elsewhere.consent(question);
    if (texts.includes(text)) {
      allowed.set(hook, texts.toSpliced(texts.indexOf(text), 1));
      return "once";
    }
    return put(hook, text) ? "later" : elsewhere.consent(question);
  };
  const confirm: Ask = async (origin, text, options) => {
    const { hook } = origin;
    if (!options.includes(YES)) return elsewhere.ask(origin, text, options);
    // What a person allowed is the call: its result, and what else hooks are told meanwhile, is asked about by itself.
    if (origin.event?.type === "tool_call" && now().allowed.get(hook)?.includes(text)) return YES;
    return put(hook, text) ? undefined : elsewhere.ask(origin, text, options);
  };
  return { ui: dialogs(confirm), consent };
}

type Ask = (origin: DialogOrigin, text: string, options: readonly string[]) => Promise<string | undefined>;

const YES = "yes";

/** Dialogs over questions. Cordon's own, about a hook that failed, are not put: the call stays blocked. */
const dialogs = (ask: Ask): HookUIContext => ({
  async select(_title, options, origin) {
    return origin ? ((await ask(origin, origin.title, options)) ?? null) : null;
  },
  async confirm(_title, message, origin) {
    if (!origin) return false;
    const text = [origin.title, origin.text ?? message].filter((part) => part !== "").join(": ");
    return (await ask(origin, text, [YES, "no"])) === YES;
  },
  async input(_title, _placeholder, origin) {
    return origin ? ((await ask(origin, origin.title, [])) ?? null) : null;
  },
  notify() {},
});
