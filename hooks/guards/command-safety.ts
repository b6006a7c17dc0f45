import { guard } from "./guard.ts";
import { Danger, Meter, withoutMarks } from "./shell/marks.ts";
import { Shell } from "./shell/shell.ts";

/**
 * The longest command looked at, in UTF-16 units; a longer one is blocked. Linux gives a program no argument beyond
 * 128 KiB (MAX_ARG_STRLEN), so that `sh -c` could not be given a longer command either.
 */
export const MAX_COMMAND = 131_072;
/** How much text a command may unfold to, over all that it starts. */
const MAX_WORK = 2_500_000;
const MAX_REASON = 200;

/**
 * Why a shell command is dangerous, in a few words, or undefined if nothing of the kind is seen. `folder` is where it
 * runs, if that is known. Never throws: what cannot be looked at to the end is dangerous too.
 *
 * The categories are those of Clawdbot's page on interceptors. What a program looks up as it runs cannot be seen: the
 * output of other programs, variables that are set outside, files that were there before.
 */
export function dangerOf(command: string, folder = ""): string | undefined {
  if (command.length > MAX_COMMAND) return `a command longer than ${MAX_COMMAND} characters`;
  const shell = new Shell(new Meter(MAX_WORK), folder);
  try {
    shell.run(withoutMarks(command).replace(/\r\n?/g, "\n"));
    return undefined;
  } catch (thrown) {
    if (thrown instanceof Danger) return thrown.reason.slice(0, MAX_REASON);
    // Such as a stack that is used up.
    return "a command that cannot be looked at";
  }
}

/** The commands that the arguments of a call may stand for. */
function commandsOf(command: unknown): string[] {
  if (typeof command === "string") return [command];
  if (!Array.isArray(command)) return [];
  const words = command.filter((word) => typeof word === "string");
  // A tool may start the list as it stands, or join it and hand it to a shell.
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
