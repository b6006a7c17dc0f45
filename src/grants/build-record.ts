import Type, { type Static } from "typebox";
import { closed } from "./schema.ts";

/** The build of a hook that a person accepted. The same digest builds to the same bundle, unless the builder changed. */
export const BuildRecord = Type.Object(
  {
    /** Digest of the sources. */
    digest: Type.String({ pattern: "^sha256-[0-9a-f]{64}$" }),
    /** Hash of the bundle, independent of its folder. */
    sha256: Type.String({ pattern: "^[0-9a-f]{64}$" }),
    builder: Type.String({ maxLength: 200 }),
    /** Events that it had handlers for in its rehearsal. */
    hears: Type.Array(Type.String({ maxLength: 200 }), { maxItems: 100 }),
  },
  closed,
);
export type BuildRecord = Static<typeof BuildRecord>;

/** The record of a hook that was built here and rehearsed. */
export const recordOf = (
  hook: Pick<BuildRecord, "digest" | "sha256" | "builder"> & { hears?: readonly string[] },
): BuildRecord => ({
  digest: hook.digest,
  sha256: hook.sha256,
  builder: hook.builder,
  hears: (hook.hears ?? []).slice(0, 100).map((event) => event.slice(0, 200)),
});
