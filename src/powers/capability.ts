import type { ArgumentsOf, OperationName } from "../../sandbox/wire/operations.ts";
import type { PreparedEvent } from "../supervisor/prepared-event.ts";
import type { WaitsFor } from "../supervisor/task.ts";
import type { ExecGrant } from "./exec-grant.ts";
import type { FsGrant } from "./fs-grant.ts";
import type { Session } from "./lent-session.ts";
import type { Screens } from "./screens.ts";
import type { SqliteGrant } from "./sqlite-grant.ts";

/** What a hook's manifest says that it needs, as far as powers look at it. */
export interface Wanted {
  readonly capabilities?: { readonly fs?: FsGrant };
  readonly optional?: { readonly fs?: FsGrant };
}

/** What a request is judged and done with. */
export interface Circumstances {
  readonly hook: {
    readonly id: string;
    readonly name: string;
    readonly manifest?: Wanted | undefined;
    /** Real path of its own folder. */
    readonly root?: string;
    readonly screens?: Screens | undefined;
    /** Bytes of answers that its process has not read yet. */
    readonly unread: number;
    /** What it may do now. */
    readonly grant?: {
      readonly capabilities: { readonly fs?: FsGrant; readonly exec?: ExecGrant; readonly sqlite?: SqliteGrant };
    };
  };
  readonly session: Session;
  /** The event in whose handler the hook asked; `undefined` when it asked at another time. */
  readonly event: PreparedEvent | undefined;
  /** The hook no longer wants it, or is gone. */
  readonly signal: AbortSignal;
  /** The hook's process reads nothing before it has the answer. */
  readonly blocks: boolean;
  /**
   * For what stays in the host after the answer: `end` is called when the isolate is gone, or the grant covers the request no
   * more. `over`: aborted once it has ended, however it did.
   */
  last(end: () => void, over: AbortSignal): void;
  /** For what waits for a person: whether they see it. While they do not, the hook's clock runs. */
  seen(isSeen: boolean): void;
  /** Writes a further line about the request, before what it goes on to do. Throws `NOT_GRANTED` if that cannot be written. */
  also(value: string): void;
}

/** One checked request. No other file can make one: only a check that passed leads to it, and `perform` takes nothing else. */
class Permit<Checked> {
  readonly #checked: Checked;

  constructor(checked: Checked) {
    this.#checked = checked;
  }

  get checked(): Checked {
    return this.#checked;
  }
}

/** One thing a hook can ask of the host. `Checked` is what its check finds that is to be done. */
export interface Capability<Name extends OperationName, Grant, Request, Checked = Request> {
  /** Takes the arguments, which are of the operation's shapes. Throws for what no honest program asks. */
  read(args: ArgumentsOf<Name>): Request;
  /** What the permit holds, if the grant covers the request. */
  check(request: Request, grant: Grant | undefined, circumstances: Circumstances): Checked | undefined;
  perform(permit: Permit<Checked>, circumstances: Circumstances): Promise<unknown>;
  /** What is asked for, for messages and the audit. */
  describe(request: Request): string;
  /** What programs of all kinds look for and get on without: no person is asked, and no error told. */
  isIdle?(request: Request, circumstances: Circumstances): boolean;
  /** What is not seen in the description, for the audit: where it leads. */
  found?(checked: Checked, circumstances: Circumstances): string | undefined;
  /** Where it leads, if that is elsewhere than it says. A person who is asked sees it; the hook is not told. */
  leads?(request: Request, circumstances: Circumstances): string | undefined;
  /** For what a request opens as it arrives, before anybody has decided about it. Returns what ends it, once it is answered. */
  begin?(request: Request, circumstances: Circumstances): () => void;
  /**
   * For a request about what the hook has already, such as a connection: the answer where it has none, or no more. Nothing is
   * used then, so nothing is checked or written to the audit. Throws what a program is told.
   */
  without?(request: Request, circumstances: Circumstances): { readonly value: unknown } | undefined;
  /**
   * The smallest sensible grant that covers the request, for a person to decide about; `undefined` if none could. It costs
   * more than `check`: to be called only when somebody will be asked or told. Left out where no grant is needed.
   */
  propose?(request: Request, circumstances: Circumstances): Grant | undefined;
  /** What the hook is told would be enough, where a proposal depends on what is on the disk. Left out: the proposal. */
  tells?(request: Request, circumstances: Circumstances): Grant | undefined;
  /** Waits under a deadline of its own: the hook's clock stands still meanwhile. */
  readonly waits?: WaitsFor | ((request: Request) => WaitsFor);
  /** Most characters of all such requests of one hook that may wait at once, where the broker's own limit is not right. */
  readonly maxWaiting?: number;
  /**
   * It goes on to what its arguments do not name, as far as it was granted when it began: it ends when the power becomes less.
   */
  readonly reaches?: boolean | undefined;
  /** Most uses in a minute. */
  perMinute(grant: Grant | undefined): number;
  /** Where a part of the grant has a limit of its own: its name in the power, and most uses of it in a minute. */
  counts?(checked: Checked, grant: Grant | undefined): Counted;
}

interface Counted {
  readonly as: string;
  readonly perMinute: number;
}

/** A request that its grant covers. */
export interface Permitted {
  /** Does it. */
  perform(): Promise<unknown>;
  /** What is counted beside all uses of its operation. */
  readonly counted: Counted | undefined;
  /** Where it leads, if it does not say so. */
  found(): string | undefined;
}

/** A request as the broker sees it, which knows nothing of any one power. `powers`: what the hook was granted, by power. */
export interface Asked {
  /** `undefined` if the powers do not cover it. */
  check(powers: object): Permitted | undefined;
  begin(): (() => void) | undefined;
  without(): { readonly value: unknown } | undefined;
  /** Whom the hook waits for, if its clock stands still. */
  readonly waits: WaitsFor | undefined;
  describe(): string;
  isIdle(): boolean;
  leads(): string | undefined;
  propose(): unknown;
  tells(): unknown;
}

/** A capability without its types. */
export type AnyCapability = Pick<Capability<never, never, never>, "maxWaiting" | "reaches"> & {
  /** The hook's clock stands still meanwhile. */
  readonly waits: boolean;
  /** The key of a manifest's or grant's `capabilities` it belongs to. */
  readonly capability: string;
  isGranted(powers: object): boolean;
  perMinute(powers: object): number;
  /** `args` are of the operation's shapes. */
  ask(args: readonly unknown[], circumstances: Circumstances): Asked;
};

/** The one place where a checked frame and a checked grant get their types. Returns the capability by its operation's name. */
export function sealed<Name extends OperationName, Grant, Request, Checked>(
  name: Name,
  capability: Capability<Name, Grant, Request, Checked>,
): Record<Name, AnyCapability> {
  const [power = ""] = name.split(".", 1);
  const grantIn = (powers: object): Grant | undefined =>
    Object.hasOwn(powers, power) ? (powers as Record<string, Grant>)[power] : undefined;
  const untyped: AnyCapability = {
    capability: power,
    waits: capability.waits !== undefined,
    maxWaiting: capability.maxWaiting,
    reaches: capability.reaches,
    isGranted: (powers) => grantIn(powers) !== undefined,
    perMinute: (powers) => capability.perMinute(grantIn(powers)),
    ask(args, circumstances) {
      const request = capability.read(args as ArgumentsOf<Name>);
      const { waits } = capability;
      return {
        waits: typeof waits === "function" ? waits(request) : waits,
        check(powers) {
          const checked = capability.check(request, grantIn(powers), circumstances);
          if (checked === undefined) return undefined;
          return {
            perform: () => capability.perform(new Permit(checked), circumstances),
            counted: capability.counts?.(checked, grantIn(powers)),
            found: () => capability.found?.(checked, circumstances),
          };
        },
        begin: () => capability.begin?.(request, circumstances),
        without: () => capability.without?.(request, circumstances),
        describe: () => capability.describe(request),
        isIdle: () => capability.isIdle?.(request, circumstances) === true,
        leads: () => capability.leads?.(request, circumstances),
        propose: () => capability.propose?.(request, circumstances),
        tells: () => (capability.tells ?? capability.propose)?.call(capability, request, circumstances),
      };
    },
  };
  return { [name]: untyped } as Record<Name, AnyCapability>;
}
