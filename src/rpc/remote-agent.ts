import type { HookUIContext } from "../hook-api.ts";
import type { ConsentHandler } from "../session/consent.ts";
import type { RpcConnection } from "./connection.ts";

/** The id for questions of Cordon's own. No hook has this id. */
const OWN = null;

/** The agent's dialogs, over the wire. The texts are the hook's own, cleaned; the agent shows `hook` beside them. */
export function remoteUi(connection: RpcConnection): HookUIContext {
  return {
    async select(title, options, origin) {
      const answer = await connection.ask(
        "ui/select",
        { hook: origin?.hook ?? OWN, title: origin?.title ?? title, options },
        origin?.signal,
      );
      return typeof answer === "string" ? answer : null;
    },
    async confirm(title, message, origin) {
      return (
        (await connection.ask(
          "ui/confirm",
          { hook: origin?.hook ?? OWN, title: origin?.title ?? title, message: origin?.text ?? message },
          origin?.signal,
        )) === true
      );
    },
    async input(title, placeholder, origin) {
      const params = {
        hook: origin?.hook ?? OWN,
        title: origin?.title ?? title,
        ...(placeholder === undefined ? {} : { placeholder: origin?.text ?? placeholder }),
      };
      const answer = await connection.ask("ui/input", params, origin?.signal);
      return typeof answer === "string" ? answer : null;
    },
    notify(message, type = "info", origin) {
      connection.notify("ui/notify", { hook: origin?.hook ?? OWN, message: origin?.title ?? message, type });
    },
  };
}

/** Consent over the wire. If no person is behind it, nothing is allowed permanently. */
export function remoteConsent(connection: RpcConnection, person: boolean): ConsentHandler {
  return async (question) => {
    const answer = await connection.ask("consent/ask", question);
    if (answer === "always") return person ? "always" : "session";
    return answer === "once" || answer === "session" ? answer : "deny";
  };
}

/** API keys over the wire. */
export function remoteModel(connection: RpcConnection) {
  return {
    complete(
      model: object,
      context: object,
      { signal, ...options }: { signal: AbortSignal },
      origin: { hook: string },
    ) {
      return connection.ask("model/complete", { hook: origin.hook, model, context, options }, signal);
    },
    async resolveApiKey(model: unknown, origin?: { hook: string }): Promise<string | undefined> {
      const key = await connection.ask("model/resolveApiKey", { hook: origin?.hook ?? OWN, model });
      return typeof key === "string" ? key : undefined;
    },
  };
}
