import { cleanLine } from "../base/text.ts";

export type ConsentAnswer = "once" | "session" | "always" | "deny";

/** What a person is asked when a hook uses a power for the first time. */
export interface ConsentQuestion {
  hook: string;
  capability: string;
  value: string;
  /** The whole question in words. */
  text: string;
  /** What is granted then, as JSON: the same for all uses that it covers. */
  grants?: string;
  /** The hook author's claim, cleaned and cut. */
  why?: string;
  /** What may be answered, where that is not all: any other answer is a denial. */
  answers?: readonly ConsentAnswer[];
}

export type ConsentHandler = (question: ConsentQuestion) => Promise<ConsentAnswer> | ConsentAnswer;

const ANSWERS: ReadonlyMap<string, ConsentAnswer> = new Map([
  // First, since that is what a hasty Enter chooses.
  ["Deny", "deny"],
  ["Allow once", "once"],
  ["Allow for this session", "session"],
  ["Allow always", "always"],
]);

const ALL_ANSWERS: readonly ConsentAnswer[] = [...ANSWERS.values()];

/** A use that blocks the hook is refused before anybody is asked: there is nothing left to allow once. */
export const ANSWERS_AFTERWARDS: readonly ConsentAnswer[] = ["deny", "session", "always"];

/** Questions that one hook can cause in a session: a person who is asked without end allows in the end. */
const MAX_QUESTIONS = 30;

/** Longest of an author's own words beside Cordon's. */
export const MAX_CLAIM = 120;

/** Begins every question of Cordon's own. Hooks' titles begin with `[hook ...]` and so cannot look like one. */
export const OWN_TITLE = "Cordon asks: ";

/** Asks through the agent's own selector, for hosts that bring no consent dialog. */
export function askBySelector(select: (title: string, options: string[]) => Promise<string | null>): ConsentHandler {
  return async ({ text, why, answers }) => {
    const offered = [...ANSWERS].filter(([, answer]) => answers?.includes(answer) ?? true).map(([label]) => label);
    const title = `${OWN_TITLE}${text}${why ? `\nIts author claims: "${why}"` : ""}`;
    return ANSWERS.get((await select(title, offered)) ?? "") ?? "deny";
  };
}

interface Answer {
  readonly later: Promise<ConsentAnswer>;
  given?: ConsentAnswer;
}

/** Asks a person one question at a time. The same question is asked once; a denial lasts for the session. */
export class Consent {
  readonly #ask: ConsentHandler;
  /** By hook, and what would be granted. */
  readonly #answers = new Map<string, Map<string, Answer>>();
  readonly #asked = new Map<string, number>();
  #queue: Promise<unknown> = Promise.resolve();

  constructor(ask: ConsentHandler) {
    this.#ask = ask;
  }

  /** A person decided anew about a hook elsewhere: it is asked about again, but for what was denied. */
  forget(hook: string): void {
    for (const [key, { given }] of this.#answers.get(hook) ?? [])
      if (given === "session" || given === "always") this.#answers.get(hook)?.delete(key);
  }

  /** Never rejects: a question that cannot be asked is a denial. */
  ask(question: ConsentQuestion): Promise<ConsentAnswer> {
    const { hook, capability, value, grants = value } = question;
    const answers = this.#answers.get(hook) ?? new Map<string, Answer>();
    this.#answers.set(hook, answers);
    const key = JSON.stringify([capability, grants]);
    const known = answers.get(key);
    // "once" is for the use that was asked about: who waited for the same answer is asked about by itself.
    if (known) return known.later.then((given) => (given === "once" ? this.ask(question) : given));
    const asked = this.#asked.get(hook) ?? 0;
    if (asked >= MAX_QUESTIONS) return Promise.resolve("deny");
    this.#asked.set(hook, asked + 1);
    const answer = this.#queue.then(async () => {
      try {
        const given = await this.#ask({
          ...question,
          ...(question.why ? { why: cleanLine(question.why, MAX_CLAIM) } : {}),
        });
        return (question.answers ?? ALL_ANSWERS).includes(given) ? given : "deny";
      } catch {
        return "deny";
      }
    });
    this.#queue = answer;
    const kept: Answer = { later: answer };
    answers.set(key, kept);
    void answer.then((given) => {
      kept.given = given;
      // "once" is for this use alone: the next is asked about again.
      if (given === "once") answers.delete(key);
    });
    return answer;
  }
}
