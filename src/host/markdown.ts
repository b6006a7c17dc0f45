import {
  ANY_TOOL,
  MARKDOWN_PLACES,
  MAX_MARKDOWN,
  type MarkdownPlace,
  type Run,
} from "../../sandbox/wire/registrations.ts";
import { withoutHeavy } from "../base/drawn-line.ts";
import { cleanLine, cleanText } from "../base/text.ts";
import { troubleOf } from "../session/failure-text.ts";
import type { Hook } from "../session/hook.ts";
import { ordered } from "../verdicts/host-inside.ts";
import { givenBy } from "../verdicts/result-shape.ts";
import type { RunDeps } from "./run-deps.ts";

/** Most waking time for one text, in ms. */
const LIMIT_MS = 2000;

/** What pi tells a transformer besides the text. */
export interface MarkdownContext {
  readonly messageType: MarkdownPlace;
  readonly isStreaming: boolean;
  readonly availableWidth: number;
  readonly messageId?: string | undefined;
  readonly timestamp?: string | undefined;
}

/** Hooks that change how the agent shows what was said. What is said stays as it is, and so does what the model gets. */
export class Markdown {
  readonly #deps: RunDeps;

  constructor(deps: RunDeps) {
    this.#deps = deps;
  }

  /** Where hooks change Markdown now. */
  get places(): MarkdownPlace[] {
    return MARKDOWN_PLACES.filter((place) => this.#asked(place).length > 0);
  }

  /**
   * The text as the hooks want it shown, one after the other. A line before it names those that changed it. A hook that fails
   * leaves it as it is. Never rejects.
   */
  async transform(markdown: string, context: MarkdownContext): Promise<string> {
    let now = markdown;
    const changedBy: string[] = [];
    for (const hook of this.#asked(context.messageType)) {
      if (now.length > MAX_MARKDOWN) break;
      const params = { markdown: now, context };
      const run: Run = { type: "run", kind: "markdownTransformer", name: ANY_TOOL, params };
      const outcome = await this.#deps.dispatcher.run(hook, run, LIMIT_MS, {});
      const text = givenBy<{ text?: string }>(outcome)?.text;
      if (troubleOf(outcome)) this.#deps.reporter.reportOutcome(hook, run.kind, outcome);
      else if (text !== undefined && text !== now) {
        now = withoutHeavy(cleanText(text, MAX_MARKDOWN));
        changedBy.push(hook.name);
      }
    }
    return changedBy.length > 0 ? `┃ ${cleanLine(changedBy.join(", "), 200)}\n\n${now}` : markdown;
  }

  #asked(place: MarkdownPlace): Hook[] {
    return ordered({ hooks: this.#deps.hooks }, (hook) => hook.isUp).filter((hook) =>
      hook.registrations.all.some(
        (one) =>
          one.kind === "markdownTransformer" && hook.mayOffer(one) && one.description.places?.includes(place) === true,
      ),
    );
  }
}
