import type { Static } from "typebox";
import Type from "../base/type.ts";
import { list } from "./algebra.ts";
import { coversPattern, faultOfPattern, publishedPattern } from "./fs-grant.ts";
import { firstFault, type Power } from "./power.ts";

/** The name of a database that is no file. Any entry allows it. */
export const IN_MEMORY = ":memory:";

const sqliteGrant = Type.Array(
  Type.Object(
    {
      path: Type.String({
        minLength: 1,
        maxLength: 512,
        description: `A file or glob that starts with $CWD, $HOME, $TMP or /, or ${IN_MEMORY}.`,
      }),
      write: Type.Optional(Type.Boolean({ description: "It may change the database." })),
    },
    { additionalProperties: false },
  ),
  { maxItems: 200, description: "Databases that it may open with node:sqlite." },
);
export type SqliteGrant = Static<typeof sqliteGrant>;
type Entry = SqliteGrant[number];

/** What is wrong with an entry, if anything. */
const faultOfEntry = ({ path, write }: Entry): string | undefined => {
  if (path !== IN_MEMORY) return faultOfPattern(path);
  return write === undefined ? undefined : `${IN_MEMORY} is no file: its entry has no "write"`;
};

function covers(wide: Entry, narrow: Entry): boolean {
  if (narrow.path === IN_MEMORY) return true;
  if (wide.path === IN_MEMORY || (narrow.write === true && wide.write !== true)) return false;
  return coversPattern(wide.path, narrow.path, narrow.write === true ? "write" : "read");
}

const forReading = ({ path }: Entry): Entry => ({ path });

export const sqlitePower: Power<typeof sqliteGrant> = {
  schema: sqliteGrant,
  fault: (grant) => firstFault(grant, faultOfEntry),
  published: {
    items: {
      anyOf: [
        { properties: { path: publishedPattern } },
        { properties: { path: { const: IN_MEMORY } }, not: { required: ["write"] } },
      ],
    },
  },
  ...list<Entry>({
    covers,
    // Where one may be written and the other has more files: the files of the one, for reading.
    meet: (one, other) => {
      if (covers(other, forReading(one))) return forReading(one);
      return covers(one, forReading(other)) ? forReading(other) : undefined;
    },
  }),
};

/** The patterns that cover a database which is to be read, or written. */
export const patternsOf = (grant: SqliteGrant, writes: boolean): string[] =>
  grant.filter(({ path, write }) => path !== IN_MEMORY && (write === true || !writes)).map(({ path }) => path);
