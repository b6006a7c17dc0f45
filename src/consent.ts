import { cleanLine } from "./text.ts";

export type ConsentAnswer = "once" | "session" | "always" | "deny";

/** What a person is asked when a hook uses a power for the first time. */
export interface ConsentQuestion {
  hook: string;
  capability: string;
  value: string;
  /** The whole question in words. */
  text: string;
  /** The hook author's reason, cleaned. */
  why?: string;
}

export type ConsentHandler = (question: ConsentQuestion) => Promise<ConsentAnswer> | ConsentAnswer;

const ANSWERS: ReadonlyMap<string, ConsentAnswer> = new Map([
  // First, since that is what a hasty Enter chooses.
  ["Deny", "deny"],
  ["Allow once", "once"],
  ["Allow for this session", "session"],
  ["Allow always", "always"],
]);

/** Begins every question of Cordon's own. Hooks' titles begin with `[hook ...]` and so cannot look like one. */
export const OWN_TITLE = "Cordon asks: ";

/** Asks through the agent's own selector, for hosts that bring no consent dialog. */
export function askBySelector(select: (title: string, options: string[]) => Promise<string | null>): ConsentHandler {
  return async ({ text, why }) => {
    const title = `${OWN_TITLE}${text}${why ? `\nIts author says: ${why}` : ""}`;
    return ANSWERS.get((await select(title, [...ANSWERS.keys()])) ?? "") ?? "deny";
  };
}

/** Asks a person one question at a time. The same question is asked once; a denial lasts for the session. */
export class Consent {
  readonly #ask: ConsentHandler;
  readonly #answers = new Map<string, Promise<ConsentAnswer>>();
  #queue: Promise<unknown> = Promise.resolve();

  constructor(ask: ConsentHandler) {
    this.#ask = ask;
  }

  /** Never rejects: a question that cannot be asked is a denial. */
  ask(question: ConsentQuestion): Promise<ConsentAnswer> {
    const key = JSON.stringify([question.hook, question.capability, question.value]);
    const known = this.#answers.get(key);
    if (known) return known;
    const answer = this.#queue.then(async () => {
      try {
        const given = await this.#ask({ ...question, ...(question.why ? { why: cleanLine(question.why, 300) } : {}) });
        return given === "once" || given === "session" || given === "always" ? given : "deny";
      } catch {
        return "deny";
      }
    });
    this.#queue = answer;
    this.#answers.set(key, answer);
    // "once" is for this use alone: the next is asked about again.
    void answer.then((given) => given === "once" && this.#answers.delete(key));
    return answer;
  }
}
