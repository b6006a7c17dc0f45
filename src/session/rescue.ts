import type { Session } from "../powers/lent-session.ts";
import type { Failure } from "../supervisor/outcome.ts";
import { OWN_TITLE } from "./consent.ts";
import type { Decisions } from "./decisions.ts";
import { failureQuestion } from "./failure-text.ts";
import type { Hook } from "./hook.ts";

export type Way = "restarted" | "disabled" | "keep";

const RESTART = "Restart it";
const KEEP = "Keep blocking";
const DISABLE = "Disable it for this session";

/** After so many blocks in a row by one hook, a person is asked whether it should go on. */
const MANY_BLOCKS = 5;

/** Offers a way out when a hook keeps blocking: if there is a person to ask, Cordon asks once for each failure. */
export class Rescue {
  readonly #session: Session;
  readonly #decisions: Decisions;
  readonly #restart: (hook: Hook) => Promise<void>;
  readonly #leaveOut: (hook: Hook) => Promise<void>;
  readonly #asked = new WeakSet<Hook>();
  #queue: Promise<unknown> = Promise.resolve();

  /** `leaveOut`: ends all that a hook runs, and tells the agent. */
  constructor(
    session: Session,
    decisions: Decisions,
    restart: (hook: Hook) => Promise<void>,
    leaveOut: (hook: Hook) => Promise<void>,
  ) {
    this.#session = session;
    this.#decisions = decisions;
    this.#restart = restart;
    this.#leaveOut = leaveOut;
  }

  /** Asks what to do about a hook that failed while it guarded a call. Without a person, the hook goes on blocking. */
  async offer(hook: Hook, failure: Failure): Promise<Way> {
    if (!this.#session.hasUI || this.#asked.has(hook) || hook.trusted) return "keep";
    this.#asked.add(hook);
    const title = `${OWN_TITLE}${failureQuestion(hook, failure)}`;
    const choice = await this.#ask(title, [RESTART, KEEP, ...(hook.required ? [] : [DISABLE])]);
    if (choice === RESTART) {
      await this.#restart(hook);
      return "restarted";
    }
    if (choice !== DISABLE || hook.required) return "keep";
    await this.#disable(hook);
    return "disabled";
  }

  /** After a block by a hook's own verdict: offers to disable a hook that blocks everything. */
  async afterBlock(hook: Hook): Promise<void> {
    if (hook.blocks < MANY_BLOCKS || hook.required || !this.#session.hasUI) return;
    hook.blocks = 0;
    const choice = await this.#ask(
      `${OWN_TITLE}hook ${hook.name} blocked ${MANY_BLOCKS} calls in a row. Go on with it?`,
      [KEEP, DISABLE],
    );
    if (choice === DISABLE) await this.#disable(hook);
  }

  #disable(hook: Hook): Promise<void> {
    this.#decisions.disable(hook);
    return this.#leaveOut(hook);
  }

  async #ask(title: string, options: string[]): Promise<string | null> {
    const answer = this.#queue.then(() => this.#session.ui.select(title, options)).catch(() => null);
    this.#queue = answer;
    return answer;
  }
}
