import type { CompletionQuestion } from "../../sandbox/wire/screens.ts";
import type { Subject } from "../host/drawings.ts";
import type { HookHost } from "../host/host.ts";
import type { Id, RpcConnection } from "./connection.ts";
import { refuseFor } from "./refused.ts";

/** Requests about what hooks offer. */
export const OFFERS = new Set([
  "offers",
  "runTool",
  "runCommand",
  "complete",
  "setFlag",
  "render",
  "suggest",
  "pressKey",
]);

/** A request that is being answered. `signal`: its `cancel`. */
export interface Asked {
  readonly id: Id;
  readonly signal: AbortSignal;
}

/** What hooks offer now. */
export const offersOf = ({ offers, providers, typing }: HookHost) => ({
  tools: offers.tools,
  commands: offers.commands("command"),
  shortcuts: offers.commands("shortcut"),
  flags: offers.flags,
  providers: providers.all,
  virtualModels: providers.virtualModels,
  completers: typing.completers,
  keyListeners: typing.listeners,
});

/** Reads or runs what hooks offer. A `cancel` of the request tells the tool or command. */
export async function askOffers(
  host: HookHost,
  connection: RpcConnection,
  method: string,
  params: Record<string, unknown>,
  { id, signal }: Asked,
): Promise<unknown> {
  const name = String(params.name);
  if (method === "offers") return offersOf(host);
  if (method === "complete") return host.offers.complete(name, String(params.args)).catch(refuseFor("CRASHED"));
  if (method === "setFlag") {
    host.offers.setFlag(name, params.value as boolean | string);
    return null;
  }
  if (method === "pressKey") return host.typing.press(String(params.data));
  if (method === "suggest") {
    const { lines, row, col, force = false } = params as Partial<CompletionQuestion>;
    const question = { lines: lines ?? [], row: row ?? 0, col: col ?? 0, force };
    // An agent in another process has no suggestions of its own to lend.
    const asked = host.typing.suggest({ hook: String(params.hook), name }, question, async () => null);
    return asked.catch(refuseFor("CRASHED"));
  }
  if (method === "render") {
    const { subject, width, options } = params as { subject?: Subject; width?: number; options?: object };
    const drawn = host.drawings.render(subject as Subject, Number(width), { ...options });
    return { lines: (await drawn.catch(refuseFor("CRASHED"))) ?? null };
  }
  const options = {
    toolCallId: String(params.toolCallId),
    signal,
    onUpdate: (partial: object) => connection.notify("tool/update", { id, partial }),
  };
  const running =
    method === "runTool"
      ? host.offers.runTool(name, params.params, options)
      : host.offers.runCommand(params.kind as "command", name, String(params.args ?? ""), signal);
  return running.catch(refuseFor("CRASHED"));
}
