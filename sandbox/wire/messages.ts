import type { PluginSettings } from "./plugin-settings.ts";
import type { Description, RegistrationKind } from "./registrations.ts";
import type { ScreenChange } from "./screens.ts";

/**
 * The wire between the host (`src/`) and a sandbox process, declared once for both sides.
 *
 * A frame is `u32 length | u8 kind | u32 number | UTF-8 text`, little-endian; `length` counts what follows it.
 * `number` is the isolate the frame is about, unless said otherwise below.
 */
export const FRAME_HEADER_BYTES = 9;

/**
 * Largest frame from a sandbox, and of an event to it. The guest half refuses an answer of a hook that is larger. A process that sends more is
 * killed before its bytes are parsed.
 */
export const MAX_FRAME_BYTES = 8 * 1024 * 1024;

/** Largest bundle in bytes. */
export const MAX_BUNDLE_BYTES = 16 * 1024 * 1024;

/** Largest frame to a sandbox: one that loads the largest bundle. */
export const MAX_FRAME_TO_SANDBOX_BYTES = MAX_BUNDLE_BYTES + 1024 * 1024;

/** Deepest nesting of a value from a guest. Real results have under ten levels, and every walk over a value recurses. */
export const MAX_DEPTH = 64;

/** Most members of all arrays and objects together: otherwise 8 MB of `[` and `,` would become gigabytes. */
export const MAX_MEMBERS = 200_000;

/**
 * Most members of a verdict on an event, or of a result: a hook may change what it was given, and add as much as a call may have. What
 * it registered, such as a tool, may say anything. `given`: JSON of what it was given.
 */
export const mostMembers = (type: string, given: readonly string[]): number =>
  type === "run"
    ? MAX_MEMBERS
    : Math.min(
        MAX_MEMBERS,
        given.reduce((sum, json) => sum + membersIn(json), MAX_CALL_MEMBERS),
      );

/**
 * No text of JSON has more members: each comes after a comma, or is the first of a list or an object. It is counted to the limit
 * and no further, without a list of the parts: a text of 8 MB may have millions.
 */
function membersIn(json: string): number {
  let members = 3;
  for (const mark of [",", "[", "{"])
    for (let at = json.indexOf(mark); at >= 0 && members < MAX_MEMBERS; at = json.indexOf(mark, at + 1)) members++;
  return members;
}

/** Most names of one object: each costs the host ten times what an item of a list costs. */
export const MAX_NAMES = 20_000;

/** Most members of anything but a verdict: no power needs more, and each costs the host more than the guest. */
export const MAX_CALL_MEMBERS = 10_000;

/** Most handlers of one hook for one event, most event types, and the longest name of an event type. */
export const MAX_HANDLERS = 100;
export const MAX_EVENT_TYPES = 64;
export const MAX_NAME = 64;

/** Most reported parts of its agent's API that a bundle lacks, and the longest text for each. */
export const MAX_UNSUPPORTED = 50;
export const MAX_UNSUPPORTED_NAME = 100;

/** Most branches of a bundle that are counted: each reports once when it runs, in a frame of its own. */
export const MAX_BRANCHES = 2000;

/** Longest name of a tool, as in grants. */
export const MAX_TOOL_NAME = 128;

/** A folder that is nowhere. A path in it stands for what the agent has and hooks have not: nobody is asked about it. */
export const NOWHERE = "/not-for-hooks";

/** Host to sandbox. The host is trusted, so these are not validated again. */
export const ToSandbox = {
  /** Create an isolate. Text: JSON of {@link LoadIsolate}, a line feed, and the built bundle. */
  load: 0x4c,
  /** Create an isolate for a bundle that may come. Number: the size of its heap in MB. */
  prepare: 0x57,
  /** Deliver one event to several isolates in turn. Number: dispatch id. Text: `1,2,3\n` and the event as for one. */
  run: 0x52,
  /**
   * Deliver to one isolate: the JSON of a {@link ToGuest}, or a letter, the id of a task, `:` and JSON: `E` and an
   * {@link Envelope}, or `Q` and a {@link PriorityQuestion}.
   */
  text: 0x54,
  /** Dispose of an isolate. */
  drop: 0x44,
  /** Number: an arbitrary one, to be sent back. */
  ping: 0x50,
  /** Say how large an isolate is. */
  measure: 0x4d,
} as const;

/** Sandbox to host. An attacker may send any of these. */
export const ToHost = {
  /** The addon is loaded and all permissions are dropped. Text: the kernel's layers that confine it, separated by commas. */
  ready: 0x72,
  /** JSON of a {@link FromGuest} message. */
  message: 0x6d,
  /**
   * A verdict: `1` if later hooks of the run are not asked, else `0`; a {@link VerdictKind}; the dispatch id; `:`; the JSON
   * of a {@link Verdict}. Sent after the entry that made it has returned.
   */
  verdict: 0x76,
  /** Text: the id of a run. This isolate let the event pass, and so did all before it in the run that have not answered. */
  passed: 0x61,
  /** The id of a query, `:` and the JSON of a {@link PriorityAnswer}. Sent after the entry that made it has returned. */
  priority: 0x71,
  /** JSON of a {@link SyncRequest}. The sandbox blocks until the answer arrives on its second pipe. */
  sync: 0x73,
  /** Answer to a ping: its number. */
  pong: 0x70,
  /** Answer to a measure: bytes, as a decimal number. */
  measured: 0x7a,
  /** Answer to a drop, which may have waited for an entry into the isolate to end. */
  dropped: 0x64,
  /** An entry into the isolate failed. Text: a {@link Fault}, `:` and the id of the task that was delivered by it, or 0. */
  fault: 0x66,
} as const;

/** Why an entry into an isolate failed. What it threw, as JSON of a {@link GuestError}, follows on the next line if it is known. */
export type Fault = "cpu" | "memory" | "threw" | "compile";

export interface LoadIsolate {
  memoryMb: number;
  /** Longest entry in ms of wall time. It only ends honest loops; the host's clock is the limit. */
  entryTimeoutMs: number;
  /** JSON of a {@link GuestInit}, handed to the guest runtime as text. */
  init: string;
}

/** The agents' APIs that a bundle can be written for. */
export const DIALECTS = ["pi", "interceptors", "openclaw", "strands"] as const;
export type DialectName = (typeof DIALECTS)[number];

/** Asks a bundle for its priority for events of this type about `name`, a tool's name or an agent's id. */
export interface PriorityQuestion {
  type: string;
  name: string;
}

/** Answer to a {@link PriorityQuestion}. Without `priority` and `error`, no handler wants such an event. */
export interface PriorityAnswer {
  priority?: number;
  error?: GuestError;
}

/** `pid`: of the agent. A hook that watches for its agent's end looks for that process. */
export interface Machine {
  readonly home: string;
  readonly tmp: string;
  readonly platform: string;
  readonly arch: string;
  readonly pid: number;
}

export interface GuestInit {
  hook: string;
  /** A {@link DialectName}, or empty if the bundle's exports decide. */
  dialect: DialectName | "";
  cwd: string;
  /** The hook's priority, for handlers that have none of their own. */
  priority: number;
  /** A failing handler does not block a guarded call: the grant's `failure` is `open`. */
  failOpen: boolean;
  /** `new Function` and `eval` work: the grant has `limits.eval`. */
  eval: boolean;
  /** `WebAssembly` is there: the grant has `limits.wasm`. */
  wasm: boolean;
  /** How many counters are in its code: it reports which of its branches run. */
  branches: number;
  /** Fields of events that this hook may read with its `session` power. */
  session: readonly string[];
  /** What `node:os` and `process` say of the machine. */
  machine: Machine;
  /** The configuration of a plugin, if it has one. */
  plugin?: PluginSettings;
}

/** The state of the agent, as far as it says. Taken once for each event, and when a handler that waits asks again. */
export interface AgentState {
  mode?: "tui" | "rpc" | "json" | "print";
  model?: unknown;
  scopedModels?: readonly unknown[];
  thinkingLevel?: string;
  contextUsage?: { tokens: number | null; contextWindow: number; percent: number | null };
  isIdle?: boolean;
  hasPendingMessages?: boolean;
  isProjectTrusted?: boolean;
  /** Names the theme of colours. It changes when they do. */
  theme?: string;
}

/** An event, with what every isolate of a run needs to know about it. */
export interface Envelope {
  event: { type: string; [field: string]: unknown };
  /** What the guest adds to `event`. */
  added?: AddedFields;
  hasUI: boolean;
  sessionFile: string | null;
  state?: AgentState;
}

/** Fields left out of an event. */
export interface AddedFields {
  /** Fetched by a {@link SyncRequest} when first read. */
  readonly withheld: readonly string[];
  /** Functions or signals in the agent. The guest replaces them by its own. */
  readonly live: readonly ("resolveApiKey" | "signal")[];
}

/** Host to guest, as JSON text. Answers to calls are in Comlink's own wire form. */
export type ToGuest =
  | {
      t: "reply";
      reply:
        | { id: string; type: "RAW"; value: unknown }
        | { id: string; type: "HANDLER"; name: "throw"; value: ThrownValue };
    }
  /** The running handler of this dispatch used up its time; the guest settles it as timed out. */
  | { t: "expire"; id: number; message: string }
  /** Nobody waits for this dispatch any more. */
  | { t: "cancel"; id: number }
  /** The agent aborted the operation that this dispatch is about: fires `event.signal`. */
  | { t: "signal"; id: number }
  /** The value of a flag that the bundle registered. */
  | { t: "flag"; name: string; value: boolean | string };

interface ThrownValue {
  isError: true;
  value: { name: string; message: string; code?: string };
}

/** A call of a host function: Comlink's APPLY, with one known flat name as path. */
export interface Apply {
  id: string;
  type: "APPLY";
  path: [string];
  /** The first is a {@link CallHead}. */
  argumentList: { type: "RAW"; value: unknown }[];
}

/** Which call this is (for `cancel`) and which dispatch it belongs to (0: none). */
export interface CallHead {
  call: number;
  dispatch: number;
}

export interface GuestError {
  message: string;
  stack?: string;
  code?: string;
}

export type FromGuest =
  | { t: "call"; apply: Apply }
  /** Cancels an earlier call by its number. */
  | { t: "abort"; call: number }
  /**
   * The bundle is loaded, with so many handlers for each event type. `hasMatchers`: ask for its priority by name.
   * `unsupported`: parts of its agent's API that it used and that Cordon does not offer.
   */
  | {
      t: "loaded";
      events: Record<string, number>;
      dialect?: DialectName;
      hasMatchers?: boolean;
      unsupported?: readonly string[];
    }
  | { t: "failed"; error: GuestError }
  /** Handlers were added or removed after loading. */
  | { t: "events"; events: Record<string, number> }
  /** The bundle adds to the agent, or takes back what it added. */
  | { t: "registered"; kind: RegistrationKind; name: string; description: Description | null }
  /** A component that is shown wants to be drawn again, is over, or is hidden or shown for a while. */
  | { t: "screen"; screen: number; change: ScreenChange }
  | { t: "log"; level: "debug" | "info" | "warn" | "error"; text: string; at?: string }
  /** A counted branch of the bundle ran for the first time. */
  | { t: "reached"; branch: number }
  /** Something failed outside of any dispatch, such as a timer's callback. */
  | { t: "error"; error: GuestError };

/** A call of a host function that blocks until it is answered. `dispatch`: 0 if the caller does not know its event. */
export interface SyncRequest {
  /** Flat name, as for {@link Apply}. */
  op: string;
  dispatch: number;
  args: readonly unknown[];
}

/** A refusal or failure, in an answer to a {@link SyncRequest}. */
export interface SyncFailure {
  error: { code?: string; message: string };
}

/**
 * How a bundle's handlers ended: `p` all of them ran and decided nothing, `r` they left a result, `f` one of them failed.
 * The kind is not part of the JSON, so that a hook's values cannot change it.
 */
export type VerdictKind = "p" | "r" | "f";

/** A bundle's verdict on one event. */
export interface Verdict {
  /** In the canonical shape of the event's result. */
  result?: unknown;
  /** The changed tool input, whole. */
  input?: Record<string, unknown>;
  /** Name of the tool that is to run instead of the one that was called. */
  tool?: string;
  /** A person approved of `input`: no other one may run. */
  approved?: true;
  /** Only for kind `f`. An error blocks a guarded tool call; for other events it is reported. */
  errors?: GuestError[];
}
