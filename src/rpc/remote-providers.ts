import type { HookHost } from "../host/host.ts";
import type { LoginDialog, ModelRequest } from "../host/providers.ts";
import type { Id, RpcConnection } from "./connection.ts";

/** Requests about hooks' providers of models. */
export const PROVIDERS: ReadonlySet<string> = new Set(["answer", "route", "signIn", "renew", "providerModels"]);

/** What an agent asks of hooks' providers, over the wire. Events of an answer come without the message so far. */
export async function askProvider(
  { providers }: HookHost,
  connection: RpcConnection,
  method: string,
  params: Record<string, unknown>,
  { id, signal }: { id: Id; signal: AbortSignal },
): Promise<unknown> {
  const name = String(params.name);
  if (method === "route") {
    const { provider, id } = params as { provider: string; id: string };
    return providers.route({ provider, id }, params.request as object, signal);
  }
  if (method === "providerModels") return providers.models(name, signal);
  if (method === "renew") return providers.refresh(name, params.credentials as object, signal);
  if (method === "signIn") {
    const dialog: LoginDialog = async (step, value, gone) =>
      (await connection.ask("provider/login", { id, step, value }, gone)) ?? undefined;
    return providers.login(name, dialog, signal);
  }
  const { model, context, options = {} } = params as Partial<ModelRequest>;
  await providers.stream(
    name,
    { model: model ?? {}, context: context ?? {}, options },
    {
      signal,
      onEvent(event) {
        const { partial: _partial, ...rest } = event as typeof event & { partial?: object };
        connection.notify("provider/event", { id, event: rest });
      },
      onNote: async (note, value) => (await connection.ask("provider/note", { id, note, value }, signal)) ?? undefined,
    },
  );
  return null;
}
