import type { Session } from "../powers/lent-session.ts";
import type { Pretence } from "../powers/pretence.ts";
import type { Decisions } from "../session/decisions.ts";
import type { Reporter } from "../session/reporter.ts";
import type { UseConsent } from "../session/use-consent.ts";

/** Services that the brokers of one session share. */
export interface BrokerServices {
  readonly session: Session;
  readonly reporter: Reporter;
  readonly decisions: Decisions;
  readonly consent: UseConsent;
  /** For a hook that is tried out. */
  readonly pretence: Pretence | undefined;
}
