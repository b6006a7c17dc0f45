import Type, { type Static, type TSchema } from "typebox";
import { Compile } from "typebox/compile";
import { CordonError, type ErrorCode } from "../base/errors.ts";
import { type Algebra, record } from "../powers/algebra.ts";
import { envGrant } from "../powers/env.ts";
import { eventsGrant } from "../powers/events.ts";
import { execGrant } from "../powers/exec-grant.ts";
import { fsGrant } from "../powers/fs-grant.ts";
import { modelGrant } from "../powers/model.ts";
import { netGrant } from "../powers/net-grant.ts";
import type { Power } from "../powers/power.ts";
import { POWERS } from "../powers/powers.ts";
import { sendGrant } from "../powers/send.ts";
import { sessionGrant } from "../powers/session.ts";
import { uiGrant } from "../powers/ui.ts";
import { faultIn } from "./schema-fault.ts";

export const closed = { additionalProperties: false } as const;

/** Powers by their key in a manifest or grant. */
const powers = {
  events: Type.Optional(eventsGrant),
  ui: Type.Optional(uiGrant),
  exec: Type.Optional(execGrant),
  send: Type.Optional(sendGrant),
  session: Type.Optional(sessionGrant),
  model: Type.Optional(modelGrant),
  fs: Type.Optional(fsGrant),
  env: Type.Optional(envGrant),
  net: Type.Optional(netGrant),
};

export const CapabilitiesShape = Type.Object(powers, closed);
export const Limits = Type.Object(
  {
    memoryMb: Type.Optional(Type.Integer({ minimum: 8, maximum: 2048 })),
    cpuMs: Type.Optional(Type.Integer({ minimum: 10, maximum: 60_000 })),
    jit: Type.Optional(Type.Boolean()),
    eval: Type.Optional(Type.Boolean()),
  },
  closed,
);

export type Capabilities = Static<typeof CapabilitiesShape>;
export type Limits = Static<typeof Limits>;

/** How the powers of two hooks, or of one at two times, relate. */
export const powersOf: Algebra<Capabilities> = record<Capabilities>(POWERS);

const byName = new Map(Object.entries(POWERS) as [string, Pick<Power<never>, "fault">][]);

/** The powers with a grant of one of them added to what there is of it. */
export function withMore(powers: Capabilities, capability: string, grant: unknown): Capabilities {
  const more = { [capability]: grant } as Capabilities;
  return { ...powers, ...powersOf.union({ [capability]: (powers as Record<string, unknown>)[capability] }, more) };
}

/**
 * A check of a file or option that a person wrote. The error names the file, the place in it, what is wrong there, and what may stand there.
 */
export function checker<T>(schema: TSchema, code: ErrorCode): (value: unknown, where: string) => T {
  const compiled = Compile(schema);
  return (value, where) => {
    if (compiled.Check(value)) return value as T;
    throw new CordonError(code, `${where}: ${faultIn(schema, compiled.Errors(value))}`);
  };
}

/** What the shape alone does not say about a grant. */
export function refineCapabilities(powers: Capabilities, where: string, code: ErrorCode): void {
  for (const [name, grant] of Object.entries(powers)) {
    const fault = byName.get(name)?.fault(grant as never);
    if (fault !== undefined) throw new CordonError(code, `${where}: ${fault}`);
  }
}
