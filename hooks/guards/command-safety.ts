import { guard } from "./guard.ts";
import { Danger, withoutMarks } from "./shell/marks.ts";
import { Shell } from "./shell/shell.ts";

/**
 * The longest command that is checked, in UTF-16 units. A longer one is blocked. On Linux, an argument has at most
 * 128 KiB (MAX_ARG_STRLEN), so `sh -c` cannot get a longer command either.
 */
export const MAX_COMMAND = 131_072;
const MAX_REASON = 200;

/**
 * Says in a few words why a shell command is dangerous. Returns undefined if no danger is found. `folder` is the
 * command's working folder, if it is known. Never throws: a command that cannot be checked completely is dangerous,
 * too.
 *
 * The categories are those of Clawdbot's page on interceptors. The check does not see what a program reads at run time:
 * the output of other programs, variables that are set elsewhere, and files that existed before.
 */
export function dangerOf(command: string, folder = ""): string | undefined {
  if (command.length > MAX_COMMAND) return `a command longer than ${MAX_COMMAND} characters`;
  const shell = new Shell(folder);
  try {
    shell.interpret(withoutMarks(command).replace(/\r\n?/g, "\n"));
    return undefined;
  } catch (thrown) {
    if (thrown instanceof Danger) return thrown.reason.slice(0, MAX_REASON);
    // For example, a stack overflow.
    return "a command that cannot be checked";
  }
}

/** The commands that the arguments of a call may mean. */
function commandsOf(command: unknown): string[] {
  if (typeof command === "string") return [command];
  if (!Array.isArray(command)) return [];
  const words = command.filter((word) => typeof word === "string");
  // A tool may start the list as a program with arguments, or join it into a command for a shell.
  const quoted = words.map((word) => `'${word.replaceAll("'", "'\\''")}'`);
  return [quoted.join(" "), words.join(" ")];
}

function folderOf({ workdir, cwd }: Record<string, unknown>): string {
  const folder = workdir ?? cwd;
  return typeof folder === "string" && folder.startsWith("/") ? withoutMarks(folder) : "";
}

/** `builtin:command-safety-guard` of Clawdbot's page: blocks dangerous commands before they run. */
export const commandSafetyGuard = guard("builtin:command-safety-guard", 100, /^exec$/, (args) => {
  const folder = folderOf(args);
  for (const command of commandsOf(args.command)) {
    const reason = dangerOf(command, folder);
    if (reason !== undefined) return `Dangerous command: ${reason}`;
  }
  return undefined;
});
