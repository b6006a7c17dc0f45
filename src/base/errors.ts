/** What went wrong, for programs. Each code has one meaning. */
export const ERROR_CODES = [
  /** A hook used a power that nobody granted, or decided what it may not. */
  "NOT_GRANTED",
  /** Nobody has accepted these bytes. */
  "NOT_ACCEPTED",
  /** A hook, its package or an index cannot be found, fetched, built or loaded. */
  "LOAD_FAILED",
  /** A hook's code imports what no hook may. */
  "IMPORT_REFUSED",
  /** What was built of a hook is larger than a bundle may be. */
  "BUNDLE_TOO_LARGE",
  /** A hook did not answer in its time. */
  "TIMEOUT",
  /** A hook used more CPU time than it may. */
  "CPU_EXCEEDED",
  /** A hook used more memory than it may. */
  "OUT_OF_MEMORY",
  /** A hook's process is gone, or the hook was taken out of it. */
  "CRASHED",
  /** A process sent what the guest runtime never sends. */
  "PROTOCOL_VIOLATION",
  /** A hook asked for something more often than it may. */
  "RATE_LIMITED",
  /** What a hook answered is invalid for its event, or what it was to be shown is too large. */
  "BAD_RESULT",
  /** What a package, an index or a lock says of hooks is invalid. */
  "BAD_MANIFEST",
  /** What a person or the agent decided is invalid: options, a grant, a policy. */
  "BAD_GRANT",
  /** A hook's files are not those that were accepted. */
  "DIGEST_MISMATCH",
  /** Bytes are not those that were recorded or signed. */
  "INTEGRITY_MISMATCH",
  /** This machine has no Node that the sandbox can run on. */
  "NO_RUNTIME",
  /** A hook's own code threw. */
  "HOOK_THREW",
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

/** Every error Cordon raises: one line that says which hook, what happened and what would change it. */
export class CordonError extends Error {
  override readonly name = "CordonError";
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** A tool call that was blocked, as the tools of `wrapToolsWithHooks` throw it. */
export class HookBlockedError extends Error {
  override readonly name = "HookBlockedError";
  /** Id of the hook; empty where Cordon itself blocks. */
  readonly hook: string;
  /** The hook's own text, cleaned and cut; or what happened to it. */
  readonly reason: string;
  /** What happened to the hook; `undefined` where it blocked by a decision of its own. */
  readonly code: ErrorCode | undefined;

  constructor(hook: string, reason: string, code?: ErrorCode) {
    super(hook ? `Blocked by hook ${hook}: ${reason}` : `Blocked: ${reason}`);
    this.hook = hook;
    this.reason = reason;
    this.code = code;
  }
}

/** A code from outside, or `fallback` if it is none of ours. */
export function errorCode(text: unknown, fallback: ErrorCode): ErrorCode {
  return ERROR_CODES.find((code) => code === text) ?? fallback;
}

/** What a person can do about what the system refuses, by Node's code for it. */
const REMEDIES = new Map<string, (path: string) => string>([
  ["ENOSPC", () => "the disk is full: free some space and run it again"],
  ["EDQUOT", () => "your quota of the disk is used up: free some space and run it again"],
  ["EACCES", (path) => `you may not do that there: look with ls -ld ${path} whose it is, and change that`],
  ["EPERM", (path) => `the system does not allow that there: look with ls -ld ${path} whose it is, and change that`],
  ["EROFS", (path) => `what holds ${path} is read-only: mount it for writing, or set CORDON_HOME to another folder`],
  ["EMFILE", () => "too many files are open: raise the limit with ulimit -n"],
]);

/** The text of whatever was thrown by code of ours or of Node; where the system refused something, with the remedy. */
export function messageOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  const { code, path, syscall } = thrown as NodeJS.ErrnoException;
  const remedy = syscall !== undefined && code !== undefined ? REMEDIES.get(code) : undefined;
  return remedy ? `${thrown.message}; ${remedy(path ?? "its folder")}` : thrown.message;
}
