import { randomBytes } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { Input } from "../agents/command/spoken.ts";

/** What hooks asked in the call that is being judged, by hook. */
export type AskedHere = Map<string, string[]>;

/** A call, under the agent's own names. */
export interface HandedCall {
  tool: string;
  input: Input;
}

/** Most questions that wait at once. The oldest one goes for another one: its answer comes to nothing. */
const MAX_OPEN = 32;

/** Most questions that one hook can put to the person in a session: people who are asked endlessly give in. */
const MAX_ASKED = 30;

/**
 * Questions that an agent puts to its person, of one session. What the person allowed counts once, for the call that was asked
 * about, and for the texts that were shown.
 */
export class Handed {
  readonly #open = new Map<string, { call: HandedCall; asked: AskedHere }>();
  readonly #counts = new Map<string, number>();

  /** True if this hook may put another question. */
  mayAsk(hook: string): boolean {
    return (this.#counts.get(hook) ?? 0) < MAX_ASKED;
  }

  /** Keeps what is asked about a call. Returns the id that the answer has. */
  put(call: HandedCall, asked: AskedHere): string {
    for (const hook of asked.keys()) this.#counts.set(hook, (this.#counts.get(hook) ?? 0) + 1);
    const [oldest] = this.#open.keys();
    if (oldest !== undefined && this.#open.size >= MAX_OPEN) this.#open.delete(oldest);
    const id = randomBytes(16).toString("hex");
    this.#open.set(id, { call, asked });
    return id;
  }

  /** What was allowed under this id; nothing if it is of another call, of another session, or was used before. */
  take(id: string, call: HandedCall): AskedHere {
    const open = this.#open.get(id);
    this.#open.delete(id);
    return open && isDeepStrictEqual(open.call, call) ? open.asked : new Map();
  }
}
