import type { Writable } from "node:stream";
import { oneLine } from "../../base/one-line.ts";

/** Writes lines of JSON, and says when the reader is behind. */
export class LineFlow {
  readonly #output: Writable;
  #drained: Promise<void> | undefined;

  /** `gone`: nobody reads any more. */
  constructor(output: Writable, gone: () => void) {
    this.#output = output;
    output.on("error", gone);
  }

  write(json: string): void {
    if (this.#output.destroyed || this.#output.writableEnded || this.#output.write(`${oneLine(json)}\n`)) return;
    this.#drained ??= new Promise<void>((resolve) => {
      const done = (): void => {
        this.#drained = undefined;
        resolve();
      };
      this.#output.once("drain", done).once("close", done);
    });
  }

  /** Resolves once the reader took enough; `undefined` if it is not behind. */
  get behind(): Promise<void> | undefined {
    return this.#drained;
  }

  /** Resolves once everything written has been taken. */
  flush(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#output.destroyed || this.#output.writableEnded) resolve();
      else this.#output.write("", () => resolve());
    });
  }
}
