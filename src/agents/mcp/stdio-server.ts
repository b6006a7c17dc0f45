import { type ChildProcess, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { readLines } from "../../base/lines.ts";
import { LineFlow } from "./flow.ts";
import { type LinkListener, MAX_MESSAGE, type ServerLink } from "./server-link.ts";

/** Time that a server gets to end by itself, and then at a signal, in ms. */
const GRACE_MS = 2000;

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** An MCP server that Cordon starts, and speaks to over its standard input and output. It has this process's environment. */
export class StdioServer implements ServerLink {
  readonly #process: ChildProcess;
  readonly #flow: LineFlow;
  readonly #ended: Promise<void>;
  readonly #asked = Promise.withResolvers<void>();

  constructor([command = "", ...args]: readonly string[], listener: LinkListener) {
    const options = Object.assign(Object.create(null), { stdio: ["pipe", "pipe", "inherit"], windowsHide: true });
    this.#process = spawn(command, args, options);
    const { stdin, stdout } = this.#process as { stdin: Writable; stdout: Readable };
    this.#flow = new LineFlow(stdin, () => {});
    this.#ended = new Promise((resolve) => {
      this.#process.once("error", (error) => {
        const why = (error as NodeJS.ErrnoException).code === "ENOENT" ? `no program ${command}` : error.message;
        // The client's first request can be answered by that: else it would only see the end of the stream.
        void Promise.race([this.#asked.promise, pause(GRACE_MS)]).then(() => {
          listener.closed(`the MCP server did not start: ${why}`);
          resolve();
        });
      });
      this.#process.once("close", (code, signal) => {
        if (this.#process.pid === undefined) return;
        listener.closed(`the MCP server ended (${signal ?? `exit code ${code}`})`);
        resolve();
      });
    });
    readLines(stdout, MAX_MESSAGE, {
      line: (bytes) => {
        try {
          listener.message(utf8.decode(bytes));
        } catch {
          listener.message("\ufffd");
        }
        const { behind } = listener;
        if (!behind || stdout.isPaused()) return;
        stdout.pause();
        void behind.then(() => stdout.resume());
      },
      tooLong: () => {
        listener.closed(`the MCP server sent a message of more than ${MAX_MESSAGE} bytes`);
        this.#process.kill("SIGKILL");
      },
      // It is most likely about to end, and how is worth knowing.
      end: () => setTimeout(() => listener.closed("the MCP server closed its output"), GRACE_MS).unref(),
    });
  }

  send(text: string): void {
    this.#asked.resolve();
    this.#flow.write(text);
  }

  agreed(): void {}

  async close(): Promise<void> {
    this.#process.stdin?.end();
    for (const signal of ["SIGTERM", "SIGKILL"] as const) {
      const timer = setTimeout(() => this.#process.kill(signal), GRACE_MS * (signal === "SIGTERM" ? 1 : 2));
      void this.#ended.then(() => clearTimeout(timer));
    }
    await this.#ended;
  }
}
