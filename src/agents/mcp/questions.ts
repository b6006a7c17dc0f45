import { randomUUID } from "node:crypto";
import type { DialogOrigin, HookUIContext } from "../../hook-api.ts";
import { askBySelector, type ConsentAnswer, type ConsentHandler } from "../../session/consent.ts";
import type { Id, Params } from "./message.ts";

/** Begins the ids of Cordon's own questions to the client. A server's request with such an id is not passed on. */
export const OWN_ID = "cordon:";

/** A client may answer by itself: what it allows ends with the session. */
const ANSWERS: readonly ConsentAnswer[] = ["deny", "once", "session"];

type Send = (text: string) => void;

/** Asks the client's person, by elicitation. */
export class Questions {
  readonly #send: Send;
  readonly #log: Send;
  readonly #open = new Map<Id, (result: Params | undefined) => void>();
  #isOver = false;
  /** True once the client said that it shows forms. */
  showsForms = false;

  /** `send`: to the client. `log`: what is only told. */
  constructor(send: Send, log: Send) {
    this.#send = send;
    this.#log = log;
  }

  /** Takes an answer of the client; false if it answers no question of Cordon's. */
  take(id: Id | null, result: Params | undefined): boolean {
    const settle = id === null ? undefined : this.#open.get(id);
    settle?.(result);
    return settle !== undefined;
  }

  /** Nobody answers any more. */
  end(): void {
    this.#isOver = true;
    for (const settle of [...this.#open.values()]) settle(undefined);
  }

  readonly ui: HookUIContext = {
    select: async (title, options, origin) => {
      const answer = await this.#ask(title, { type: "string", title: "Answer", enum: options }, origin);
      return options.find((option) => option === answer) ?? null;
    },
    confirm: async (title, message, origin) =>
      (await this.#ask(message ? `${title}\n${message}` : title, { type: "boolean", title: "Yes" }, origin)) === true,
    input: async (title, placeholder, origin) => {
      const hint = placeholder ? { description: placeholder } : {};
      const answer = await this.#ask(title, { type: "string", title: "Answer", ...hint }, origin);
      return typeof answer === "string" ? answer : null;
    },
    notify: (message) => this.#log(message),
  };

  /** Asks about a power that a hook uses for the first time. */
  readonly consent: ConsentHandler = (question) => {
    const answers = (question.answers ?? ANSWERS).filter((answer) => ANSWERS.includes(answer));
    return askBySelector((title, options) => this.ui.select(title, options))({ ...question, answers });
  };

  /** The answer; `undefined` if the person gives none. */
  async #ask(message: string, answer: object, origin: DialogOrigin | undefined): Promise<unknown> {
    const signal = origin?.signal;
    if (!this.showsForms || this.#isOver || signal?.aborted) return undefined;
    const id = `${OWN_ID}${randomUUID()}`;
    const result = await new Promise<Params | undefined>((resolve) => {
      const cancel = (): void => {
        const params = { requestId: id, reason: "nobody waits for the answer any more" };
        this.#send(JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params }));
        settle(undefined);
      };
      const settle = (given: Params | undefined): void => {
        this.#open.delete(id);
        signal?.removeEventListener("abort", cancel);
        resolve(given);
      };
      this.#open.set(id, settle);
      signal?.addEventListener("abort", cancel, { once: true });
      const requestedSchema = { type: "object", properties: { answer }, required: ["answer"] };
      this.#send(
        JSON.stringify({ jsonrpc: "2.0", id, method: "elicitation/create", params: { message, requestedSchema } }),
      );
    });
    return result?.action === "accept" ? (Object(result.content) as Params).answer : undefined;
  }
}

/** True if a client that says this of itself shows forms. */
export function showsForms({ capabilities }: Params): boolean {
  const { elicitation } = Object(capabilities) as Params;
  if (typeof elicitation !== "object" || elicitation === null) return false;
  return "form" in elicitation || !("url" in elicitation);
}
