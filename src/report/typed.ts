import { shellWord } from "../base/shell-word.ts";
import { visibleLine } from "../base/text.ts";

/**
 * A command for a person to type about a hook. A file may have any name: what a shell would read as more than a name is quoted, and
 * for a name that hides something, or looks like an option, there is no command.
 */
export function commandAbout(command: string, name: string, ...more: readonly string[]): string | undefined {
  if (name.startsWith("-") || visibleLine(name, name.length) !== name) return undefined;
  return ["cordon", command, shellWord(name), ...more].join(" ");
}
