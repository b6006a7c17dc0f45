import type { DialogOrigin, HookUIContext } from "../hook-api.ts";
import type { ConsentHandler } from "../session/consent.ts";
import type { RpcConnection } from "./connection.ts";

/** The id for questions of Cordon's own. No hook has this id. */
const OWN = null;

/** Who asks, and what every dialog shows. */
const dialog = (title: string, origin: DialogOrigin | undefined) => ({
  hook: origin?.hook ?? OWN,
  title: origin?.title ?? title,
});
const textOrNull = (answer: unknown): string | null => (typeof answer === "string" ? answer : null);

/** The agent's dialogs, over the wire. The texts are the hook's own, cleaned; the agent shows `hook` beside them. */
export function remoteUi(connection: RpcConnection): HookUIContext {
  return {
    async select(title, options, origin) {
      return textOrNull(await connection.ask("ui/select", { ...dialog(title, origin), options }, origin?.signal));
    },
    async confirm(title, message, origin) {
      const params = { ...dialog(title, origin), message: origin?.text ?? message };
      return (await connection.ask("ui/confirm", params, origin?.signal)) === true;
    },
    async input(title, placeholder, origin) {
      const shown = placeholder === undefined ? undefined : (origin?.text ?? placeholder);
      const params = { ...dialog(title, origin), placeholder: shown };
      return textOrNull(await connection.ask("ui/input", params, origin?.signal));
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
    complete(model: object, context: object, given: { signal: AbortSignal }, { hook }: { hook: string }) {
      const { signal, ...options } = given;
      return connection.ask("model/complete", { hook, model, context, options }, signal);
    },
    async resolveApiKey(model: unknown, origin?: { hook: string }): Promise<string | undefined> {
      return textOrNull(await connection.ask("model/resolveApiKey", { hook: origin?.hook ?? OWN, model })) ?? undefined;
    },
  };
}
