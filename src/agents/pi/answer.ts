import { readJson } from "../../../sandbox/wire/read-json.ts";
import { messageOf } from "../../base/errors.ts";
import { Answer, type AnswerEvent, type AnswerMessage } from "../../host/answer.ts";
import type { ModelRequest, Providers } from "../../host/providers.ts";
import type { PiRequest } from "./pi-api.ts";

/** A stream of events as pi reads it: each once, by one reader. */
export class PiAnswer implements AsyncIterable<AnswerEvent> {
  readonly #waiting: AnswerEvent[] = [];
  #wake: () => void = () => {};
  #isOver = false;
  readonly #result = Promise.withResolvers<AnswerMessage>();

  push(event: AnswerEvent): void {
    if (this.#isOver) return;
    this.#waiting.push(event);
    if (event.type === "done" || event.type === "error") {
      this.#isOver = true;
      this.#result.resolve(event.type === "done" ? event.message : event.error);
    }
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncIterator<AnswerEvent> {
    for (;;) {
      const next = this.#waiting.shift();
      if (next) yield next;
      else if (this.#isOver) return;
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
    }
  }

  /** The whole message, at its end. */
  result(): Promise<AnswerMessage> {
    return this.#result.promise;
  }
}

/** Has a hook answer a request of pi's. */
export function piAnswer(providers: Providers, name: string, [asked, context, options = {}]: PiRequest): PiAnswer {
  const answer = new PiAnswer();
  const { headers: _headers, ...model } = asked;
  const { signal, onPayload, onResponse, onProviderStreamEvent, ...rest } = options;
  const request: ModelRequest = { model, context, options: readJson(JSON.stringify(rest)) };
  const listens = { payload: onPayload, response: onResponse, event: onProviderStreamEvent };
  providers
    .stream(name, request, {
      ...(signal ? { signal } : {}),
      onEvent: (event) => answer.push(event),
      onNote: (note, value) => listens[note]?.(value, asked),
    })
    .catch((error: unknown) => answer.push(new Answer(model).fail("error", messageOf(error))));
  return answer;
}
