/** The commands of a `console` block, each with what it prints there. A command goes on after a `\` at the end of its line. */
export function commandsOf(code: string): { command: string; output: string }[] {
  const commands: { command: string; output: string }[] = [];
  let goesOn = false;
  for (const line of code.split("\n")) {
    const last = commands.at(-1);
    if (goesOn && last) last.command += `\n${line}`;
    else if (line.startsWith("$ ")) commands.push({ command: line.slice(2), output: "" });
    else if (last) last.output += `${line}\n`;
    else throw new Error(`a console block begins with a command, not with ${line}`);
    goesOn = line.endsWith("\\");
  }
  return commands;
}

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");

const lineOf = (line: string): string => escaped(line).replaceAll(/ *… */g, ".*").replaceAll(/ {2,}/g, " +");

/**
 * Whether an output is the one shown: `…` stands for any text on its line, and alone on a line for any lines. How wide columns
 * are does not count.
 */
export function isShown(shown: string, output: string): boolean {
  const pattern = shown
    .trimEnd()
    .split("\n")
    .map((line) => (line.trim() === "…" ? "(?:.*\\n)*?" : `${lineOf(line.trimEnd())} *\\n`))
    .join("");
  return new RegExp(`^${pattern}$`).test(`${output.trimEnd()}\n`);
}

/** The shown output as it would have to be, line by line, for the message of a failure. */
export const trimmed = (text: string): string =>
  text
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n")
    .trimEnd();
