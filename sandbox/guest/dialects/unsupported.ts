import { MAX_UNSUPPORTED } from "../../wire/messages.ts";
import type { Port } from "../core/port.ts";

/** What a bundle uses of its agent's API and no hook can have, by name, for a person. */
export class Unsupported {
  readonly #port: Port;
  readonly #names = new Set<string>();

  constructor(port: Port) {
    this.#port = port;
  }

  get names(): string[] {
    return [...this.#names];
  }

  /** Each is told once. */
  add(name: string): void {
    if (this.#names.has(name) || this.#names.size >= MAX_UNSUPPORTED) return;
    this.#names.add(name);
    this.#port.message({ t: "log", level: "warn", text: `${name} is not supported here` });
  }
}
