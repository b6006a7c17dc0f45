import { existsSync } from "node:fs";
import { basename } from "node:path";
import type { DialectName } from "../../sandbox/wire/messages.ts";
import type { RegistrationKind } from "../../sandbox/wire/registrations.ts";
import { shownName } from "../base/text.ts";
import type { Bundle } from "../bundle/cache.ts";
import type { SourcePositions } from "../bundle/source-positions.ts";
import { type Grant, type GrantEntry, grantOf } from "../grants/grant.ts";
import type { Manifest } from "../grants/manifest.ts";
import type { Capabilities } from "../grants/schema.ts";
import { type EventRight, EventRights, may, mayFor } from "../powers/events.ts";
import type { Screens } from "../powers/screens.ts";
import { offersCommand, offersTool } from "../powers/tools.ts";
import { changesMarkdown, mayDraw, readsTyping } from "../powers/ui-grant.ts";
import type { LockEntry } from "../store/hooks-lock.ts";
import type { OfProject } from "../store/proposed.ts";
import type { Hosting } from "../supervisor/hosting.ts";
import type { Failure } from "../supervisor/outcome.ts";
import { GuardMemory } from "./guard-memory.ts";
import { Registrations } from "./registrations.ts";
import { REMEDIES, type Remedies } from "./remedies.ts";
import type { Telling } from "./telling.ts";

/**
 * `pending`: never accepted, inert. `starting`, `failed` (would not load) and `stopped` (crashed too often) block guarded
 * calls. `changed`: runs from its accepted bytes.
 */
export type HookState = "active" | "pending" | "starting" | "failed" | "stopped" | "changed";

/** Where a hook comes from. This decides with which hooks it shares a process, and whether it must be accepted. */
export type Origin =
  | { kind: "option" }
  | { kind: "file" }
  | { kind: "user"; folder: string }
  | { kind: "settings" }
  | { kind: "project"; folder: string }
  /** `folder`: its package's. `entry`: the user's lock entry, or the project's if nobody accepted the hook. */
  | { kind: "installed"; folder: string; entry: LockEntry; ofProject?: OfProject };

/** Most names (of tools, of agents) for which a hook's priority is kept: an agent may invent any number of them. */
const MAX_PRIORITIES = 1000;

/** One hook of a host. */
export class Hook {
  readonly id: string;
  /** Its name in the user's grants: its id, after the project's path if it is installed for a project. */
  readonly key: string;
  /** How a person names it in a command. */
  readonly typed: string;
  /** As configured. */
  readonly path: string;
  /** Real and absolute, as far as it exists. */
  readonly realPath: string;
  readonly origin: Origin;
  readonly trusted: boolean;
  /** The entry that the embedding agent gave it. */
  readonly given: GrantEntry | undefined;
  /** Another hook of the session has a file of the same name. */
  hasNamesake = false;
  dialect: DialectName = "pi";
  /** The dialect it is written in, where that is known before it runs. */
  named: DialectName | "" = "";
  digest: string | undefined;
  /** Digest of the files in its folder now, which a person may accept. */
  offered: string | undefined;
  grant: Grant;
  /** What it was granted before its files changed, and has no more. */
  lost: Capabilities | undefined;
  /** The powers that were granted when it was loaded, of which policies may have taken some. */
  grantedAll: Capabilities | undefined;
  manifest: Manifest | undefined;
  root: string;
  bundle: Bundle | undefined;
  positions: SourcePositions | undefined;
  state: HookState = "starting";
  /** Set if it runs from its accepted bytes because its source changed or is gone. Says which, and the way out. */
  changed: string | undefined;
  failure: Failure | undefined;
  /** The JSON Schema of its configuration, if it is a plugin that has one. */
  configSchema: Readonly<Record<string, unknown>> | undefined;
  /** Its handlers have matchers or priorities of their own: it is asked for its priority. */
  hasMatchers = false;
  /** Parts of its agent's API that it used while it loaded and that Cordon does not offer. */
  unsupported: readonly string[] = [];
  /** The counted branches of its code that ran, by their index in its bundle. */
  readonly reached = new Set<number>();
  /** Where it runs. */
  hosting: Hosting | undefined;
  /** Its components that are shown. */
  screens: Screens | undefined;
  /** What it adds to the agent, granted or not. */
  readonly registrations = new Registrations();
  /** Set while it handles the event that began the session, and if it does not: what it hears is known after that. */
  telling: Telling | undefined;
  /** Set while it is being built and started again. */
  bringingUp: Promise<void> | undefined;
  /** Its index among the hooks of its host, in the order in which they were found. */
  loadOrder = 0;
  /** A policy requires it: nobody here can put it out of force. */
  required = false;
  /** A person disabled it, for this session or for longer. */
  disabled = false;
  /** How many calls it blocked in a row. */
  blocks = 0;
  /** How many calls it blocked in this session, also by being down. */
  blocked = 0;
  /** When it last heard an event or used a power, in ms since the epoch. */
  lastUse: number | undefined;
  /** Bytes in use when last measured. */
  memory: number | undefined;
  /** What a person does about it, in words for its agent. */
  remedies: Remedies = REMEDIES;
  /** The file that was named for the session, if it has its grants. */
  grantsFile: string | undefined;
  /** How many isolates of it have loaded: the latest one runs now. */
  #instance = 0;
  /** The instance that was told of the session as it is now. */
  #toldSession = 0;
  /** How often it was told of a session. */
  timesTold = 0;
  readonly #guards = new GuardMemory();
  #events: ReadonlyMap<string, number> = new Map();
  #knownRights = new EventRights(undefined);
  /** Its priorities by event type and name; `undefined` if it does not want such an event. */
  readonly #priorities = new Map<string, number | undefined>();

  constructor(options: {
    id: string;
    key: string;
    typed: string;
    path: string;
    realPath: string;
    root: string;
    origin: Origin;
    trusted: boolean;
    given: GrantEntry | undefined;
  }) {
    this.id = options.id;
    this.key = options.key;
    this.typed = options.typed;
    this.path = options.path;
    this.realPath = options.realPath;
    this.root = options.root;
    this.origin = options.origin;
    this.trusted = options.trusted;
    this.given = options.given;
    this.grant = grantOf(options.given);
  }

  /** Whoever named it named no file. */
  get isNowhere(): boolean {
    return this.origin.kind === "option" && !existsSync(this.realPath);
  }

  /** Its short name for people: of a path, the last part, unless another hook would be called the same. */
  get name(): string {
    // A file may have any name. Brackets are replaced, since they mark a hook's name before its text.
    const shown = this.id === this.realPath && !this.hasNamesake ? basename(this.id) : this.id;
    return shownName(shown, 200).replace(/[[\]]/g, "?");
  }

  /** Bytes of answers that its process has not read yet. */
  get unread(): number {
    return this.hosting?.supervisor.unread ?? 0;
  }

  /** True unless the user named it: it does nothing until a person accepts its digest. */
  get mustBeAccepted(): boolean {
    return this.origin.kind === "project" || this.origin.kind === "installed";
  }

  /** What its grant says of events now. */
  get #rights(): EventRights {
    const { events } = this.grant.capabilities;
    if (this.#knownRights.grant !== events) this.#knownRights = new EventRights(events);
    return this.#knownRights;
  }

  /** Its grant lets it see events of this type. */
  sees(type: string): boolean {
    return this.trusted || this.#rights.sees(type);
  }

  /** Its failures block nothing. A grant may say so, but not of a hook that a policy requires. */
  get failsOpen(): boolean {
    return this.grant.failure === "open" && !this.required;
  }

  get mayBlock(): boolean {
    return this.trusted || this.#rights.mayBlock;
  }

  /** Its grant gives it this right. */
  may(right: EventRight): boolean {
    return this.trusted || may(this.grant.capabilities.events, right);
  }

  mayFor(right: "guardResult" | "rewriteInput" | "rewriteResult", tool: string): boolean {
    if (this.trusted) return right !== "guardResult";
    return mayFor(this.grant.capabilities.events, right, tool);
  }

  /** Its grant lets it offer this to the agent. The person sets a flag, so it needs none. */
  mayOffer({ kind, name }: { kind: RegistrationKind; name: string }): boolean {
    if (this.trusted || kind === "flag") return true;
    const { tools, commands } = this.grant.capabilities;
    if (kind === "tool") return offersTool(tools, name);
    if (kind === "command" || kind === "shortcut") return offersCommand(commands, name);
    if (kind === "markdownTransformer") return changesMarkdown(this.grant.capabilities.ui);
    return kind === "completer" || kind === "keyListener" ? this.readsTyping : this.mayDraw;
  }

  /** Its grant lets it draw components. */
  get mayDraw(): boolean {
    return this.trusted || mayDraw(this.grant.capabilities.ui);
  }

  /** Its grant lets it read what the person types. */
  get readsTyping(): boolean {
    return this.trusted || readsTyping(this.grant.capabilities.ui);
  }

  /** Resolves when no start of it is under way. */
  async whenStarted(): Promise<void> {
    await this.bringingUp;
    await this.hosting?.supervisor.whenStarted();
  }

  /** True if it is loaded and answers. */
  get isUp(): boolean {
    return this.state === "active" || this.state === "changed";
  }

  /** True if it cannot judge: what it guards is blocked. */
  get isDown(): boolean {
    return !this.disabled && (this.state === "failed" || this.state === "stopped");
  }

  /** True if its latest instance did not handle the start of the session in time: what it guards is blocked. */
  get isStuck(): boolean {
    return this.telling?.stuckSince !== undefined;
  }

  /** True if it has a handler for events of this type, as far as known. */
  handles(type: string): boolean {
    if (this.disabled || !this.sees(type)) return false;
    return (this.isUp || this.state === "starting") && (this.events.get(type) ?? 0) > 0;
  }

  /** Handlers by event type; empty until loaded. */
  get events(): ReadonlyMap<string, number> {
    return this.#events;
  }

  /** Replaces its handlers, and forgets its priorities. */
  set events(events: ReadonlyMap<string, number>) {
    this.#events = events;
    this.#priorities.clear();
    this.#guards.has(events);
  }

  /** A new isolate has loaded its bundle, and has not registered handlers yet. */
  begin(): void {
    this.#instance++;
    if (this.telling?.isAsked) this.telling = undefined;
    this.#guards.begin(this.digest);
  }

  /** Notes that this digest guarded tool calls when a person accepted it. */
  expectGuard(): void {
    this.#guards.expect(this.digest);
  }

  /** True if it had handlers for these before it was restarted, and has none now. */
  lacks(type: string): boolean {
    return this.#guards.lacks(type, this.digest) && this.isUp && !this.disabled && this.sees(type);
  }

  /** True if it guarded tool calls before it was restarted, and does not now. */
  get lacksGuard(): boolean {
    return this.mayBlock && this.lacks("tool_call");
  }

  /** True if it cannot judge these, although it may have to. */
  isOutFor(type: string): boolean {
    return this.isDown || this.state === "starting" || this.telling !== undefined || this.lacks(type);
  }

  /** True if a person's permission, or command, must wait for it: it refuses some, or it is not known yet whether it does. */
  guardsPerson(type: string): boolean {
    if (this.disabled || !this.sees(type)) return false;
    const mayRefuse =
      type === "permission_request" ? this.mayBlock : type === "user_bash" && this.may("rewriteUserInput");
    return mayRefuse && (this.isOutFor(type) || this.handles(type));
  }

  /** True if its latest instance has not received the current session event. */
  get missedSession(): boolean {
    return this.#toldSession < this.#instance && this.handles("session");
  }

  /** A session has begun of which it has not heard. */
  missSession(): void {
    this.#toldSession = 0;
  }

  /** Notes that its latest instance has received the current session event. */
  tellSession(): void {
    this.#toldSession = this.#instance;
    this.timesTold++;
  }

  knowsPriority(type: string, name: string): boolean {
    return this.#priorities.has(`${type} ${name}`);
  }

  keepPriority(type: string, name: string, priority: number | undefined): void {
    if (this.#priorities.size >= MAX_PRIORITIES) this.#priorities.clear();
    this.#priorities.set(`${type} ${name}`, priority);
  }

  /** Its priority for such an event; `undefined` if none of its handlers wants it. */
  priorityFor(type: string, name: string): number | undefined {
    const key = `${type} ${name}`;
    return this.#priorities.has(key) ? this.#priorities.get(key) : this.grant.priority;
  }

  /** True if it only observes tool calls: its verdict is dropped, which is reported. */
  get observesCalls(): boolean {
    return !this.mayBlock && this.handles("tool_call");
  }

  /** True if tool calls must wait for it: it guards them, or it is not known yet whether it does. */
  get guardsCalls(): boolean {
    if (this.disabled || !this.mayBlock || !this.sees("tool_call")) return false;
    if (this.isDown || this.state === "starting" || this.telling) return true;
    return this.lacksGuard || this.handles("tool_call");
  }
}
