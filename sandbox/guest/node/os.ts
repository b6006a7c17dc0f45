/**
 * The parts of `node:os` that hooks need, such as paths. Everything else that describes the machine or its user throws.
 */
import { constants } from "unenv/node/os";
import { fault, unavailable } from "./fault.ts";
import { host } from "./host.ts";

const { home, tmp, platform: system, arch: processor } = host.machine;
const NAMES: Record<string, string> = { linux: "Linux", darwin: "Darwin", win32: "Windows_NT" };

export { constants };
export const EOL = system === "win32" ? "\r\n" : "\n";
export const devNull = system === "win32" ? "\\\\.\\nul" : "/dev/null";
export const endianness = (): string => "LE";
export const homedir = (): string => home;
export const tmpdir = (): string => tmp;
export const platform = (): string => system;
export const arch = (): string => processor;
export const type = (): string => NAMES[system] ?? system;
export const hostname = (): string => "localhost";
export const availableParallelism = (): number => 1;

const withheld = (name: string) => (): never => {
  throw fault(Error, "NOT_GRANTED", `os.${name}() is not offered to hooks: it describes the machine or its user`);
};

/** Who uses the machine, by a granted variable. As Node has it on Windows, without numbers and a shell. */
export function userInfo({ encoding }: { encoding?: string } = {}): object {
  if (encoding === "buffer") throw unavailable("os.userInfo gives text");
  const [variable, other] = system === "win32" ? ["USERNAME", "USER"] : ["USER", "LOGNAME"];
  const username = host.sync("env.get", [variable]) ?? host.sync("env.get", [other]);
  // Node asks the system, which mostly calls the folder so, too.
  return { uid: -1, gid: -1, username: username ?? home.split(/[\\/]/).at(-1) ?? "", homedir: home, shell: null };
}

export const cpus = withheld("cpus");
export const freemem = withheld("freemem");
export const loadavg = withheld("loadavg");
export const machine = withheld("machine");
/** None: libraries look for them as they load, to find a port. */
export const networkInterfaces = (): object => ({});
// Libraries name their system to servers as they load: a version that no system has tells nothing of this one.
export const release = (): string => "0.0.0";
export const totalmem = withheld("totalmem");
export const uptime = withheld("uptime");
export const version = (): string => type();

export default {
  constants,
  EOL,
  devNull,
  endianness,
  homedir,
  tmpdir,
  platform,
  arch,
  type,
  hostname,
  availableParallelism,
  cpus,
  freemem,
  loadavg,
  machine,
  networkInterfaces,
  release,
  totalmem,
  uptime,
  userInfo,
  version,
};
