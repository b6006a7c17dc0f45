import { existsSync } from "node:fs";
import { dirname, isAbsolute } from "node:path";

/** What went wrong, for programs. Each code has one meaning. */
export const ERROR_CODES = [
  /** A hook used a power that it was not granted, or made a decision without the right to it. */
  "NOT_GRANTED",
  /** Nobody has accepted these bytes, or a policy does not allow the hook. */
  "NOT_ACCEPTED",
  /** A hook, a package or an index cannot be found, fetched, read, built or loaded. */
  "LOAD_FAILED",
  /** A hook's code imports a module that no hook may use. */
  "IMPORT_REFUSED",
  /** A hook's bundle is too large. */
  "BUNDLE_TOO_LARGE",
  /** A hook did not answer in time. */
  "TIMEOUT",
  /** A hook used more CPU time than it may. */
  "CPU_EXCEEDED",
  /** A hook used more memory than it may. */
  "OUT_OF_MEMORY",
  /** A hook's process died, or the hook was removed from it. */
  "CRASHED",
  /** A sandbox process sent something that the guest runtime never sends. */
  "PROTOCOL_VIOLATION",
  /** A hook asked for something more often than it may. */
  "RATE_LIMITED",
  /** A hook's result is invalid for its event, or an event or answer is too large. */
  "BAD_RESULT",
  /** What an author wrote about a hook is invalid: its manifest, its package.json, its name. */
  "BAD_MANIFEST",
  /** What a person or an agent decided here is invalid or contradictory: an option, a grant, a policy, a lock. */
  "BAD_GRANT",
  /** A hook's files, or its build, differ from those that a person accepted. */
  "DIGEST_MISMATCH",
  /** A package or an index differs from what its registry, a lock, a key or an earlier version says. */
  "INTEGRITY_MISMATCH",
  /** This machine has no Node, or no addon, that the sandbox can run on. */
  "NO_RUNTIME",
  /** A hook's own code threw. */
  "HOOK_THREW",
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

/** Every error that Cordon raises. The message is one line: which hook, what happened, and the remedy. */
export class CordonError extends Error {
  override readonly name = "CordonError";
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** What such an error says, where nothing throws it: an error keeps a stack, which takes longer than a refusal may. */
export type ErrorFacts = Pick<CordonError, "code" | "message">;

/** A tool call that was blocked, as the tools of `wrapToolsWithHooks` throw it. */
export class HookBlockedError extends Error {
  override readonly name = "HookBlockedError";
  /** Id of the hook; empty if Cordon itself blocks. */
  readonly hook: string;
  /** The hook's own text, cleaned and cut, or what happened to the hook. */
  readonly reason: string;
  /** What happened to the hook; `undefined` if it blocked by its own decision. */
  readonly code: ErrorCode | undefined;

  constructor(hook: string, reason: string, code?: ErrorCode) {
    super(hook ? `Blocked by hook ${hook}: ${reason}` : `Blocked: ${reason}`);
    this.hook = hook;
    this.reason = reason;
    this.code = code;
  }
}

/** A code from outside, or `fallback` if it is not one of ours. */
export function errorCode(text: unknown, fallback: ErrorCode): ErrorCode {
  return ERROR_CODES.find((code) => code === text) ?? fallback;
}

/** What there is of a path: what could not be made cannot be looked at. */
const there = (path: string): string => (isAbsolute(path) && !existsSync(path) ? there(dirname(path)) : path);

/** What a person can do about a refusal of the system, by Node's error code. */
const REMEDIES = new Map<string, (path: string) => string>([
  ["ENOSPC", () => "the disk is full: free some space and run it again"],
  ["EDQUOT", () => "your quota of the disk is used up: free some space and run it again"],
  ["EACCES", (path) => `you may not do that there: look with ls -ld ${there(path)} whose it is, and change that`],
  [
    "EPERM",
    (path) => `the system does not allow that there: look with ls -ld ${there(path)} whose it is, and change that`,
  ],
  [
    "EROFS",
    (path) => `what holds ${there(path)} is read-only: mount it for writing, or set CORDON_HOME to another folder`,
  ],
  ["EMFILE", () => "too many files are open: raise the limit with ulimit -n"],
]);

/** The text of anything that was thrown. If the system refused something, the remedy is added. */
export function messageOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  const { code, path, syscall } = thrown as NodeJS.ErrnoException;
  const remedy = syscall !== undefined && code !== undefined ? REMEDIES.get(code) : undefined;
  return remedy ? `${thrown.message}; ${remedy(path ?? "its folder")}` : thrown.message;
}
