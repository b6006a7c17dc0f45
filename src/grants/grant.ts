import Type, { type Static } from "typebox";
import { BuildRecord } from "./build-record.ts";
import { type Capabilities, CapabilitiesShape, checker, closed, Limits, refineCapabilities } from "./schema.ts";

const digest = Type.String({ pattern: "^sha256-[0-9a-f]{64}$" });

/** One hook's grant as a grants file or the `grant` option has it. */
export const GrantEntry = Type.Object(
  {
    digest: Type.Optional(digest),
    /** Of a project's hook: what was built of it then. */
    bundle: Type.Optional(BuildRecord),
    capabilities: Type.Optional(CapabilitiesShape),
    limits: Type.Optional(Limits),
    priority: Type.Optional(Type.Integer({ minimum: -1000, maximum: 1000 })),
    failure: Type.Optional(Type.Enum(["open", "closed"])),
    grantedAt: Type.Optional(Type.String()),
    /** When powers were last revoked: what running hosts allowed for their session ends with it. */
    revokedAt: Type.Optional(Type.String()),
    by: Type.Optional(Type.String()),
  },
  closed,
);
export type GrantEntry = Static<typeof GrantEntry>;

const check = checker<GrantEntry>(GrantEntry, "BAD_GRANT");

export function checkGrant(value: unknown, where: string): GrantEntry {
  const entry = check(value, where);
  refineCapabilities(entry.capabilities ?? {}, where, "BAD_GRANT");
  return entry;
}

/** What a hook has: its powers and bounds, each decided by a person or by default. */
export interface Grant {
  capabilities: Capabilities;
  /** MB of heap. */
  memoryMb: number;
  /** ms of CPU time for one event. */
  cpuMs: number;
  jit: boolean;
  eval: boolean;
  /** What a failure does to a guarded call. */
  failure: "open" | "closed";
  priority: number;
}

/** What a hook gets that the user named and never decided on: it hears everything, may block and cancel, and may ask. */
export const defaultCapabilities = (): Capabilities => ({
  events: { see: ["*"], block: true, cancel: true },
  ui: ["notify", "select", "confirm", "input"],
});

/** What an entry with these powers gives: all by default for one that names none, and at the least to hear and block. */
export function granted(powers: Capabilities | undefined): Capabilities {
  const capabilities: Capabilities = structuredClone(powers ?? defaultCapabilities());
  capabilities.events ??= { see: ["*"], block: true, cancel: true };
  return capabilities;
}

/** A hook's grant from its entry, if there is one. Limits of a manifest count only as far as they narrow. */
export function grantOf(entry: GrantEntry | undefined, asked: { limits?: Limits; priority?: number } = {}): Grant {
  const limits = entry?.limits ?? {};
  return {
    capabilities: granted(entry?.capabilities),
    memoryMb: limits.memoryMb ?? Math.min(asked.limits?.memoryMb ?? 64, 64),
    cpuMs: limits.cpuMs ?? Math.min(asked.limits?.cpuMs ?? 1000, 1000),
    jit: limits.jit ?? false,
    eval: limits.eval ?? false,
    failure: entry?.failure ?? "closed",
    priority: entry?.priority ?? asked.priority ?? 0,
  };
}

/** Whether a grant gives more than hearing, blocking and asking: such a hook has a process of its own. */
export function isPowerful(grant: Grant): boolean {
  const { events: _events, ui: _ui, ...more } = grant.capabilities;
  return Object.values(more).some((power) => power !== undefined) || grant.jit || grant.eval || grant.memoryMb > 64;
}
