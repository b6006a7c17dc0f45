import type { Static } from "typebox";
import { MAX_DEPTH } from "../../sandbox/wire/messages.ts";
import { MAX_PLUGIN_SETTINGS } from "../../sandbox/wire/plugin-settings.ts";
import { CordonError } from "../base/errors.ts";
import { isDeeper } from "../base/json-depth.ts";
import Type from "../base/type.ts";
import { BuildRecord } from "./build-record.ts";
import { USUAL_LIMITS } from "./limits.ts";
import {
  type Capabilities,
  CapabilitiesShape,
  checker,
  closed,
  failure,
  Limits,
  priority,
  refineCapabilities,
} from "./schema.ts";

const digest = Type.String({
  pattern: "^sha256-[0-9a-f]{64}$",
  description: "Digest of the sources that were granted this. Without it, the entry is for a path that the user names.",
});

/** The grant of one hook, as in a grants file or the `grant` option. */
export const GrantEntry = Type.Object(
  {
    digest: Type.Optional(digest),
    bundle: Type.Optional(BuildRecord),
    capabilities: Type.Optional(CapabilitiesShape),
    limits: Type.Optional(Limits),
    priority: Type.Optional(priority),
    failure: Type.Optional(failure),
    config: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: "The configuration of an OpenClaw plugin: what it reads as api.pluginConfig.",
      }),
    ),
    grantedAt: Type.Optional(Type.String({ description: "When it was granted, as an ISO date." })),
    revokedAt: Type.Optional(
      Type.String({
        description:
          "When powers were last revoked, as an ISO date. This also ends what running hosts allowed for their session.",
      }),
    ),
    disabled: Type.Optional(
      Type.Union([Type.Literal(true), Type.Array(Type.String(), { minItems: 1 })], {
        description:
          "A person disabled it: in all projects, or in those with these real paths. It does not run there. Set by: cordon disable.",
      }),
    ),
    by: Type.Optional(Type.String({ description: "Who granted it." })),
  },
  { ...closed, description: "What one hook may do." },
);
export type GrantEntry = Static<typeof GrantEntry>;

const check = checker<GrantEntry>(GrantEntry, "BAD_GRANT");

export function checkGrant(value: unknown, where: string): GrantEntry {
  const entry = check(value, where);
  refineCapabilities(entry.capabilities ?? {}, where, "BAD_GRANT");
  if (isDeeper(entry.config, MAX_DEPTH))
    throw new CordonError("BAD_GRANT", `${where}: config is nested deeper than ${MAX_DEPTH}`);
  if (JSON.stringify(entry.config ?? {}).length > MAX_PLUGIN_SETTINGS)
    throw new CordonError("BAD_GRANT", `${where}: config is longer than ${MAX_PLUGIN_SETTINGS} characters`);
  return entry;
}

/** What of an entry outlives the bytes that it was for: what a plugin is configured with. */
export const configOf = ({ config }: GrantEntry): GrantEntry => (config ? { config } : {});

/** The powers and limits of a hook, each decided by a person or by default. */
export interface Grant {
  capabilities: Capabilities;
  /** MB of heap. */
  memoryMb: number;
  /** ms of CPU time for one event. */
  cpuMs: number;
  jit: boolean;
  eval: boolean;
  /** WebAssembly, which V8 has with its JIT alone. */
  wasm: boolean;
  /** What a failure does to a guarded call. */
  failure: "open" | "closed";
  priority: number;
  /** What an OpenClaw plugin is configured with. */
  config?: Readonly<Record<string, unknown>>;
}

/** The powers of a hook that the user named and never decided about: it hears all events, may block, cancel and ask. */
export const defaultCapabilities = (): Capabilities => ({
  events: { see: ["*"], block: true, cancel: true },
  ui: ["notify", "select", "confirm", "input"],
});

/** The powers that an entry gives: the default for an entry that names none, and always the right to hear and block. */
export function granted(powers: Capabilities | undefined): Capabilities {
  const capabilities: Capabilities = structuredClone(powers ?? defaultCapabilities());
  capabilities.events ??= { see: ["*"], block: true, cancel: true };
  return capabilities;
}

/** The grant of a hook, from its entry if it has one. The limits of a manifest only narrow the defaults. */
export function grantOf(entry: GrantEntry | undefined, asked: { limits?: Limits; priority?: number } = {}): Grant {
  const limits = entry?.limits ?? {};
  return {
    capabilities: granted(entry?.capabilities),
    memoryMb: limits.memoryMb ?? Math.min(asked.limits?.memoryMb ?? USUAL_LIMITS.memoryMb, USUAL_LIMITS.memoryMb),
    cpuMs: limits.cpuMs ?? Math.min(asked.limits?.cpuMs ?? USUAL_LIMITS.cpuMs, USUAL_LIMITS.cpuMs),
    jit: limits.jit === true || limits.wasm === true,
    eval: limits.eval ?? false,
    wasm: limits.wasm ?? false,
    failure: entry?.failure ?? "closed",
    priority: entry?.priority ?? asked.priority ?? 0,
    ...(entry?.config ? { config: entry.config } : {}),
  };
}

/** True if a grant gives more than to hear, block and ask: such a hook gets a process of its own. */
export function isPowerful(grant: Grant): boolean {
  const { events: _events, ui: _ui, ...more } = grant.capabilities;
  return (
    Object.values(more).some((power) => power !== undefined) ||
    grant.jit ||
    grant.eval ||
    grant.memoryMb > USUAL_LIMITS.memoryMb
  );
}

/** Whether a person disabled the hook of an entry in the project in this folder, which is a real path. */
export const isDisabledIn = (entry: Pick<GrantEntry, "disabled"> | undefined, folder: string): boolean =>
  entry?.disabled === true || entry?.disabled?.includes(folder) === true;
