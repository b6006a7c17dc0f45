import { basename } from "node:path";
import { outcomeFault } from "../audit/outcomes.ts";
import type { AuditQuery } from "../audit/query.ts";
import { CordonError } from "../base/errors.ts";
import { meant, nearNames } from "../base/near-names.ts";
import { cleanLine } from "../base/text.ts";
import { powerFault } from "../grants/audited-powers.ts";
import type { HookHost } from "../host/host.ts";

/** Requests by which a person, or their agent for them, looks at hooks and changes what they may do. */
export const CONTROL: ReadonlySet<string> = new Set(["list", "grant", "revoke", "enable", "disable", "audit"]);

/** Answers one of them. What gives more is asked back by `consent/ask`. */
export async function control(host: HookHost, method: string, params: Record<string, unknown>): Promise<unknown> {
  if (method === "list") return { hooks: await host.measure() };
  if (method === "audit") return { lines: await linesOf(host, params) };
  const id = String(params.id);
  refuseUnknown(host, id);
  if (method === "grant") return { answer: await host.grant(id, String(params.power), params.value) };
  if (method === "disable") return { disabled: await host.disable(id) };
  if (method === "enable") await host.enable(id);
  else await host.revoke(id, params.power as string | undefined);
  return null;
}

/** Answers `reload`. */
export async function reload(host: HookHost, id: string | undefined): Promise<void> {
  if (id !== undefined) refuseUnknown(host, id);
  await host.reload(id);
}

/** A word that no line can have would seem to find nothing. */
async function linesOf(host: HookHost, query: AuditQuery): Promise<unknown> {
  const lines = await host.audit(query);
  if (lines.length > 0) return lines;
  const { outcome, power } = query;
  const found = async (part: AuditQuery, word: string) =>
    new Set((await host.audit({ ...part, limit: 1 })).length > 0 ? [word] : []);
  const fault =
    (outcome === undefined ? undefined : outcomeFault(outcome, await found({ outcome }, outcome))) ??
    (power === undefined ? undefined : powerFault(power, await found({ power }, power)));
  if (fault !== undefined) throw new CordonError("BAD_GRANT", fault);
  return lines;
}

const MOST_LISTED = 20;
const MOST_MEANT = 3;

/** Throws `BAD_GRANT` for what is no hook's id, and names the ids that may be meant: people know a hook by its file's name. */
function refuseUnknown({ hooks }: HookHost, id: string): void {
  const ids = hooks.map((hook) => hook.id);
  if (ids.includes(id)) return;
  const called = ids.filter((one) => one.endsWith(`/${id}`) || basename(one).replace(/\.[cm]?[jt]sx?$/, "") === id);
  const near = called.length > 0 ? called.slice(0, MOST_MEANT) : nearNames(id, ids);
  const all = ids.slice(0, MOST_LISTED).join(", ") || "none";
  const help = near.length > 0 ? meant(near) : `; there are: ${all}${ids.length > MOST_LISTED ? " and more" : ""}`;
  throw new CordonError("BAD_GRANT", `no hook has the id ${cleanLine(id, 100)}${help}`);
}
