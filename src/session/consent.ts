import { cleanLine, inQuotes } from "../base/text.ts";

export type ConsentAnswer = "once" | "session" | "always" | "deny";

/** What a person is asked when a hook uses a power for the first time. */
export interface ConsentQuestion {
  hook: string;
  capability: string;
  value: string;
  /** The whole question in words. */
  text: string;
  /** The grant that an answer would give, as JSON. It is the same for all uses that it covers. */
  grants?: string;
  /** The hook author's claim, cleaned and cut. */
  why?: string;
  /** The possible answers, if not all are. Any other answer is a denial. */
  answers?: readonly ConsentAnswer[];
}

/** `later`: nobody has answered yet. The use is refused, and the next one asks again. */
export type ConsentReply = ConsentAnswer | "later";

export type ConsentHandler = (question: ConsentQuestion) => Promise<ConsentReply> | ConsentReply;

const ANSWERS: ReadonlyMap<string, ConsentAnswer> = new Map([
  // First, since a hasty Enter chooses the first.
  ["Deny", "deny"],
  ["Allow once", "once"],
  ["Allow for this session", "session"],
  ["Allow always", "always"],
]);

const ALL_ANSWERS: readonly ConsentAnswer[] = [...ANSWERS.values()];

/** Answers after a blocking request, which is refused before a person is asked: it can no longer be allowed once. */
export const ANSWERS_AFTERWARDS: readonly ConsentAnswer[] = ["deny", "session", "always"];

/** Most questions that one hook can cause in a session: people who are asked endlessly give in. */
const MAX_QUESTIONS = 30;

/** Longest text of an author beside Cordon's own. */
export const MAX_CLAIM = 120;

/** In the text of a question about a power, before what an answer other than "once" grants. */
export const FOR_LONGER = "\nAllowing more than once grants ";

/** Begins each question of Cordon's own. Titles of hooks begin with `[hook ...]`, so they cannot look like one. */
export const OWN_TITLE = "Cordon asks: ";

/** Asks through the agent's own selector, for agents without a consent dialog. */
export function askBySelector(select: (title: string, options: string[]) => Promise<string | null>): ConsentHandler {
  return async ({ text, why, answers }) => {
    const offered = [...ANSWERS].filter(([, answer]) => answers?.includes(answer) ?? true).map(([label]) => label);
    const title = `${OWN_TITLE}${text}${why ? `\nIts author claims: ${inQuotes(why)}` : ""}`;
    const said: unknown = await select(title, offered);
    if (said === null || said === undefined) return "deny";
    if (typeof said === "string" && offered.includes(said)) return ANSWERS.get(said) ?? "deny";
    throw new TypeError("the agent's select gave none of the options that it was given, and not null");
  };
}

interface Answer {
  readonly reply: Promise<ConsentReply>;
  /** The digest of the hook that was asked about. */
  readonly of: string | undefined;
  given?: ConsentReply;
}

/** Asks a person one question at a time. The same question is asked once; a denial lasts for the session. */
export class Consent {
  readonly #ask: ConsentHandler;
  /** By hook and grant. */
  readonly #answers = new Map<string, Map<string, Answer>>();
  readonly #asked = new Map<string, number>();
  #queue: Promise<unknown> = Promise.resolve();
  /** Hears why a person could not be asked. */
  onFailure: (hook: string, why: unknown) => void = () => {};

  constructor(ask: ConsentHandler) {
    this.#ask = ask;
  }

  /** Forgets what was allowed to a hook, but not what was denied: its grant was changed elsewhere. */
  forget(hook: string): void {
    for (const [key, { given }] of this.#answers.get(hook) ?? [])
      if (given === "session" || given === "always") this.#answers.get(hook)?.delete(key);
  }

  /** Asks what a person began themselves: each time, whatever was answered before. Never rejects, either. */
  askAnew(question: ConsentQuestion): Promise<ConsentAnswer> {
    return this.#put(question).then((reply) => (reply === "later" ? "deny" : reply));
  }

  /** Whether a question about these grants was answered by a denial, which lasts for the session. */
  isDenied(hook: string, capability: string, grants: string): boolean {
    return this.#answers.get(hook)?.get(keyOf(capability, grants))?.given === "deny";
  }

  /**
   * Never rejects: a question that cannot be asked is a denial. `later`: nobody decided, and the use is refused. `of`: the digest of
   * the hook: what was allowed to other bytes under its name is asked again, and what was denied is not.
   */
  ask(question: ConsentQuestion, of?: string): Promise<ConsentReply> {
    const { hook, capability, value, grants = value } = question;
    const answers = this.#answers.get(hook) ?? new Map<string, Answer>();
    this.#answers.set(hook, answers);
    const key = keyOf(capability, grants);
    const known = answers.get(key);
    if (known)
      return known.reply.then((given) => {
        const isOthers = known.of !== of && given !== "deny";
        if (isOthers && answers.get(key) === known) answers.delete(key);
        // "once" is for the use that was asked about. Another use that waited for the same answer gets a question of its own.
        return isOthers || given === "once" ? this.ask(question, of) : given;
      });
    const asked = this.#asked.get(hook) ?? 0;
    if (asked >= MAX_QUESTIONS) return Promise.resolve("later");
    this.#asked.set(hook, asked + 1);
    const reply = this.#put(question);
    const kept: Answer = { reply, of };
    answers.set(key, kept);
    void reply.then((given) => {
      kept.given = given;
      // "once" is for this use alone: the next use is asked about again.
      if (given === "once" || given === "later") answers.delete(key);
    });
    return reply;
  }

  #put(question: ConsentQuestion): Promise<ConsentReply> {
    const reply = this.#queue.then(async (): Promise<ConsentReply> => {
      try {
        const given = await this.#ask({
          ...question,
          ...(question.why ? { why: cleanLine(question.why, MAX_CLAIM) } : {}),
        });
        const offered = question.answers ?? ALL_ANSWERS;
        if (given === "later" || offered.includes(given)) return given;
        throw new TypeError(`the agent's consent answered none of: ${offered.join(", ")}`);
      } catch (error) {
        this.onFailure(question.hook, error);
        return "deny";
      }
    });
    this.#queue = reply;
    return reply;
  }
}

const keyOf = (capability: string, grants: string): string => JSON.stringify([capability, grants]);
