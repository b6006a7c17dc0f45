import type { Static } from "typebox";
import { compile } from "../base/schema.ts";
import Type from "../base/type.ts";

/** The key of an event in which a recording keeps what it knows of it. Hooks never see it. */
const RECORDED = "recorded";

const amount = Type.Integer({ minimum: 0 });

/** What stands beside an event in a recording. */
const Recorded = Type.Object({
  version: Type.Literal(1),
  /** When it came, ISO time. */
  at: Type.String(),
  /** How long hooks took for it, in ms. */
  ms: Type.Optional(Type.Number()),
  /** What they said together; null if nothing. Left out if the session ended before. */
  verdict: Type.Optional(Type.Unknown()),
  /** Fields that are masked, as JSON Pointers into the event. */
  masked: Type.Optional(Type.Array(Type.String())),
  /** Events after this one that are not in the file, since it would have grown too long. */
  leftOut: Type.Optional(Type.Object({ events: amount, bytes: amount })),
  /** In the first line: the session's folder and hooks. */
  session: Type.Optional(
    Type.Object({
      cwd: Type.String(),
      hooks: Type.Array(Type.Object({ id: Type.String(), digest: Type.Optional(Type.String()) })),
    }),
  ),
});
export type Recorded = Static<typeof Recorded>;

const check = compile(Recorded);

/** Takes what a recording says of an event off the event. */
export function takeRecorded<E extends object>(given: E): { event: E; recorded?: Recorded } {
  const { [RECORDED]: recorded, ...event } = given as { [RECORDED]?: unknown };
  return check.Check(recorded) ? { event: event as E, recorded } : { event: given };
}
