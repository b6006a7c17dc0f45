import type { Suggest } from "../../hook-screen.ts";
import type { HookHost } from "../../host/host.ts";
import type { OfferedCompleter } from "../../host/typing.ts";
import { hasControlC } from "../../powers/leave-keys.ts";
import { openDialogs } from "./open-dialogs.ts";
import type { PiLink } from "./pi-link.ts";
import type { PiCompleter, PiKey } from "./pi-ui.ts";

/** Puts hooks that read what the person types into pi: completers of words, and listeners to keys. */
export class PiTyping {
  readonly #host: HookHost;
  readonly #link: PiLink;
  /** pi keeps completers until its session ends. */
  readonly #completers = new Set<string>();
  /** Hooks that hear keys, as the notice names them. */
  #heard = "";
  #stopListening: (() => void) | undefined;
  /** Keys that hooks have not answered yet. */
  readonly #waiting: string[] = [];
  #isAsking = false;
  /** A key comes from here, and not from the person. */
  #isOwn = false;

  constructor(host: HookHost, link: PiLink) {
    this.#host = host;
    this.#link = link;
  }

  /** Takes over what hooks have by now. Only pi's `tui` mode has an editor. */
  update(): void {
    if (!this.#link.hasBegun || this.#link.context.mode !== "tui") return;
    const { typing } = this.#host;
    for (const completer of typing.completers) {
      const key = JSON.stringify([completer.hook, completer.name]);
      if (this.#completers.has(key)) continue;
      this.#completers.add(key);
      this.#link.context.ui.addAutocompleteProvider((agents) => this.#completer(completer, agents));
    }
    const { listeners } = typing;
    const heard = listeners.join(", ");
    if (heard === this.#heard) return;
    this.#heard = heard;
    this.#link.notices = heard === "" ? [] : [`hook ${heard} reads your keys`];
    if (heard !== "") this.#stopListening ??= this.#link.context.ui.onTerminalInput((data) => this.#press(data));
    else {
      this.#stopListening?.();
      this.#stopListening = undefined;
    }
  }

  #completer(offered: OfferedCompleter, agents: PiCompleter): PiCompleter {
    return {
      triggerCharacters: [...new Set([...(agents.triggerCharacters ?? []), ...offered.triggers])],
      getSuggestions: async (lines, row, col, options) => {
        const question = { lines, row, col, force: options.force === true };
        try {
          return await this.#host.typing.suggest(offered, question, suggestOf(agents), options.signal);
        } catch {
          // It is reported. Its hook is down: the person goes on without it.
          return agents.getSuggestions(lines, row, col, options);
        }
      },
      applyCompletion: (...args) => agents.applyCompletion(...args),
      shouldTriggerFileCompletion: (...args) => agents.shouldTriggerFileCompletion?.(...args) ?? true,
    };
  }

  /** pi wants to know at once who keeps a key. So each is kept, and comes again once the hooks have answered. */
  #press(data: string): PiKey {
    // A dialog is answered by the person alone: a hook could make another answer of a key, or keep it.
    if (this.#isOwn || hasControlC(data) || openDialogs.isAny) return undefined;
    this.#waiting.push(data);
    if (!this.#isAsking) void this.#ask();
    return { consume: true };
  }

  async #ask(): Promise<void> {
    this.#isAsking = true;
    for (let data = this.#waiting.shift(); data !== undefined; data = this.#waiting.shift()) {
      const pressed = await this.#host.typing.press(data);
      if (pressed.consume) continue;
      // It was pressed before the dialog came, and for something else: a hook that takes its time must not answer by it.
      while (openDialogs.isAny) await openDialogs.whenNone();
      this.#isOwn = true;
      try {
        this.#link.type(pressed.data ?? data);
      } finally {
        this.#isOwn = false;
      }
    }
    this.#isAsking = false;
  }
}

/** What pi itself suggests. */
export const suggestOf =
  (agents: PiCompleter): Suggest =>
  ({ lines, row, col, force }) =>
    agents.getSuggestions([...lines], row, col, { signal: new AbortController().signal, force });
