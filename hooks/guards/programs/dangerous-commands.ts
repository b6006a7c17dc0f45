import { HOME } from "../shell/marks.ts";
import {
  emptied,
  isDevice,
  isDisk,
  isOfSystem,
  isProtected,
  isRoot,
  isSystemFile,
  resolvePath,
} from "../shell/paths.ts";
import type { SimpleCommand } from "../shell/simple-command.ts";
import { gitDanger } from "./dangerous-git.ts";
import { has, sortOptions } from "./options.ts";

/** Says why a command is dangerous, in words for the agent, or undefined if it is not. */
type Rule = (command: SimpleCommand) => string | undefined;

/** How a path is named in a reason. */
function called(path: string): string {
  if (path === "/") return "the root folder";
  if (path === ".") return "everything in the working folder";
  if (/^[./]+$/.test(path)) return "the folder above the working folder";
  if (path === HOME || /^\/(home|users)\/[^/]+$/i.test(path)) return "a home folder";
  return path.replaceAll(/[\uE000-\uE005]/g, "?");
}

/** What deleting `operands` would lose that must not be lost. */
function lost(operands: readonly string[], folder: string, recursive: boolean): string | undefined {
  for (const operand of operands) {
    // Seen from the folder it stands in, and as it is written: a `cd` may have failed.
    for (const path of [resolvePath(operand, folder), resolvePath(operand, "")]) {
      const whole = emptied(path);
      if (whole !== undefined && isProtected(whole)) return called(whole);
      if (recursive && operand !== "" && isProtected(path)) return called(path);
      if (isSystemFile(path)) return path;
    }
  }
  return undefined;
}

const rm: Rule = ({ name, args, folder }) => {
  const options = sortOptions(args);
  if (options.flags.includes("no-preserve-root")) return "rm --no-preserve-root";
  const recursive = has(options, "rR", "recursive") || name === "rimraf";
  const what = lost(options.operands, folder, recursive);
  return what && `${name} ${recursive ? "-rf " : ""}of ${what}`;
};

/** `mv / /dev/null` loses as much as `rm`; what goes to another folder is still there. */
const mv: Rule = (command) => {
  const { operands } = sortOptions(command.args, "t S target-directory suffix");
  const sources = operands.slice(0, -1);
  const away = operands[operands.length - 1] === "/dev/null";
  const what = away
    ? lost(sources, command.folder, true)
    : sources.map((it) => resolvePath(it, command.folder)).find(isSystemFile);
  return what ? `moves ${what} away` : copies(command);
};

const rsync: Rule = (command) => {
  const { operands, flags } = sortOptions(command.args, "e f T B rsh filter exclude include");
  if (!flags.some((flag) => /^(del|delete)/.test(flag))) return copies(command);
  const what = lost(operands.slice(-1), command.folder, true);
  return what ? `rsync --delete over ${what}` : copies(command);
};

const writesTo = (path: string): string | undefined => {
  if (isSystemFile(path)) return `overwrites ${path}`;
  return isDisk(path) ? `writes onto the disk ${path}` : undefined;
};

/** Programs whose last operand is overwritten. */
const copies: Rule = ({ args, folder }) => {
  const { operands, values } = sortOptions(args, "t S m o g target-directory suffix mode owner group");
  const folderGiven = values.get("t") ?? values.get("target-directory");
  const targets = folderGiven === undefined ? operands.slice(-1) : operands.map((it) => `${folderGiven}/${it}`);
  // A file copied into /etc keeps its name.
  const inside = operands
    .slice(0, -1)
    .map((it) => `${operands[operands.length - 1]}/${it.slice(it.lastIndexOf("/") + 1)}`);
  return first([...targets, ...inside], (target) => writesTo(resolvePath(target, folder)));
};

/** Programs that change every file they are given. */
const changes: Rule = ({ name, args, folder }) =>
  first(sortOptions(args).operands, (operand) => {
    const path = resolvePath(operand, folder);
    const danger = writesTo(path);
    return danger ?? (name === "shred" && isDevice(path) ? `writes onto the disk ${path}` : undefined);
  });

const shred: Rule = (command) => rm(command) ?? changes(command);

/** Programs that change their files when told to do so in place. */
const editsInPlace: Rule = ({ name, args, folder }) => {
  const inPlace = args.some((arg) => /^-[a-zA-Z0]*i|^--in-place|^inplace$/.test(arg));
  const paths = args.filter((arg) => !arg.startsWith("-")).map((arg) => resolvePath(arg, folder));
  if (inPlace) return first(paths, writesTo);
  // sed's own `w` command.
  const target = name === "sed" ? /\bw\s*(\/etc\/\S+)/.exec(args.join("\n"))?.[1] : undefined;
  return target && writesTo(target);
};

const downloads: Rule = ({ name, args, folder }) => {
  const { values } = sortOptions(
    args,
    name === "curl" ? "o output A b d e F H m T u U w x X" : "O o P output-document",
  );
  const to = [values.get("o"), values.get("O"), values.get("output"), values.get("output-document")];
  return first(to, (path) => (path === undefined ? undefined : writesTo(resolvePath(path, folder))));
};

const dd: Rule = ({ args, folder }) =>
  first(args, (arg) => {
    const path = arg.startsWith("of=") ? resolvePath(arg.slice(3), folder) : "";
    return isDevice(path) ? `dd onto ${path}` : writesTo(path);
  });

/** Programs that format, divide or wipe the disk that they are given. */
const formats: Rule = ({ name, args, folder }) => {
  if (args.some((arg) => /^(-l|--list|-L|-h|--help|--version|-V|-p|--print|print|list|info|status|-n|-J)$/.test(arg)))
    return;
  return first(args, (arg) => {
    const path = resolvePath(arg, folder);
    return isDevice(path) ? `${name} on ${path}` : undefined;
  });
};

const diskutil: Rule = ({ args }) =>
  /^(erase|partition|zero|random|secureErase)/i.test(args[0] ?? "") ? `diskutil ${args[0]}` : undefined;

const cryptsetup: Rule = (command) =>
  command.args.some((arg) => /^(luksFormat|luksErase|erase|reencrypt)$/i.test(arg)) ? formats(command) : undefined;

const OPEN_TO_ALL = /^0?[0-7]?777$|^(a|ugo)[+=]rwx$/;
/** Of the modes with a fourth digit, 1777 is what /tmp has. */
const STICKY = /^0?1777$/;
const CLOSED_TO_ALL = /^=?0{1,5}$|^(a|ugo)?-rwx$|^(a|ugo)=$/;

const chmod: Rule = ({ args, folder }) => {
  // A mode such as -rwx looks like an option.
  const operands = args.filter((arg) => !/^-(-|[Rcfv]+$)/.test(arg));
  const recursive = args.some((arg) => /^-[cfv]*R|^--recursive/.test(arg));
  const [modes = "", ...paths] = operands;
  const closed = modes.split(",").some((mode) => CLOSED_TO_ALL.test(mode));
  const open = modes.split(",").some((mode) => OPEN_TO_ALL.test(mode) && !STICKY.test(mode));
  if (open || /^(?=.*u[+=]rwx)(?=.*g[+=]rwx)(?=.*o[+=]rwx)/.test(modes)) return `chmod ${modes}`;
  return first(paths, (operand) => {
    const path = resolvePath(operand, folder);
    if (closed && (isOfSystem(path) || path === HOME)) return `chmod ${modes} of ${called(path)}`;
    return recursive && isRoot(path) ? "chmod -R of the root folder" : undefined;
  });
};

const chown: Rule = ({ name, args, folder }) => {
  const options = sortOptions(args, "from");
  if (!has(options, "R", "recursive")) return;
  return first(options.operands, (operand) => {
    const path = resolvePath(operand, folder);
    const system = /^\/(bin|boot|dev|etc|lib|lib64|proc|sbin|sys|usr|var)?$/.test(emptied(path) ?? path);
    return system ? `${name} -R of ${called(emptied(path) ?? path)}` : undefined;
  });
};

const SHELL = /(^|[/:"'\s])((ba|z|da|k|fi|c)?sh|cmd(\.exe)?|powershell(\.exe)?|python[\d.]*|perl)\b/i;

const netcat: Rule = ({ args }) => {
  const runs = args.some((arg) => /^-[a-zA-Z]*e|^--(exec|sh-exec|lua-exec)/.test(arg));
  // In other netcats -c means another thing than the command of a shell.
  const shell = args.some((arg) => /^-[a-zA-Z]*c/.test(arg)) && args.some((arg) => SHELL.test(arg));
  return runs || shell ? "a shell on a network connection" : undefined;
};

const socat: Rule = ({ args }) =>
  args.some((arg) => /^(exec|system|shell):/i.test(arg)) &&
  args.some((arg) => /^(tcp|udp|ssl|openssl|sctp|vsock|ws)/i.test(arg))
    ? "a shell on a network connection"
    : undefined;

const docker: Rule = ({ args }) => {
  const { operands, flags } = sortOptions(args, "c H l context config host log-level filter tlscacert tlscert tlskey");
  const [object, action] = operands;
  const all = flags.some((flag) => flag === "a" || flag === "all");
  if (action !== "prune" || args.some((arg) => arg === "--volumes=false")) return;
  if (object === "system" && flags.includes("volumes")) return "docker system prune with volumes";
  return object === "volume" && all ? "docker volume prune of all volumes" : undefined;
};

/** A shell that takes its commands from the network, or writes to it what it is asked. */
const shell: Rule = ({ connected }) => (connected ? "a shell on a network connection" : undefined);

function first<T>(items: readonly T[], danger: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = danger(item);
    if (found) return found;
  }
  return undefined;
}

function ruleFor(names: string, rule: Rule): [string, Rule][] {
  return names.split(" ").map((name) => [name, rule]);
}

const RULES = new Map<string, Rule>([
  ...ruleFor("rm grm srm rimraf unlink", rm),
  ...ruleFor("mv gmv", mv),
  ...ruleFor("rsync", rsync),
  ...ruleFor("cp gcp install ginstall ln scp", copies),
  ...ruleFor("shred", shred),
  ...ruleFor("tee truncate sponge vipw ed ex vi vim nano emacs patch chattr", changes),
  ...ruleFor("sed gsed perl ruby awk gawk", editsInPlace),
  ...ruleFor("curl wget", downloads),
  ...ruleFor("dd gdd dcfldd ddrescue", dd),
  ...ruleFor(
    "fdisk cfdisk sfdisk gdisk sgdisk cgdisk parted wipefs mke2fs mkswap mkdosfs mkntfs newfs blkdiscard pvcreate",
    formats,
  ),
  ...ruleFor("diskutil", diskutil),
  ...ruleFor("cryptsetup", cryptsetup),
  ...ruleFor("chmod gchmod", chmod),
  ...ruleFor("chown chgrp gchown", chown),
  ...ruleFor("nc ncat netcat", netcat),
  ...ruleFor("socat", socat),
  ...ruleFor("docker podman nerdctl", docker),
  ...ruleFor("git", gitDanger),
  ...ruleFor("sh bash zsh dash ksh ash fish csh tcsh", shell),
]);

export const RULED_NAMES: readonly string[] = [...RULES.keys(), "mkfs", "mkfs.ext4"];

/** Why `command`, by itself, is dangerous. */
export const dangerousCommand: Rule = (command) => {
  const rule = RULES.get(command.name) ?? (/^mkfs(\.|$)|^newfs_/.test(command.name) ? formats : undefined);
  return first(command.writes, writesTo) ?? rule?.(command);
};
