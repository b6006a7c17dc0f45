/** The parts of `process` that describe the hook's own environment, and `process.env` over the host's power. */
import { NOWHERE } from "../../wire/messages.ts";
import { runningAs } from "./children.ts";
import { EventEmitter } from "./events.ts";
import { fault } from "./fault.ts";
import { host, notOffered } from "./host.ts";
import { env, isGranted } from "./process-env.ts";
import { withoutNotices } from "./terminal-notices.ts";

/** What a hook writes is a line of the log. It is no terminal, but what looks at its size finds a usual one. */
const lines = (level: "log" | "error") =>
  Object.assign(new EventEmitter(), {
    isTTY: false,
    columns: 80,
    rows: 24,
    write(text: unknown): boolean {
      const given = String(text);
      const rest = withoutNotices(given);
      if (rest !== "" || given === "") console[level](rest.replace(/\n$/, ""));
      return true;
    },
  });

const itself = function (this: unknown): unknown {
  return this;
};

/** The agent's input is its own: nothing comes from here. */
const noInput = Object.assign(new EventEmitter(), {
  isTTY: false,
  fd: 0,
  setEncoding: itself,
  setRawMode: itself,
  resume: itself,
  pause: itself,
  ref: itself,
  unref: itself,
  read: () => null,
  async *[Symbol.asyncIterator]() {},
});

const hrtime = Object.assign(
  (since: [number, number] = [0, 0]): [number, number] => {
    const now = performance.now();
    const [seconds, nanos] = [Math.floor(now / 1000) - since[0], (now % 1000) * 1e6 - since[1]];
    return nanos < 0 ? [seconds - 1, nanos + 1e9] : [seconds, nanos];
  },
  { bigint: () => BigInt(performance.now()) * 1_000_000n },
);

const noKill = notOffered(
  "process",
  "kill",
  "a hook's own programs may be ended, and its own process asked about: process.kill(process.pid, 0)",
);

/**
 * Ends a program of the hook's. Whether its own process runs is all else that a hook may ask: some write its number into a lock. Of others,
 * none is known to be gone.
 */
function kill(given: unknown, signal: unknown): true {
  const child = runningAs(given);
  if (child) return signal === 0 || (child.kill() as true);
  if (signal !== 0) return noKill();
  if (given === host.machine.pid) return true;
  throw Object.assign(fault(Error, "EPERM", "kill EPERM"), { errno: -1, syscall: "kill" });
}

const process = Object.assign(new EventEmitter(), {
  env,
  cwd: () => host.cwd,
  platform: host.machine.platform,
  arch: host.machine.arch,
  argv0: "node",
  execArgv: [],
  execPath: "node",
  title: "hook",
  pid: host.machine.pid,
  ppid: 0,
  exitCode: undefined,
  version: "v24.0.0",
  versions: Object.freeze({ node: "24.0.0" }),
  release: Object.freeze({ name: "node" }),
  features: Object.freeze({}),
  stdin: noInput,
  stdout: lines("log"),
  stderr: lines("error"),
  nextTick: (callback: (...args: unknown[]) => void, ...args: unknown[]) => queueMicrotask(() => callback(...args)),
  hrtime,
  uptime: () => performance.now() / 1000,
  emitWarning: (warning: unknown) => console.warn(String(warning)),
  umask: () => 0o22,
  exit: notOffered("process", "exit", "a hook ends with its session"),
  abort: notOffered("process", "abort", "a hook ends with its session"),
  kill,
  chdir: notOffered("process", "chdir"),
  binding: notOffered("process", "binding"),
  dlopen: notOffered("process", "dlopen"),
  memoryUsage: notOffered("process", "memoryUsage"),
  cpuUsage: notOffered("process", "cpuUsage"),
});

/**
 * As pi has it where the grant names `CORDON_ARGV` among its variables: arguments may hold a prompt or a key. Without, no file and
 * no argument: extensions look there for the agent, and go on without it.
 */
function argumentsOfAgent(): string[] {
  const mark = "CORDON_ARGV";
  const given = isGranted(mark) ? env[mark] : undefined;
  return given === undefined ? ["node", `${NOWHERE}/hook`] : JSON.parse(given);
}

let known: string[] | undefined;
const agentArgv = (): string[] => (known ??= argumentsOfAgent());
// Asked for when it is used: most bundles that have `process` never look.
Object.defineProperty(process, "argv", {
  get: agentArgv,
  set(given: string[]) {
    known = given;
  },
  enumerable: true,
  configurable: true,
});

export { env, hrtime, process };
export const argv: string[] = /* @__PURE__ */ agentArgv();
export const { cwd, platform, arch, pid, version, versions, stdin, stdout, stderr, nextTick, uptime, exit } = process;
export const { argv0, execArgv, execPath, exitCode, features, ppid, release, title } = process;
export const { abort, chdir, cpuUsage, emitWarning, memoryUsage, umask } = process;
export { kill };
export default process;
