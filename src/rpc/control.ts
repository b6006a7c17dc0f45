import type { HookHost } from "../host/host.ts";

/** Requests by which a person, or their agent for them, looks at hooks and changes what they may do. */
export const CONTROL: ReadonlySet<string> = new Set(["list", "grant", "revoke", "enable", "disable", "audit"]);

/** Answers one of them. What gives more is asked back by `consent/ask`. */
export async function control(host: HookHost, method: string, params: Record<string, unknown>): Promise<unknown> {
  const id = String(params.id);
  if (method === "list") return { hooks: await host.measure() };
  if (method === "grant") return { answer: await host.grant(id, String(params.power), params.value) };
  if (method === "disable") return { disabled: await host.disable(id) };
  if (method === "audit") return { lines: await host.audit(params) };
  if (method === "enable") await host.enable(id);
  else await host.revoke(id, params.power as string | undefined);
  return null;
}
