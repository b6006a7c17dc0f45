/** What went wrong, for programs. `yours`: a person's input or choice; `hook`: the hook's fault; `ours`: the machine's. */
export const ERROR_CODES = {
  NOT_GRANTED: "hook",
  NOT_ACCEPTED: "yours",
  LOAD_FAILED: "hook",
  IMPORT_REFUSED: "hook",
  BUNDLE_TOO_LARGE: "hook",
  TIMEOUT: "hook",
  CPU_EXCEEDED: "hook",
  OUT_OF_MEMORY: "hook",
  CRASHED: "hook",
  PROTOCOL_VIOLATION: "hook",
  RATE_LIMITED: "hook",
  BAD_RESULT: "hook",
  BAD_MANIFEST: "yours",
  BAD_GRANT: "yours",
  DIGEST_MISMATCH: "yours",
  INTEGRITY_MISMATCH: "yours",
  NO_RUNTIME: "ours",
  HOOK_THREW: "hook",
} as const;

export type ErrorCode = keyof typeof ERROR_CODES;

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
  return typeof text === "string" && Object.hasOwn(ERROR_CODES, text) ? (text as ErrorCode) : fallback;
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
