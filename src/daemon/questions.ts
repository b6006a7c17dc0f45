import { randomBytes } from "node:crypto";
import type { ConsentAnswer, ConsentQuestion, ConsentReply } from "../session/consent.ts";

/** A question of a session that waits for a person. */
export interface Waiting {
  id: string;
  session: string;
  hook: string;
  text: string;
  why?: string;
  /** What can be answered. Empty: any text. */
  options: readonly string[];
  /** When it was asked, as an ISO time. */
  since: string;
}

interface Asked extends Waiting {
  /** What the answer is kept under until it is used. */
  key: string;
  waiters: ((answer: string | undefined) => void)[];
  /** When a call last gave up waiting for its answer, in ms since the epoch. */
  missed?: number;
}

/** Most questions that wait at once: a hook could ask without end. */
const MAX_WAITING = 100;

const CONSENT_OPTIONS: readonly ConsentAnswer[] = ["deny", "once", "session", "always"];

/** The questions that wait for `cordon pending`. An answer that comes after its call is kept for the next use. */
export class Questions {
  readonly #asked = new Map<string, Asked>();
  readonly #answers = new Map<string, string>();

  get waiting(): Waiting[] {
    return [...this.#asked.values()].map(({ key: _key, waiters: _waiters, missed: _missed, ...shown }) => shown);
  }

  /** `undefined` once `signal` says that nobody waits any more. */
  ask(
    about: Pick<Waiting, "session" | "hook" | "text" | "why" | "options">,
    signal?: AbortSignal,
  ): Promise<string | undefined> {
    const key = JSON.stringify([about.session, about.hook, about.text, about.options]);
    const answered = this.#answers.get(key);
    if (answered !== undefined) {
      this.#answers.delete(key);
      return Promise.resolve(answered);
    }
    let asked = [...this.#asked.values()].find((one) => one.key === key);
    if (!asked && this.#asked.size >= MAX_WAITING) return Promise.resolve(undefined);
    if (!asked) {
      asked = { ...about, id: randomBytes(3).toString("hex"), since: new Date().toISOString(), key, waiters: [] };
      this.#asked.set(asked.id, asked);
    }
    const awaited = asked;
    const { waiters } = awaited;
    return new Promise((resolve) => {
      if (signal?.aborted) return resolve(undefined);
      waiters.push(resolve);
      signal?.addEventListener("abort", () => {
        waiters.splice(waiters.indexOf(resolve), 1);
        awaited.missed = Date.now();
        resolve(undefined);
      });
    });
  }

  /** A question about a power. Without an answer in time the use is refused, and the question stays. */
  async consent(session: string, question: ConsentQuestion, signal: AbortSignal): Promise<ConsentReply> {
    const { hook, text, why, answers = CONSENT_OPTIONS } = question;
    const about = { session, hook, text, ...(why === undefined ? {} : { why }), options: answers };
    return ((await this.ask(about, signal)) as ConsentAnswer | undefined) ?? "later";
  }

  /** Whether a call of this session waited for an answer that did not come, since `time` (ms since the epoch). */
  missedSince(session: string, time: number): boolean {
    return [...this.#asked.values()].some((one) => one.session === session && (one.missed ?? 0) >= time);
  }

  /** False if there is no such question, or it cannot be answered so. */
  answer(id: string, answer: string): boolean {
    const asked = this.#asked.get(id);
    if (!asked || (asked.options.length > 0 && !asked.options.includes(answer))) return false;
    this.#asked.delete(id);
    if (asked.waiters.length === 0) this.#answers.set(asked.key, answer);
    for (const waiter of asked.waiters) waiter(answer);
    return true;
  }

  /** Forgets a session that is over. */
  forget(session: string): void {
    for (const [id, asked] of this.#asked)
      if (asked.session === session) {
        this.#asked.delete(id);
        for (const waiter of asked.waiters) waiter(undefined);
      }
    for (const key of this.#answers.keys()) if (JSON.parse(key)[0] === session) this.#answers.delete(key);
  }
}
