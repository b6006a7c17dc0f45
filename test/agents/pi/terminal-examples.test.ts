import { cpSync, existsSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { needs } from "../../support/needs.ts";
import { temporaryFolder } from "../../support/session.ts";
import { lacksTmux } from "../screen.ts";
import { COMMON } from "./examples.ts";
import { installPi, lacksNamespace } from "./install.ts";
import { PiTerminal } from "./terminal.ts";
import { TERMINAL_EXAMPLES, type TerminalExample } from "./terminal-examples.ts";

const missing = lacksNamespace() ?? lacksTmux();

/** The screen after each act. */
async function use(example: TerminalExample, isContained: boolean): Promise<string[]> {
  const folder = temporaryFolder();
  const pi = await installPi("1.5.2");
  const source = join(folder, "examples", example.name);
  mkdirSync(dirname(source), { recursive: true });
  cpSync(join(pi.folder, "examples", "extensions", example.name), source, { recursive: true });
  const path = existsSync(join(source, "index.ts")) ? join(source, "index.ts") : source;
  const hooks = [{ path, id: "example", grant: { capabilities: { ...COMMON, ...example.powers } } }];
  const options = { discover: false, hooks };
  const terminal = await PiTerminal.open({
    version: "1.5.2",
    folder,
    ...(example.turns ? { turns: example.turns } : {}),
    ...(example.files ? { files: example.files } : {}),
    ...(isContained
      ? {
          extensions: {
            cordon: `import { cordon } from "CORDON";
              export default cordon({ ...${JSON.stringify(options)}, home: process.env.HOME + "/.cordon" });`,
          },
        }
      : { extensionPaths: [path] }),
  });
  await terminal.shows(example.begins ?? (isContained ? "cordon: 1 hook" : "mock"));
  const screens: string[] = [];
  for (const [does, shows] of example.acts) {
    if ("submit" in does) await terminal.submit(does.submit);
    else if ("type" in does) terminal.type(does.type);
    else terminal.press(...does.press);
    const shown = await terminal.shows(shows);
    screens.push(example.differs ? shown : await terminal.settled());
  }
  return screens;
}

/**
 * The words that are on a screen: without frames, which are narrower within one, without what says whose words they are, and
 * without what pi and Cordon show of themselves.
 */
const words = (screen: string): string[] =>
  screen
    .split("\n")
    .map((line) =>
      line
        .replace(/[┏┓┗┛━┃─│╭╮╰╯├┤┌┐└┘]/g, " ")
        .replace(
          /hook example( has the keyboard.*| reads what you type.*)?|\[hook example\]|\[example\]|Message from hook example \(.*?\):/g,
          "",
        )
        .replace(/\s+/g, " ")
        .trim(),
    )
    .filter((line) => line !== "" && !OF_PI.test(line));
const OF_PI =
  /cordon|Extensions\]|\.ts$|Warning|tmux|on\] to|v1\.5\.2|interrupt|ctrl\+o|Pi can explain|how to use or extend|~\/|^\/|\$\d|mock|^\d+%|▀|Working|Took/;

describe("pi's examples that draw, on a real terminal as they are and within Cordon", needs(missing), () => {
  test.each(TERMINAL_EXAMPLES)("$name", { timeout: 240_000 }, async (example) => {
    const plain = await use(example, false);
    const contained = await use(example, true);
    if (!example.differs) expect(contained.map(words)).toEqual(plain.map(words));
  });
});
