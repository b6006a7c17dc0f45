/** `node:os` as far as it is constant. What describes the machine or the user is not a hook's to know. */
import { constants } from "unenv/node/os";

export { constants };
export const EOL = "\n";
export const devNull = "/dev/null";
export const endianness = (): string => "LE";

const withheld = (name: string) => (): never => {
  throw Object.assign(new Error(`os.${name}() is not offered to hooks: it describes the machine or its user`), {
    code: "NOT_GRANTED",
  });
};

export const arch = withheld("arch");
export const availableParallelism = withheld("availableParallelism");
export const cpus = withheld("cpus");
export const freemem = withheld("freemem");
export const homedir = withheld("homedir");
export const hostname = withheld("hostname");
export const loadavg = withheld("loadavg");
export const machine = withheld("machine");
export const networkInterfaces = withheld("networkInterfaces");
export const platform = withheld("platform");
export const release = withheld("release");
export const tmpdir = withheld("tmpdir");
export const totalmem = withheld("totalmem");
export const type = withheld("type");
export const uptime = withheld("uptime");
export const userInfo = withheld("userInfo");
export const version = withheld("version");

export default {
  constants,
  EOL,
  devNull,
  endianness,
  arch,
  availableParallelism,
  cpus,
  freemem,
  homedir,
  hostname,
  loadavg,
  machine,
  networkInterfaces,
  platform,
  release,
  tmpdir,
  totalmem,
  type,
  uptime,
  userInfo,
  version,
};
