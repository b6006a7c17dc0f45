import type { StalePower } from "../grants/stale-grant.ts";
import type { Deed } from "./deed.ts";
import type { Refusal } from "./refusal.ts";

/** What became of one power of a hook. `from` and `to` of the report limit the counts, and not `lastUse`. */
export interface PowerState {
  power: string;
  /** What was granted, as JSON that people review; left out: nothing. */
  granted?: string;
  /** Nobody decided about it: every hook that the user named has it. */
  byDefault?: true;
  /** What its manifest asks for, where nothing is granted. */
  asked?: string;
  /** What a person should know about the grant. Each ends a sentence about the hook. */
  dangers: string[];
  used: number;
  refused: number;
  lastUse?: string;
  /** Of limits nothing is recorded. */
  unrecorded?: true;
  /** Operations that were used, and on what. An empty name stands for all others. */
  operations: { name: string; count: number }[];
  /** Values that were refused, the most frequent first. */
  refusals: Refusal[];
  /**
   * The entries of the grant, such as patterns of paths and command lines, and how often each was used. Left out where there is only
   * one, or where the record does not say.
   */
  entries?: EntryState[];
  /** Uses of which the record does not say by which entry: older lines, and more of them than could be looked up. */
  unassigned?: number;
  /** What your organisation's policy takes of the grant, as JSON; or of a power that was not granted, that it allows none of it. */
  taken?: string;
  forbidden?: true;
}

/** One entry of a granted power, as JSON. */
export interface EntryState {
  entry: string;
  used: number;
  /** In the whole record. Left out: never, as far as it says. */
  lastUse?: string;
}

/** What a person decided about a hook: what became of what. */
interface DecisionMade {
  time: string;
  /** `granted`, `revoked`, `added` and so on. */
  outcome: string;
  power?: string;
  value?: string;
}

/** One hook in a report. */
export interface ReportedHook {
  /** The shortest name that means it alone. */
  name: string;
  id: string;
  /** Its name in the lock and the grants, if that is not its id. */
  key?: string;
  origin: string;
  /** Where it came from: a source, or the path of its file. */
  source?: string;
  version?: string;
  provenance?: "none" | "signed" | "attested";
  publisher?: string;
  builder?: string;
  digest?: string;
  grantedAt?: string;
  /** A newer version that asks for more or guards less, and waits for a person. */
  pending?: { version: string; wider: string[] };
  /**
   * `active`: nothing speaks against it. `pending`: nobody accepted it, so it does nothing. `stopped` and `failed`: it blocks what it
   * guards. `disabled`: a person disabled it in all projects. `granted`: only the grants name it. `recorded`: only the record does.
   */
  state: "active" | "pending" | "stopped" | "failed" | "disabled" | "granted" | "recorded";
  /** Why its latest load failed, and the policy that did not allow it, as far as the record says. */
  failure?: { reason?: string; policy?: string };
  /** Another hook has its id, and the record does not tell them apart. */
  shared?: true;
  lastUse?: string;
  lastBlock?: { time: string; what: string };
  crashes: number;
  /** How often it ran as a trusted hook, without a sandbox. */
  unsandboxed: number;
  counts: Partial<Record<Deed, number>>;
  powers: PowerState[];
  /** Powers that it has no more, since its files changed. */
  stale?: StalePower[];
  /** The newest, of the whole record, oldest first. */
  decisions: DecisionMade[];
}
