import type { Static } from "typebox";
import Type from "../base/type.ts";
import { closed } from "./schema.ts";

/** The build of a hook that a person accepted. The same digest builds to the same bundle, unless the builder changed. */
export const BuildRecord = Type.Object(
  {
    digest: Type.String({ pattern: "^sha256-[0-9a-f]{64}$", description: "Digest of its sources." }),
    sha256: Type.String({ pattern: "^[0-9a-f]{64}$", description: "Hash of the bundle, independent of its folder." }),
    builder: Type.String({ maxLength: 200, description: "The version of what built it." }),
    hears: Type.Array(Type.String({ maxLength: 200 }), {
      maxItems: 100,
      description: "Events that it had handlers for in its rehearsal.",
    }),
  },
  { ...closed, description: "What was built of it when a person accepted it." },
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
