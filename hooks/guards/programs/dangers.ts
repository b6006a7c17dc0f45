import { HOME } from "../shell/marks.ts";
import {
  baseName,
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
import { has, sortOptions, valuesOf } from "./options.ts";
import type { Rule } from "./program.ts";

type Danger = Rule<"danger">;

/** The name of a path in a reason. */
function called(path: string): string {
  if (path === "/") return "the root folder";
  if (path === ".") return "everything in the working folder";
  if (/^[./]+$/.test(path)) return "the folder above the working folder";
  if (path === HOME || /^\/(home|users)\/[^/]+$/i.test(path)) return "a home folder";
  return path.replaceAll(/[\uE000-\uE005]/g, "?");
}

export function writesTo(path: string): string | undefined {
  if (isSystemFile(path)) return `overwrites ${path}`;
  return isDisk(path) ? `writes onto the disk ${path}` : undefined;
}

function first<T>(items: readonly T[], danger: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = danger(item);
    if (found) return found;
  }
  return undefined;
}

/** A rule for programs whose danger is in the paths that `pathsIn` finds in their arguments. */
function onPaths(
  pathsIn: (args: readonly string[]) => readonly string[],
  danger: (path: string, command: SimpleCommand) => string | undefined = writesTo,
): Danger {
  return (command) => first(pathsIn(command.args), (path) => danger(resolvePath(path, command.folder), command));
}

/** The first protected file or folder that is lost if `operands` are deleted. */
function lost(operands: readonly string[], folder: string, recursive: boolean): string | undefined {
  return first(operands, (operand) =>
    // Resolved from the working folder, and as it is written, since a `cd` may have failed.
    first([resolvePath(operand, folder), resolvePath(operand, "")], (path) => {
      const whole = emptied(path);
      if (whole !== undefined && isProtected(whole)) return called(whole);
      if (recursive && operand !== "" && isProtected(path)) return called(path);
      return isSystemFile(path) ? path : undefined;
    }),
  );
}

export const removes: Danger = ({ name, args, folder }) => {
  const options = sortOptions(args);
  if (options.flags.includes("no-preserve-root")) return "rm --no-preserve-root";
  const recursive = has(options, "rR", "recursive") || name === "rimraf";
  const lostPath = lost(options.operands, folder, recursive);
  return lostPath && `${name} ${recursive ? "-rf " : ""}of ${lostPath}`;
};

/** `mv / /dev/null` loses as much as `rm`. Files that are moved to another folder still exist. */
export const moves: Danger = (command) => {
  const { operands } = sortOptions(command.args, "t S target-directory suffix");
  const sources = operands.slice(0, -1);
  const away = operands[operands.length - 1] === "/dev/null";
  const lostPath = away
    ? lost(sources, command.folder, true)
    : sources.map((it) => resolvePath(it, command.folder)).find(isSystemFile);
  return lostPath ? `moves ${lostPath} away` : copies(command);
};

export const mirrors: Danger = (command) => {
  const { operands, flags } = sortOptions(command.args, "e f T B rsh filter exclude include");
  const deletes = flags.some((flag) => /^(del|delete)/.test(flag));
  const lostPath = deletes ? lost(operands.slice(-1), command.folder, true) : undefined;
  return lostPath ? `rsync --delete over ${lostPath}` : copies(command);
};

/** The last operand is overwritten. */
export const copies = onPaths((args) => {
  const { operands, values } = sortOptions(args, "t S m o g target-directory suffix mode owner group");
  const folderGiven = values.get("t") ?? values.get("target-directory");
  const last = operands[operands.length - 1];
  const targets = folderGiven === undefined ? operands.slice(-1) : operands.map((it) => `${folderGiven}/${it}`);
  // A file copied into /etc keeps its name.
  return [...targets, ...operands.slice(0, -1).map((it) => `${last}/${baseName(it)}`)];
});

const operandsOf = (args: readonly string[]): string[] => sortOptions(args).operands;

/** Every operand is overwritten. */
export const changes = onPaths(operandsOf);

const wipes = onPaths(
  operandsOf,
  (path) => writesTo(path) ?? (isDevice(path) ? `writes onto the disk ${path}` : undefined),
);
export const shreds: Danger = (command) => removes(command) ?? wipes(command);

const operandsChanged = onPaths((args) => args.filter((arg) => !arg.startsWith("-")));

/** Files are changed if an option says so, and by sed's command `w`. */
export const edits: Danger = (command) => {
  const { name, args } = command;
  if (args.some((arg) => /^-[a-zA-Z0]*i|^--in-place|^inplace$/.test(arg))) return operandsChanged(command);
  const target = name === "sed" ? /\bw\s*(\/etc\/\S+)/.exec(args.join("\n"))?.[1] : undefined;
  return target && writesTo(target);
};

/** The values of options are overwritten. */
export const downloads = (valued: string): Danger =>
  onPaths((args) => valuesOf(sortOptions(args, valued), "o O output output-document"));

export const dumps = onPaths(
  (args) => args.flatMap((arg) => (arg.startsWith("of=") ? [arg.slice(3)] : [])),
  (path) => (isDevice(path) ? `dd onto ${path}` : writesTo(path)),
);

const LOOKS_ONLY = /^(-l|--list|-L|-h|--help|--version|-V|-p|--print|print|list|info|status|-n|-J)$/;

/** Formats, partitions or wipes a disk. */
export const formats = onPaths(
  (args) => (args.some((arg) => LOOKS_ONLY.test(arg)) ? [] : args),
  (path, { name }) => (isDevice(path) ? `${name} on ${path}` : undefined),
);

export const erases: Danger = ({ args }) =>
  /^(erase|partition|zero|random|secureErase)/i.test(args[0] ?? "") ? `diskutil ${args[0]}` : undefined;

export const encrypts: Danger = (command) =>
  command.args.some((arg) => /^(luksFormat|luksErase|erase|reencrypt)$/i.test(arg)) ? formats(command) : undefined;

const OPEN_TO_ALL = /^0?[0-7]?777$|^(a|ugo)[+=]rwx$/;
/** 1777 is the mode of /tmp. */
const STICKY = /^0?1777$/;
const CLOSED_TO_ALL = /^=?0{1,5}$|^(a|ugo)?-rwx$|^(a|ugo)=$/;

export const chmod: Danger = ({ args, folder }) => {
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

export const chown = onPaths(
  (args) => {
    const options = sortOptions(args, "from");
    return has(options, "R", "recursive") ? options.operands : [];
  },
  (path, { name }) => {
    const folder = emptied(path) ?? path;
    const ofSystem = /^\/(bin|boot|dev|etc|lib|lib64|proc|sbin|sys|usr|var)?$/.test(folder);
    return ofSystem ? `${name} -R of ${called(folder)}` : undefined;
  },
);

const onNetwork = (gives: (command: SimpleCommand) => boolean): Danger => {
  return (command) => (gives(command) ? "a shell on a network connection" : undefined);
};

/** A shell reads its commands from the network, or writes its output to it. */
export const connects = onNetwork(({ connected }) => connected);

const SHELL = /(^|[/:"'\s])((ba|z|da|k|fi|c)?sh|cmd(\.exe)?|powershell(\.exe)?|python[\d.]*|perl)\b/i;
export const netcat = onNetwork(
  ({ args }) =>
    args.some((arg) => /^-[a-zA-Z]*e|^--(exec|sh-exec|lua-exec)/.test(arg)) ||
    // In some versions of netcat, -c is not a shell command.
    (args.some((arg) => /^-[a-zA-Z]*c/.test(arg)) && args.some((arg) => SHELL.test(arg))),
);

export const socat = onNetwork(
  ({ args }) =>
    args.some((arg) => /^(exec|system|shell):/i.test(arg)) &&
    args.some((arg) => /^(tcp|udp|ssl|openssl|sctp|vsock|ws)/i.test(arg)),
);

export const prunes: Danger = ({ args }) => {
  const { operands, flags } = sortOptions(args, "c H l context config host log-level filter tlscacert tlscert tlskey");
  const [object, action] = operands;
  if (action !== "prune" || args.some((arg) => arg === "--volumes=false")) return;
  if (object === "system" && flags.includes("volumes")) return "docker system prune with volumes";
  const all = flags.some((flag) => flag === "a" || flag === "all");
  return object === "volume" && all ? "docker volume prune of all volumes" : undefined;
};
