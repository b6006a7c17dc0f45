import type { Subject } from "../../host/drawings.ts";
import type { HookHost } from "../../host/host.ts";
import type { PiTool } from "./pi-api.ts";
import type { PiLink } from "./pi-link.ts";
import type { PiComponent, PiRendererContext } from "./pi-ui.ts";

type Renderers = Pick<PiTool, "renderCall" | "renderResult">;

/** The options of pi's renderers that a hook's renderer can use: no functions. */
const plain = (options: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(options).filter(([, value]) => ["boolean", "number", "string"].includes(typeof value)),
  );

/** Draws what hooks have renderers for. pi calls its renderers at once; the hook's lines follow. */
export class PiRenderers {
  readonly #host: HookHost;
  readonly #link: PiLink;

  constructor(host: HookHost, link: PiLink) {
    this.#host = host;
    this.#link = link;
  }

  /** A renderer for a message or an entry of a hook's own type. */
  of(kind: "message" | "entry", name: string) {
    return (value: { content?: unknown; data?: unknown }, options: object): PiComponent =>
      new DrawnByHook(this.#host, { kind, name, value }, plain(options), {
        otherwise: textOf(value.content ?? value.data),
        redraw: () => this.#link.redraw(),
      });
  }

  /** Renderers for a tool, as far as a hook draws it. */
  ofTool(name: string): Renderers {
    const draw = (subject: Subject, options: object, context: PiRendererContext, otherwise: string): PiComponent => {
      const drawn = new DrawnByHook(
        this.#host,
        subject,
        { ...plain(context), ...plain(options) },
        { otherwise, redraw: () => context.invalidate() },
      );
      // pi asks for a new component whenever it draws the row again.
      return context.lastComponent instanceof DrawnByHook ? drawn.after(context.lastComponent) : drawn;
    };
    return {
      ...(this.#host.drawings.draws("call", name)
        ? {
            renderCall: (args, _theme, context) =>
              draw({ kind: "call", name, args }, {}, context, `${name} ${JSON.stringify(args)}`),
          }
        : {}),
      ...(this.#host.drawings.draws("result", name)
        ? {
            renderResult: (result, options, _theme, context) =>
              draw({ kind: "result", name, args: context.args, result }, options, context, textOf(result.content)),
          }
        : {}),
    };
  }
}

/** A component with the lines of a hook for its width, once they are there. */
class DrawnByHook implements PiComponent {
  readonly #host: HookHost;
  readonly #subject: Subject;
  readonly #options: Record<string, unknown>;
  /** Shown if the hook draws nothing. */
  readonly #otherwise: string;
  readonly #redraw: () => void;
  readonly #key: string;
  #asked: number | undefined;
  #lines: string[] = [];

  constructor(
    host: HookHost,
    subject: Subject,
    options: Record<string, unknown>,
    { otherwise, redraw }: { otherwise: string; redraw: () => void },
  ) {
    this.#host = host;
    this.#subject = subject;
    this.#options = options;
    this.#otherwise = otherwise;
    this.#redraw = redraw;
    this.#key = JSON.stringify([subject, options]);
  }

  /** The one that was shown before if nothing changed; else this one, which shows the old lines until it has its own. */
  after(last: DrawnByHook): DrawnByHook {
    if (last.#key === this.#key) return last;
    this.#lines = last.#lines;
    return this;
  }

  render(width: number): string[] {
    if (this.#asked !== width) void this.#ask(width);
    return this.#lines;
  }

  invalidate(): void {
    this.#asked = undefined;
  }

  async #ask(width: number): Promise<void> {
    this.#asked = width;
    const drawn = await this.#host.drawings.render(this.#subject, width, this.#options).catch(() => undefined);
    const lines = drawn ?? wrapped(this.#otherwise, width);
    // Another drawing has pi invalidate this component, which asks again: it ends when nothing changes.
    if (lines.join("\n") === this.#lines.join("\n")) return;
    this.#lines = lines;
    this.#redraw();
  }
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return content === undefined ? "" : JSON.stringify(content);
  return content.map((part) => (typeof part?.text === "string" ? part.text : "")).join("\n");
}

/** Plain lines that fit. Text beyond ASCII is left to hooks' renderers, whose lines are measured. */
const wrapped = (text: string, width: number): string[] =>
  text
    .replace(/[^\n -~]/g, "?")
    .split("\n")
    .flatMap((line) => line.match(new RegExp(`.{1,${width}}`, "g")) ?? [""]);
