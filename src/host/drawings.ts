import { setImmediate } from "node:timers/promises";
import { ANY_TOOL, type RegistrationKind, type Run } from "../../sandbox/wire/registrations.ts";
import type { Drawing } from "../../sandbox/wire/screens.ts";
import { type DrawnLine, drawnLine } from "../base/drawn-line.ts";
import type { Edited } from "../powers/editor-screen.ts";
import { BAR_COLUMNS, bar } from "../powers/screen-frame.ts";
import { Screens } from "../powers/screens.ts";
import { reasonOf, troubleOf } from "../session/failure-text.ts";
import type { Hook } from "../session/hook.ts";
import type { Registration } from "../session/registrations.ts";
import { ordered } from "../verdicts/host-inside.ts";
import { givenBy } from "../verdicts/result-shape.ts";
import type { RunDeps } from "./run-deps.ts";

/** Most waking time for one drawing, in ms. */
const DRAW_LIMIT_MS = 2000;

/** Lines that are made fit for a terminal before the agent's own work gets its turn. */
const LINES_AT_ONCE = 10;

/** What an agent wants drawn: a message or entry of a hook's own type, or the call or result of a tool. */
export type Subject =
  | { kind: "message" | "entry"; name: string; value: unknown }
  | { kind: "call"; name: string; args: unknown }
  | { kind: "result"; name: string; args: unknown; result: unknown };

/** Makes hooks draw: the components that they show, and what they registered renderers for. */
export class Drawings {
  readonly #deps: RunDeps;

  constructor(deps: RunDeps) {
    this.#deps = deps;
    for (const hook of deps.hooks)
      hook.screens = new Screens(hook, async (number, drawing) => {
        const run: Run = { type: "run", kind: "screen", name: String(number), drawing };
        const { lines = [], text, acts } = (await this.#draw(hook, run)) ?? {};
        return { lines, ...(text === undefined ? {} : { text }), ...(acts ? { acts } : {}) };
      });
  }

  /** What hooks draw besides their own tools: messages and entries by type, or any of the agent's tools. */
  get renderers(): { hook: string; kind: "message" | "entry" | "tools"; name: string }[] {
    return this.#deps.hooks.filter(isDrawing).flatMap((hook) =>
      hook.registrations.all.flatMap(({ kind, name }) => {
        const drawn = DRAWN[kind];
        return drawn ? [{ hook: hook.id, kind: drawn, name }] : [];
      }),
    );
  }

  /** Whether a hook would be asked to draw this. Costs no round trip. */
  draws(kind: Subject["kind"], name: string): boolean {
    return this.#rendererFor(kind, name) !== undefined;
  }

  /**
   * Lines of it in a frame with the hook's name, cut to the width; `undefined` if the agent is to draw it. `options`: as pi
   * gives a renderer, such as `expanded`. Rejects with the reason if the hook fails.
   */
  async render(
    subject: Subject,
    width: number,
    options: Readonly<Record<string, unknown>> = {},
  ): Promise<string[] | undefined> {
    const { kind, name, ...rest } = subject;
    const found = this.#rendererFor(kind, name);
    if (!found) return undefined;
    const inner = Math.max(1, width - BAR_COLUMNS);
    const drawing: Drawing = {
      width: inner,
      rows: MAX_ROWS,
      subject: "value" in rest ? rest.value : { part: kind, ...rest },
      options,
    };
    const lines = (await this.#draw(found.hook, { type: "run", kind: found.registration.kind, name, drawing }))?.lines;
    if (!lines) return undefined;
    const fit: DrawnLine[] = [];
    // A list has no height: there may be hundreds of lines, and each may take a millisecond.
    for (let at = 0; at < lines.length; at += LINES_AT_ONCE) {
      if (at > 0) await setImmediate();
      fit.push(...lines.slice(at, at + LINES_AT_ONCE).map((line) => drawnLine(line, inner)));
    }
    return bar(fit, found.hook.name, width);
  }

  /** A tool's own renderer is asked before those for all tools. */
  #rendererFor(kind: Subject["kind"], name: string): { hook: Hook; registration: Registration } | undefined {
    const isOfTool = kind === "call" || kind === "result";
    return isOfTool
      ? (this.#find(
          (one) => one.kind === "tool" && one.name === name && one.description.draws?.includes(kind) === true,
        ) ?? this.#find((one) => one.kind === "toolRenderer" && one.name === ANY_TOOL))
      : this.#find((one) => one.kind === `${kind}Renderer` && one.name === name);
  }

  #find(fits: (registration: Registration) => boolean): { hook: Hook; registration: Registration } | undefined {
    for (const hook of ordered({ hooks: this.#deps.hooks })) {
      if (!isDrawing(hook)) continue;
      const registration = hook.registrations.all.find((one) => fits(one) && hook.mayOffer(one));
      if (registration) return { hook, registration };
    }
    return undefined;
  }

  /** Not each drawing is written to the audit, since there may be thirty in a second. Failures are. */
  async #draw(hook: Hook, run: Run): Promise<Partial<Edited> | undefined> {
    const outcome = await this.#deps.dispatcher.run(hook, run, DRAW_LIMIT_MS, {});
    const trouble = troubleOf(outcome);
    if (!trouble) return givenBy<Partial<Edited>>(outcome);
    this.#deps.reporter.reportOutcome(hook, `${run.kind} ${run.name}`, outcome);
    throw new Error(reasonOf(hook, trouble, "draw"));
  }
}

const isDrawing = (hook: Hook): boolean => hook.isUp && hook.mayDraw;

const DRAWN: { readonly [Kind in RegistrationKind]?: "message" | "entry" | "tools" } = {
  messageRenderer: "message",
  entryRenderer: "entry",
  toolRenderer: "tools",
};

/** What is drawn into a list that scrolls has no height of its own. */
const MAX_ROWS = 100;
