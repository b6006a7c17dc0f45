import type { Subject } from "../../host/drawings.ts";
import type { HookHost } from "../../host/host.ts";
import type { PiComponent, PiRendererContext, PiTool } from "./pi-api.ts";
import type { PiLink } from "./pi-link.ts";

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
      this.#component({ kind, name, value }, plain(options), textOf(value.content ?? value.data), () =>
        this.#link.redraw(),
      );
  }

  /** Renderers for a tool, as far as a hook draws it. */
  ofTool(name: string): Renderers {
    const draw = (subject: Subject, options: object, context: PiRendererContext, otherwise: string): PiComponent =>
      this.#component(subject, { ...plain(context), ...plain(options) }, otherwise, () => context.invalidate());
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

  /** A component with the lines for its width, once they are there. `otherwise`: what is shown without any. */
  #component(subject: Subject, options: Record<string, unknown>, otherwise: string, redraw: () => void): PiComponent {
    let asked: number | undefined;
    let lines: string[] | undefined;
    const ask = async (width: number): Promise<void> => {
      asked = width;
      const drawn = await this.#host.drawings.render(subject, width, options).catch(() => undefined);
      if (asked !== width) return;
      lines = drawn ?? wrapped(otherwise, width);
      redraw();
    };
    return {
      render(width) {
        if (asked !== width) void ask(width);
        return lines ?? [];
      },
      invalidate() {
        asked = undefined;
      },
    };
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
