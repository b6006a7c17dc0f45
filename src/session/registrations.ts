import { type Description, MAX_REGISTRATIONS, type RegistrationKind } from "../../sandbox/wire/registrations.ts";

/** One tool, command, shortcut or flag that a hook adds to the agent. */
export interface Registration {
  readonly kind: RegistrationKind;
  readonly name: string;
  readonly description: Description;
}

/** The smallest grant with which a hook may offer this. */
export function powerFor(kind: RegistrationKind, name: string): { capability: string; grant: string[] } {
  if (kind === "tool") return { capability: "tools", grant: [name] };
  if (kind === "command" || kind === "shortcut") return { capability: "commands", grant: [name] };
  if (kind === "markdownTransformer") return { capability: "ui", grant: ["markdown"] };
  return { capability: "ui", grant: [kind === "completer" || kind === "keyListener" ? "typing" : "draw"] };
}

/** What one hook adds to the agent, in the order in which it was registered. */
export class Registrations {
  readonly #all = new Map<string, Registration>();

  get all(): readonly Registration[] {
    return [...this.#all.values()];
  }

  /** Adds or replaces one; without a description, removes it. Throws if there are too many. */
  set(kind: RegistrationKind, name: string, description: Description | null): void {
    const key = `${kind} ${name}`;
    if (!description) {
      this.#all.delete(key);
      return;
    }
    if (!this.#all.has(key) && this.#all.size >= MAX_REGISTRATIONS)
      throw new Error(`more than ${MAX_REGISTRATIONS} tools, commands, shortcuts and flags`);
    this.#all.set(key, { kind, name, description });
  }

  /** A new isolate of the hook loads. */
  clear(): void {
    this.#all.clear();
  }
}
