import { basename } from "node:path";
import type { DialectName } from "../../sandbox/wire/messages.ts";
import { cleanLine } from "../base/text.ts";
import type { Bundle } from "../bundle/cache.ts";
import type { SourcePositions } from "../bundle/source-positions.ts";
import { type Grant, type GrantEntry, grantOf } from "../grants/grant.ts";
import type { Manifest } from "../grants/manifest.ts";
import { may, mayBlock, mayFor, sees } from "../powers/events.ts";
import type { LockEntry } from "../store/hooks-lock.ts";
import type { OfProject } from "../store/proposed.ts";
import type { Hosting } from "../supervisor/hosting.ts";
import type { Failure } from "../supervisor/outcome.ts";

/**
 * `pending`: never accepted, inert. `starting`, `failed` (would not load) and `stopped` (crashed too often) block guarded
 * calls. `changed`: runs from its accepted bytes.
 */
export type HookState = "active" | "pending" | "starting" | "failed" | "stopped" | "changed";

/** Where a hook comes from, which decides whom it shares a process with and whether it must be accepted. */
export type Origin =
  | { kind: "option" }
  | { kind: "file" }
  | { kind: "user"; folder: string }
  | { kind: "settings" }
  | { kind: "project"; folder: string }
  /** `folder`: of its package. `entry`: what the user's lock says of it, or the project's where nobody accepted it. */
  | { kind: "installed"; folder: string; entry: LockEntry; ofProject?: OfProject };

/** Names (of tools, of agents) for which a hook's priority is kept: an agent may make up any number. */
const MAX_PRIORITIES = 1000;

/** One hook of a host. */
export class Hook {
  readonly id: string;
  /** Its name in the user's grants: its id, with the project before it for what is installed for a project. */
  readonly key: string;
  /** As configured. */
  readonly path: string;
  /** Real and absolute, as far as it exists. */
  readonly realPath: string;
  readonly origin: Origin;
  readonly trusted: boolean;
  /** The entry that the embedding agent gave it. */
  readonly given: GrantEntry | undefined;
  dialect: DialectName = "pi";
  /** The dialect it is written in, where that is known before it runs. */
  named: DialectName | "" = "";
  digest: string | undefined;
  /** Digest of what stands in its folder now, which a person may accept. */
  offered: string | undefined;
  grant: Grant;
  manifest: Manifest | undefined;
  root: string;
  bundle: Bundle | undefined;
  positions: SourcePositions | undefined;
  state: HookState = "starting";
  /** It runs from its accepted bytes, since its source is another now, or gone: this says which, and the way out. */
  changed: string | undefined;
  failure: Failure | undefined;
  /** Its handlers have matchers or priorities: its priority is to be asked for. */
  hasMatchers = false;
  /** Parts of its agent's API that it wanted while it loaded and goes without. */
  unsupported: readonly string[] = [];
  /** Where it runs. */
  hosting: Hosting | undefined;
  /** While it is being built and started anew. */
  bringingUp: Promise<void> | undefined;
  /** Its place among the hooks of its host, as they were found. */
  loadOrder = 0;
  /** A person took it out of this session. */
  disabled = false;
  /** Calls it blocked in a row. */
  blocks = 0;
  /** Isolates of it that have loaded: the one that runs now is the latest. */
  #instance = 0;
  /** The instance that was told of the session as it is now. */
  #toldSession = 0;
  /** The digest of which an instance had handlers of tool calls. */
  #guarded: string | undefined;
  /** The latest instance has, or had, and what its digest is. */
  #guards = false;
  #instanceDigest: string | undefined;
  #events: ReadonlyMap<string, number> = new Map();
  /** What it answered about its priority, by event type and name; `undefined` where it wants none of those. */
  readonly #priorities = new Map<string, number | undefined>();

  constructor(options: {
    id: string;
    key: string;
    path: string;
    realPath: string;
    root: string;
    origin: Origin;
    trusted: boolean;
    given: GrantEntry | undefined;
  }) {
    this.id = options.id;
    this.key = options.key;
    this.path = options.path;
    this.realPath = options.realPath;
    this.root = options.root;
    this.origin = options.origin;
    this.trusted = options.trusted;
    this.given = options.given;
    this.grant = grantOf(options.given);
  }

  /** What people call it: the last part of a path. */
  get name(): string {
    // A file may be called anything. Brackets stand around a name before a hook's words.
    return cleanLine(this.id === this.realPath ? basename(this.id) : this.id, 200).replace(/[[\]]/g, "?");
  }

  /** The user did not name it: it does nothing until a person accepts it at its digest. */
  get mustBeAccepted(): boolean {
    return this.origin.kind === "project" || this.origin.kind === "installed";
  }

  /** It may hear events of this type by its grant. */
  sees(type: string): boolean {
    return this.trusted || sees(this.grant.capabilities.events, type);
  }

  get mayBlock(): boolean {
    return this.trusted || mayBlock(this.grant.capabilities.events);
  }

  /** It may keep or change one of these by its grant. */
  may(right: "cancel" | "compact" | "rewriteMessage" | "rewriteParams"): boolean {
    return this.trusted || may(this.grant.capabilities.events, right);
  }

  mayFor(right: "guardResult" | "rewriteInput" | "rewriteResult", tool: string): boolean {
    if (this.trusted) return right !== "guardResult";
    return mayFor(this.grant.capabilities.events, right, tool);
  }

  /** Resolves when it is not being started any more. */
  async settled(): Promise<void> {
    await this.bringingUp;
    await this.hosting?.supervisor.settled();
  }

  /** It is loaded and answers. */
  get isUp(): boolean {
    return this.state === "active" || this.state === "changed";
  }

  /** It cannot judge, and it might have: what it guards is blocked. */
  get isDown(): boolean {
    return !this.disabled && (this.state === "failed" || this.state === "stopped");
  }

  /** It has a handler for events of this type, as far as known. */
  handles(type: string): boolean {
    if (this.disabled || !this.sees(type)) return false;
    return (this.isUp || this.state === "starting") && (this.events.get(type) ?? 0) > 0;
  }

  /** Handlers by event type; empty until loaded. */
  get events(): ReadonlyMap<string, number> {
    return this.#events;
  }

  /** Its handlers are others now, and so may be what they want. */
  set events(events: ReadonlyMap<string, number>) {
    this.#events = events;
    this.#priorities.clear();
    if ((events.get("tool_call") ?? 0) > 0) this.#guards = true;
  }

  /** A new isolate has loaded its bundle: what it registers is yet to be seen. */
  begin(): void {
    if (this.#guards) this.#guarded = this.#instanceDigest;
    this.#instance++;
    this.#instanceDigest = this.digest;
    this.#guards = false;
  }

  /** It is known to guard tool calls: this very digest did, when a person accepted it. */
  expectGuard(): void {
    this.#guarded = this.digest;
  }

  /** It guarded tool calls, and since it was restarted it does not. */
  get lacksGuard(): boolean {
    const guarded = this.#guarded !== undefined && this.#guarded === this.digest && !this.#guards;
    return guarded && this.isUp && !this.disabled && this.mayBlock && this.sees("tool_call");
  }

  /** Its latest instance has not heard of the session that it is in. */
  get missedSession(): boolean {
    return this.#toldSession < this.#instance && this.handles("session");
  }

  /** It has heard of the session as it is now, or is being told. */
  tellSession(): void {
    this.#toldSession = this.#instance;
  }

  knowsPriority(type: string, name: string): boolean {
    return this.#priorities.has(`${type} ${name}`);
  }

  keepPriority(type: string, name: string, priority: number | undefined): void {
    if (this.#priorities.size >= MAX_PRIORITIES) this.#priorities.clear();
    this.#priorities.set(`${type} ${name}`, priority);
  }

  /** Its priority among those that hear such an event; `undefined` where none of its handlers wants it. */
  priorityFor(type: string, name: string): number | undefined {
    const key = `${type} ${name}`;
    return this.#priorities.has(key) ? this.#priorities.get(key) : this.grant.priority;
  }

  /** It hears tool calls and has no say in them: its verdict is dropped, and that is told. */
  get observesCalls(): boolean {
    return !this.mayBlock && this.handles("tool_call");
  }

  /** Tool calls must be asked about: it guards them, or nobody knows yet whether it does. */
  get guardsCalls(): boolean {
    if (this.disabled || !this.mayBlock || !this.sees("tool_call")) return false;
    return this.isDown || this.state === "starting" || this.lacksGuard || this.handles("tool_call");
  }
}
