import { hash, randomBytes } from "node:crypto";
import { readJson } from "../../sandbox/wire/read-json.ts";
import { attemptOr } from "../base/attempt.ts";
import { visibleLine } from "../base/text.ts";
import { powersOf } from "../grants/schema.ts";
import type { DialogOrigin } from "../hook-api.ts";
import { exactly } from "../powers/quoted.ts";
import type { ConsentAnswer, ConsentQuestion, ConsentReply } from "../session/consent.ts";
import { type Grants, grantsPath, readGrants } from "../store/grants-text.ts";

/** A question of a session that waits for a person. */
export interface Waiting {
  id: string;
  session: string;
  hook: string;
  text: string;
  why?: string;
  /** The call that it is about, if it is about one: the tool and its input, cut to one line. */
  call?: string;
  /** What can be answered. Empty: any text. */
  options: readonly string[];
  /** When it was asked, as an ISO time. */
  since: string;
}

interface Asked extends Waiting {
  /** What the answer is kept under until it is used. */
  key: string;
  /** Who waits for the answer; nobody once the call gave up. */
  waiter: ((answer: string | undefined) => void) | undefined;
  /** When a call last gave up waiting for its answer, in ms since the epoch. */
  missed?: number;
  /** For a question about a power: what was granted when it was asked. */
  granted?: Grants | undefined;
}

type Kept = Pick<Asked, "granted"> & { answer: string };

/** Most questions that wait at once: a hook could ask without end. */
const MAX_WAITING = 100;

/** Longest text of a call beside its question. */
const MAX_CALL = 500;

/** What is asked. `event`: the answer is for this one alone, which may come again, as for a call that is tried again. */
type About = Pick<Waiting, "session" | "hook" | "text" | "why" | "options"> &
  Pick<Asked, "granted"> &
  Pick<DialogOrigin, "event">;

const CONSENT_OPTIONS: readonly ConsentAnswer[] = ["deny", "once", "session", "always"];

/**
 * The questions that wait for `cordon pending`. Each answer is for one of those who wait; one that comes after its call is kept for
 * the next use.
 */
export class Questions {
  readonly #asked = new Map<string, Asked>();
  readonly #answers = new Map<string, Kept>();
  readonly #home: string;

  constructor(home: string) {
    this.#home = home;
  }

  get waiting(): Waiting[] {
    this.#dropRevoked();
    return [...this.#asked.values()].map(
      ({ key: _key, waiter: _waiter, missed: _missed, granted: _granted, ...shown }) => shown,
    );
  }

  /** `undefined` once `signal` says that nobody waits any more. */
  ask({ event, ...about }: About, signal?: AbortSignal): Promise<string | undefined> {
    // An agent's id of a call is another one when it tries the call again.
    const whole = JSON.stringify({ ...event, toolCallId: undefined });
    const key = JSON.stringify([about.session, about.hook, about.text, about.options, hash("sha256", whole)]);
    const answered = this.#answers.get(key);
    if (answered !== undefined) {
      this.#answers.delete(key);
      return Promise.resolve(answered.answer);
    }
    const left = [...this.#asked.values()].find((one) => one.key === key && !one.waiter);
    if (!left && this.#asked.size >= MAX_WAITING) return Promise.resolve(undefined);
    const asked: Asked = left ?? {
      ...about,
      ...(event?.toolName === undefined
        ? {}
        : { call: visibleLine(`${event.toolName} ${exactly(JSON.stringify(event.input))}`, MAX_CALL) }),
      id: randomBytes(3).toString("hex"),
      since: new Date().toISOString(),
      key,
      waiter: undefined,
    };
    this.#asked.set(asked.id, asked);
    return new Promise((resolve) => {
      if (signal?.aborted) return resolve(undefined);
      asked.waiter = resolve;
      signal?.addEventListener("abort", () => {
        asked.waiter = undefined;
        asked.missed = Date.now();
        resolve(undefined);
      });
    });
  }

  /** A question about a power. Without an answer in time the use is refused, and the question stays. */
  async consent(session: string, question: ConsentQuestion, signal: AbortSignal): Promise<ConsentReply> {
    const { hook, text, why, answers = CONSENT_OPTIONS } = question;
    this.#dropRevoked();
    const granted = this.#grants();
    const about = { session, hook, text, ...(why === undefined ? {} : { why }), options: answers, granted };
    return ((await this.ask(about, signal)) as ConsentAnswer | undefined) ?? "later";
  }

  /** Whether a call of this session waited for an answer that did not come, since `time` (ms since the epoch). */
  missedSince(session: string, time: number): boolean {
    return [...this.#asked.values()].some((one) => one.session === session && (one.missed ?? 0) >= time);
  }

  /** False if there is no such question, or it cannot be answered so. */
  answer(id: string, answer: string): boolean {
    this.#dropRevoked();
    const asked = this.#asked.get(id);
    if (!asked || (asked.options.length > 0 && !asked.options.includes(answer))) return false;
    this.#asked.delete(id);
    if (asked.waiter) asked.waiter(answer);
    else this.#answers.set(asked.key, { answer, granted: asked.granted });
    return true;
  }

  /** Forgets a session that is over. */
  forget(session: string): void {
    this.#drop((asked) => asked.session === session);
    for (const key of this.#answers.keys()) if (readJson(key)[0] === session) this.#answers.delete(key);
  }

  #drop(isOver: (asked: Asked) => boolean): void {
    for (const [id, asked] of this.#asked)
      if (isOver(asked)) {
        this.#asked.delete(id);
        asked.waiter?.(undefined);
      }
  }

  /** A revocation also takes back what was asked about powers, and answered, before it. */
  #dropRevoked(): void {
    const now = this.#grants();
    const isOver = ({ granted }: Pick<Asked, "granted">): boolean =>
      granted !== undefined && (now === undefined || isRevokedSince(granted, now));
    this.#drop(isOver);
    for (const [key, kept] of this.#answers) if (isOver(kept)) this.#answers.delete(key);
  }

  /** `undefined` for a file that cannot be read: it grants nothing, either. */
  #grants(): Grants | undefined {
    return attemptOr(() => readGrants(grantsPath(this.#home), false), undefined);
  }
}

/** Whether anything was taken from any hook: the keys of entries are not always the ids of hooks. */
const isRevokedSince = (before: Grants, now: Grants): boolean =>
  [...now].some(([key, { revokedAt }]) => revokedAt !== before.get(key)?.revokedAt) ||
  [...before].some(
    ([key, { capabilities = {} }]) => !now.has(key) || !powersOf.covers(now.get(key)?.capabilities ?? {}, capabilities),
  );
