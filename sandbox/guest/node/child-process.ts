/** `node:child_process` over the host's exec power. It runs programs with arguments; a shell is one that a grant must name. */
import type { ProgramResult } from "../../wire/answers.ts";
import type { ArgumentsOf } from "../../wire/operations.ts";
import { Buffer } from "./buffer.ts";
import { childStdin } from "./child-stdin.ts";
import { enter, leave, nextPid } from "./children.ts";
import { EventEmitter } from "./events.ts";
import { aborted, fault, unavailable, wrongType } from "./fault.ts";
import { pathOf } from "./fs-plans.ts";
import { host, notOffered } from "./host.ts";
import { answered, failure, notThere, signalOf, statusOf } from "./program-outcome.ts";
import { variablesOf } from "./program-variables.ts";
import { programOf } from "./shell-command.ts";
import { loadStreams } from "./stream-load.ts";
import { MAX_BYTES, toWire, type WireData } from "./wire-data.ts";

interface Options {
  cwd?: unknown;
  encoding?: string | null;
  timeout?: number;
  input?: unknown;
  shell?: unknown;
  signal?: AbortSignal;
  killSignal?: unknown;
  [name: string]: unknown;
}

/** The last argument of `execFile`. */
type Callback = (error: Error | null, stdout: string | Buffer, stderr: string | Buffer) => void;
type Rest = [argsOrOptions?: unknown, options?: unknown, callback?: unknown];

/** Limits of the host. No real command has a longer name, longer arguments, or more of them. */
const MAX_PROGRAM = 4096;
const MAX_ARGS = 1000;
const MAX_ARG = 1_000_000;

/** Sorts the arguments, since Node lets callers omit some. */
function sorted(rest: Rest): { args: string[]; options: Options; callback: Callback | undefined } {
  const callback = rest.find((one) => typeof one === "function") as Callback | undefined;
  const args = Array.isArray(rest[0]) ? Array.from(rest[0], String) : [];
  const options = rest.find((one) => typeof one === "object" && one !== null && !Array.isArray(one)) as
    | Options
    | undefined;
  return { args, options: options ?? {}, callback };
}

const warned = new Set<string>();

/** Says once that an option changes nothing. */
function warn(text: string): void {
  if (warned.has(text)) return;
  warned.add(text);
  console.warn(`child_process: ${text}`);
}

function request(command: unknown, given: string[], options: Options, input?: WireData): ArgumentsOf<"exec"> {
  if (typeof command !== "string" || command === "") throw wrongType("file", "of type string");
  const [file, ...args] = options.shell ? programOf([command, ...given].join(" ")) : [command, ...given];
  if (file.length > MAX_PROGRAM || args.length > MAX_ARGS || args.some((arg) => arg.length > MAX_ARG))
    throw fault(Error, "E2BIG", `spawn E2BIG: ${file.slice(0, 100)}`);
  if (typeof options.shell === "string" && !/^(\/usr)?(\/bin\/)?sh$/.test(options.shell))
    throw unavailable(`the shell ${options.shell} is not offered to hooks: ${REMEDY}`);
  if (options.detached) warn("a program of a hook ends with the agent: the detached option is ignored");
  const timeout = Number(options.timeout);
  const cwd = folderOf(options.cwd);
  const variables = variablesOf(options.env);
  return [
    file,
    args,
    {
      ...(timeout > 0 && timeout < Number.POSITIVE_INFINITY ? { timeout } : {}),
      ...(cwd === host.cwd ? {} : { cwd }),
      ...(variables.length > 0 ? { env: variables } : {}),
      ...(input === undefined ? {} : { input }),
    },
  ];
}

function folderOf(asked: unknown): string {
  if (asked === undefined || asked === null) return host.cwd;
  return pathOf(asked, "options.cwd");
}

/** All that a program reads, if the caller gives any. */
function inputOf(value: unknown): WireData | undefined {
  if (value === undefined || value === null) return undefined;
  const data = toWire(value, "utf8", (bytes) =>
    fault(Error, "ENOBUFS", `input of ${bytes} bytes; ${MAX_BYTES} is the most`),
  );
  if (!data) throw wrongType("options.input", "of type string or an instance of Buffer, TypedArray, or DataView");
  return data;
}

const REMEDY = `call execFile("git", ["status"]), with the program and each of its arguments`;

function output(text: string, encoding: string | null | undefined): string | Buffer {
  if (encoding === "utf8" || encoding === "utf-8") return text;
  const bytes = Buffer.from(text);
  return typeof encoding === "string" && encoding !== "buffer" ? bytes.toString(encoding) : bytes;
}

/** The code of a program that was refused. That of one which is not there is its error's number, as in Node. */
const NOT_STARTED = -1;

const NOT_RUN = { pid: 0, status: null, signal: null, stdout: null, stderr: null, output: null };

/** Runs a program to its end. `told`: what Node says of it besides its status. */
function runNow(file: string, args: string[], options: Options) {
  const asked = request(file, args, options, inputOf(options.input));
  const result = answered(host.sync("exec", asked), asked, options);
  if (result.missing) throw notThere("spawnSync", asked);
  const [stdout, stderr] = [output(result.stdout, options.encoding), output(result.stderr, options.encoding)];
  return { result, told: { pid: nextPid(), stdout, stderr, output: [null, stdout, stderr] } };
}

export function execFileSync(file: string, ...rest: Rest): string | Buffer {
  const { args, options } = sorted(rest);
  try {
    const { result, told } = runNow(file, args, options);
    if (result.code !== 0) throw failure(file, args, result, told);
    return told.stdout;
  } catch (error) {
    throw (error as { code?: unknown }).code === "ENOENT" ? Object.assign(error as Error, NOT_RUN) : error;
  }
}

export function spawnSync(file: string, ...rest: Rest): object {
  const { args, options } = sorted(rest);
  try {
    const { result, told } = runNow(file, args, options);
    return { ...told, status: statusOf(result), signal: signalOf(result) };
  } catch (error) {
    if ((error as { code?: string }).code === "ERR_FEATURE_UNAVAILABLE_ON_PLATFORM") throw error;
    // Node does the same for a program that cannot be started.
    return { ...NOT_RUN, error };
  }
}

/** `ChildProcess`. All of its output arrives when the program has ended. */
class ChildProcess extends EventEmitter {
  readonly pid!: number;
  readonly stdin!: ReturnType<typeof childStdin>["stream"] | null;
  readonly stdout!: ReturnType<typeof outputStream>;
  readonly stderr!: ReturnType<typeof outputStream>;
  readonly stdio!: readonly unknown[];
  readonly connected = false;
  readonly spawnfile!: string;
  readonly spawnargs!: readonly string[];
  exitCode: number | null = null;
  signalCode: string | null = null;
  killed = false;
  readonly #over = new AbortController();

  constructor(
    asked?: ArgumentsOf<"exec">,
    options: Options = {},
    ended: (result: ProgramResult | Error) => void = () => {},
  ) {
    super();
    // Node's is empty until it is started. Libraries fill one in where a start failed.
    if (!asked) return;
    this.pid = enter(this);
    this.stdout = outputStream();
    this.stderr = outputStream();
    const { stdio, signal } = options;
    const first = Array.isArray(stdio) ? stdio[0] : stdio;
    const input = first === "ignore" || first === "inherit" ? undefined : childStdin(first === "pipe");
    this.stdin = input?.stream ?? null;
    this.stdio = [this.stdin, this.stdout, this.stderr];
    this.spawnfile = asked[0];
    this.spawnargs = [asked[0], ...asked[1]];
    let isTold = false;
    const tell = (outcome: ProgramResult | Error): void => {
      if (!isTold) ended(outcome);
      isTold = true;
    };
    const fail = (error: Error): void => {
      if (isTold) return;
      tell(error);
      this.emit("error", error);
    };
    const abort = (): void => {
      this.kill();
      fail(aborted({ cause: signal?.reason }));
    };
    signal?.addEventListener("abort", abort, { once: true });
    const failed = (error: Error): void => {
      leave(this.pid);
      signal?.removeEventListener("abort", abort);
      input?.close();
      const errno = (error as { errno?: number }).errno ?? NOT_STARTED;
      this.exitCode = this.killed ? null : errno;
      this.signalCode = this.killed ? "SIGTERM" : null;
      // It was told that it runs before that was known: who then waits for its end hears of one, after the error.
      setTimeout(() => this.#end());
      fail(error);
    };
    if (signal?.aborted) {
      this.killed = true;
      queueMicrotask(() => failed(aborted({ cause: signal.reason })));
      return;
    }
    // The hook may write in the turn that it is in.
    const run = Promise.resolve().then(() => {
      return host.call("exec", input?.decide(asked) ?? asked, this.#over.signal);
    });
    queueMicrotask(() => this.emit("spawn"));
    run.then((given) => {
      leave(this.pid);
      signal?.removeEventListener("abort", abort);
      const result = answered(given, asked, options);
      if (result.missing) {
        failed(notThere("spawn", asked));
        return;
      }
      input?.close(result.closed);
      this.exitCode = statusOf(result);
      this.signalCode = signalOf(result);
      for (const name of ["stdout", "stderr"] as const)
        if (result[name] !== "") this[name].push(output(result[name], undefined));
      tell(result);
      this.#end();
    }, failed);
  }

  /** Emits `exit`, and `close` when both streams ended. Resumes them, since unread output must not delay it. */
  #end(): void {
    this.stdout.push(null);
    this.stderr.push(null);
    this.emit("exit", this.exitCode, this.signalCode);
    let open = 2;
    for (const stream of [this.stdout, this.stderr]) {
      stream.once("end", () => {
        if (--open === 0) this.emit("close", this.exitCode, this.signalCode);
      });
      queueMicrotask(() => stream.resume());
    }
  }

  kill(): boolean {
    this.killed = true;
    this.#over.abort();
    return true;
  }

  ref(): void {}
  unref(): void {}
}

/** A stream that gives the output of a program in one chunk. */
function outputStream() {
  const { Readable } = loadStreams();
  return new Readable({ read() {} });
}

export function spawn(file: string, ...rest: Rest): ChildProcess {
  const { args, options } = sorted(rest);
  return new ChildProcess(request(file, args, options), options, () => {});
}

export function execFile(file: string, ...rest: Rest): ChildProcess {
  const { args, options, callback } = sorted(rest);
  const encoding = options.encoding === undefined ? "utf8" : options.encoding;
  const child = new ChildProcess(request(file, args, options), { ...options, stdio: undefined }, (result) => {
    if (!callback) return;
    if (result instanceof Error) {
      callback(Object.assign(result, { cmd: [file, ...args].join(" ") }), "", "");
      return;
    }
    const error = result.code === 0 ? null : failure(file, args, result, {}, "\n");
    callback(error, output(result.stdout, encoding), output(result.stderr, encoding));
  });
  // The callback gets the error. Without a listener, it would also be thrown.
  if (callback) child.on("error", () => {});
  return child;
}

type Output = { stdout: string | Buffer; stderr: string | Buffer };

/** What `promisify` makes of such a function. */
const promisified = (start: (file: string, ...rest: Rest) => ChildProcess, file: string, rest: Rest): Promise<Output> =>
  new Promise((resolve, reject) => {
    start(file, ...rest.slice(0, 2), (error: Error | null, stdout: string | Buffer, stderr: string | Buffer) => {
      if (error) reject(Object.assign(error, { stdout, stderr }));
      else resolve({ stdout, stderr });
    });
  });
for (const start of [execFile, exec])
  Object.defineProperty(start, Symbol.for("nodejs.util.promisify.custom"), {
    value: (file: string, ...rest: Rest) => promisified(start, file, rest),
  });

export function exec(command: string, ...rest: Rest): ChildProcess {
  const { options, callback } = sorted(rest);
  return execFile(command, [], { ...options, shell: options.shell ?? true }, callback);
}

export const execSync = (command: string, options: Options = {}): string | Buffer =>
  execFileSync(command, [], { ...options, shell: options.shell ?? true });
export const fork = notOffered("child_process", "fork");

export { ChildProcess };
export default { exec, execSync, execFile, execFileSync, spawn, spawnSync, fork, ChildProcess };
