import type { MessageEventResult, ParamsEventResult } from "../../hook-api.ts";
import type { HookHost } from "../../host/host.ts";
import type { PiContext, PiEvent } from "./pi-api.ts";
import type { PiLink } from "./pi-link.ts";

/** What the hooks of other dialects hear before a request, and the event of pi's that stands for it. */
export const MESSAGE_EVENTS = [
  ["message", "input"],
  ["params", "before_agent_start"],
] as const;

/** Shows hooks what the person wrote. Returns pi's decision if they changed it. */
export async function passMessage(host: HookHost, { text, images }: PiEvent): Promise<object | undefined> {
  const result = (await host.emit({ type: "message", text, metadata: {} })) as MessageEventResult | undefined;
  if (result?.text === undefined || result.text === text) return undefined;
  return { action: "transform", text: result.text, ...(images ? { images } : {}) };
}

/** Asks hooks about the thinking level of the next requests. */
export async function passParams(host: HookHost, link: PiLink, { model }: PiContext): Promise<void> {
  if (!model) return;
  const { provider, id } = model;
  const thinkLevel = link.pi.getThinkingLevel();
  const asked = { type: "params", provider, model: id, thinkLevel, metadata: {} } as const;
  const result = (await host.emit(asked)) as ParamsEventResult | undefined;
  if (result?.thinkLevel !== undefined && result.thinkLevel !== thinkLevel) link.pi.setThinkingLevel(result.thinkLevel);
}
