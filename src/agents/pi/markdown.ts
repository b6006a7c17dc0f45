import type { HookHost } from "../../host/host.ts";
import type { MarkdownContext } from "../../host/markdown.ts";
import type { PiLink } from "./pi-link.ts";

/** Texts that are kept: more than a screen has, and a session's that is restored. */
const MOST_KEPT = 500;
/** Texts that wait for the hooks. Those that came first are shown as they are. */
const MOST_WAITING = 200;
/** pi draws anew at most so often, in ms: all of its screen. */
const REDRAW_MS = 50;

interface Asked {
  readonly key: string;
  readonly markdown: string;
  readonly context: MarkdownContext;
}

/**
 * Has hooks change how pi shows what was said. pi wants the text at once, so it shows the original until the hooks have
 * answered, and is then made to draw once more.
 */
export class PiMarkdown {
  readonly #host: HookHost;
  readonly #link: PiLink;
  /** The places, as pi has them. */
  #registered = "";
  readonly #kept = new Map<string, string>();
  #waiting: Asked[] = [];
  #asks = false;
  #redraw: NodeJS.Timeout | undefined;

  constructor(host: HookHost, link: PiLink) {
    this.#host = host;
    this.#link = link;
  }

  /** Follows what hooks change now. */
  update(): void {
    const { places } = this.#host.markdown;
    const key = places.join();
    if (key === this.#registered) return;
    this.#registered = key;
    this.#kept.clear();
    this.#link.pi.registerMarkdownTransformer?.((markdown, context) => this.#shown(markdown, context), {
      messageTypes: places,
    });
    this.#drawAnew();
  }

  #shown(markdown: string, context: MarkdownContext): string {
    if (!this.#host.markdown.places.includes(context.messageType)) return markdown;
    const { messageType, isStreaming, availableWidth, messageId, timestamp } = context;
    const key = JSON.stringify([markdown, messageType, isStreaming, availableWidth]);
    const known = this.#kept.get(key);
    if (known !== undefined) return known;
    if (!this.#waiting.some((one) => one.key === key)) {
      // Of a message that streams, only what it has become is worth an answer.
      if (isStreaming) this.#waiting = this.#waiting.filter((one) => !one.context.isStreaming);
      this.#waiting.push({
        key,
        markdown,
        context: { messageType, isStreaming, availableWidth, messageId, timestamp },
      });
      if (this.#waiting.length > MOST_WAITING) this.#waiting.shift();
      void this.#ask();
    }
    return markdown;
  }

  async #ask(): Promise<void> {
    if (this.#asks) return;
    this.#asks = true;
    for (let next = this.#waiting[0]; next; next = this.#waiting[0]) {
      const { key, markdown, context } = next;
      const text = await this.#host.markdown.transform(markdown, context).catch(() => markdown);
      this.#waiting = this.#waiting.filter((one) => one.key !== key);
      this.#keep(key, text);
      if (text !== markdown) this.#drawAnew();
    }
    this.#asks = false;
  }

  #keep(key: string, text: string): void {
    this.#kept.set(key, text);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MOST_KEPT && oldest !== undefined) this.#kept.delete(oldest);
  }

  #drawAnew(): void {
    this.#redraw ??= setTimeout(() => {
      this.#redraw = undefined;
      this.#link.redrawAll();
    }, REDRAW_MS).unref();
  }
}
