import { closeSync, openSync } from "node:fs";
import { ReadStream, WriteStream } from "node:tty";
import { defaultHome } from "../disk/home.ts";
import { refuseBelowAgent } from "./below-agent.ts";
import { DEFAULT_COLUMNS } from "./screen-width.ts";

export interface Terminal {
  input: ReadStream;
  output: WriteStream;
  close(): void;
}

/**
 * Asks a person on the controlling terminal. Without a terminal it returns what `nobody` returns. Throws {@link Refused} below an
 * agent with an open session, which may have a terminal, too.
 */
export async function onTerminal<T>(ask: (terminal: Terminal) => Promise<T>, nobody: () => T): Promise<T> {
  const terminal = controllingTerminal();
  if (!terminal) return nobody();
  try {
    await refuseBelowAgent(defaultHome(), "this");
    return await ask(terminal);
  } finally {
    terminal.close();
  }
}

/** Opens the controlling terminal, whatever standard input and output are; `undefined` if there is none. */
export function controllingTerminal(): Terminal | undefined {
  if (process.platform === "win32") {
    const both = process.stdin.isTTY && process.stdout.isTTY;
    return both
      ? { input: process.stdin as ReadStream, output: process.stdout as WriteStream, close: () => {} }
      : undefined;
  }
  let descriptors: [number, number];
  try {
    descriptors = [openSync("/dev/tty", "r"), openSync("/dev/tty", "w")];
  } catch {
    return undefined;
  }
  try {
    const input = new ReadStream(descriptors[0]);
    const output = new WriteStream(descriptors[1]);
    output.columns ||= DEFAULT_COLUMNS;
    return {
      input,
      output,
      close() {
        input.destroy();
        output.destroy();
      },
    };
  } catch {
    for (const descriptor of descriptors) closeSync(descriptor);
    return undefined;
  }
}
