import { type ErrorFacts, messageOf } from "../base/errors.ts";
import { type Capabilities, powersOf, withMore } from "../grants/schema.ts";
import type { AnyCapability, Asked, Permitted } from "../powers/capability.ts";
import type { Hook } from "../session/hook.ts";
import { wantedFact } from "../session/remedies.ts";
import type { Use } from "../session/use-consent.ts";
import type { PreparedEvent } from "../supervisor/prepared-event.ts";
import type { OpenRequest } from "./open-requests.ts";
import type { Refusals } from "./refusals.ts";
import type { BrokerServices } from "./services.ts";

/** A request of a hook, read. */
interface Request {
  readonly method: string;
  readonly capability: AnyCapability;
  readonly asked: Asked;
  readonly event: PreparedEvent | undefined;
  readonly open: OpenRequest;
  /** It can wait until a person has answered. */
  readonly mayAsk: boolean;
}

/** A request that may be performed, or why not. `isGranted`: the grant covers it; else a person allowed it once. */
type Judged = { readonly permitted: Permitted; readonly isGranted: boolean } | { readonly error: ErrorFacts };

const hasPower = (powers: Capabilities): boolean => Object.keys(powers).some((power) => power !== "events");

/** Says of each request of one hook whether it is granted, or a person allows it. */
export class Checks {
  readonly #hook: Hook;
  readonly #services: BrokerServices;
  readonly #refusals: Refusals;
  readonly #stopClock: () => (() => void) | undefined;

  /** `stopClock`: stops the hook's clock while a person is asked, and returns what starts it again. */
  constructor(hook: Hook, services: BrokerServices, refusals: Refusals, stopClock: () => (() => void) | undefined) {
    this.#hook = hook;
    this.#services = services;
    this.#refusals = refusals;
    this.#stopClock = stopClock;
  }

  async of(request: Request): Promise<Judged> {
    const { method, capability, asked, open } = request;
    this.#services.decisions.takeRevoked();
    // After too many refusals, requests without any granted part are not even checked.
    if (!capability.isGranted(this.#powers) && this.#refusals.isFull) return { error: this.#refusals.tooMany(method) };
    const permitted = asked.check(this.#powers);
    if (permitted) {
      const isLess = this.#isLess(capability);
      open.covered = () => !isLess() && asked.check(this.#powers) !== undefined;
      return { permitted, isGranted: true };
    }
    return this.#refusals.count() ? this.#ungranted(request) : { error: this.#refusals.tooMany(method) };
  }

  async #ungranted({ method, capability: needed, asked, event, open, mayAsk }: Request): Promise<Judged> {
    const { capability } = needed;
    const isIdle = asked.isIdle();
    const value = asked.describe();
    const mayPropose = this.#refusals.mayPropose(capability, value);
    const proposal = mayPropose ? asked.propose() : undefined;
    const checkWith = (more: unknown): Permitted | undefined => asked.check(withMore(this.#powers, capability, more));
    const enough = (grant: unknown): boolean => checkWith(grant) !== undefined;
    const waits = mayAsk && this.#services.session.ui.hearsAnswers?.() !== false;
    let leads: string | undefined;
    const shown = (): string => {
      leads = asked.leads();
      return leads === undefined ? value : `${value}, which leads to ${leads}`;
    };
    const use: Use = { capability, shown, proposal, isOver: !waits, enough };
    const ask = async (): Promise<unknown> =>
      proposal === undefined || isIdle ? undefined : this.#services.consent.ask(this.#hook, use);
    // The use is refused already, whatever becomes of the question.
    if (!waits) ask().catch((error) => this.#services.reporter.log({ level: "error", text: messageOf(error) }));
    else {
      const given = await this.#outOfTime(ask);
      // A link that was put there meanwhile leads to what no person saw.
      const permitted = given === undefined || asked.leads() !== leads ? undefined : checkWith(given);
      if (permitted) {
        // What was allowed once alone ends when the hook has no power left.
        const isLasting = asked.check(this.#powers) !== undefined;
        const isLess = this.#isLess(needed);
        open.covered = () =>
          !isLess() && (isLasting ? asked.check(this.#powers) !== undefined : hasPower(this.#powers));
        return { permitted, isGranted: false };
      }
    }
    const isAllowed = (powers: Capabilities): boolean => asked.check(powers) !== undefined;
    // The hook reads what follows from this, so it is made without a look at the disk.
    const told = mayPropose ? asked.tells() : undefined;
    const policy = this.#services.consent.forbiddenBy(this.#hook, capability, told, isAllowed);
    const isForbidden = policy !== undefined;
    this.#refusals.audit({
      capability: method,
      value,
      ...(isForbidden ? { policy } : {}),
      ...wantedFact(this.#hook, { capability, grant: proposal }),
      outcome: "NOT_GRANTED",
      ...(event ? { event: event.type } : {}),
    });
    const isGrantedSince =
      told !== undefined && this.#services.decisions.isGrantedSince(this.#hook, { [capability]: told });
    const wanted =
      mayPropose || isForbidden ? { capability, grant: proposal, told, isForbidden, isGrantedSince } : undefined;
    return { error: this.#refusals.refuse("NOT_GRANTED", capability, value, event, wanted, isIdle) };
  }

  /** Whether what a request may reach has become less since it began. */
  #isLess({ capability, reaches }: AnyCapability): () => boolean {
    if (!reaches) return () => false;
    const of = (powers: Capabilities) => ({ [capability]: powers[capability as keyof Capabilities] });
    const before = of(this.#powers);
    return () => !powersOf.covers(of(this.#powers), before);
  }

  async #outOfTime<T>(ask: () => Promise<T>): Promise<T> {
    const resume = this.#stopClock();
    try {
      return await ask();
    } finally {
      resume?.();
    }
  }

  get #powers(): Capabilities {
    return this.#hook.grant.capabilities;
  }
}
