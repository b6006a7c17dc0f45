import type { Static } from "typebox";
import Type from "../base/type.ts";
import { closed } from "../grants/schema.ts";

/** A package among the dependencies of another, as it was fetched. */
export const Dependency = Type.Object(
  {
    name: Type.String({ pattern: "^(@[\\w.~-]+/)?[\\w.~-]+$", maxLength: 214, description: "The package's name." }),
    version: Type.String({ pattern: "^[0-9A-Za-z.+-]+$", maxLength: 100, description: "The package's version." }),
    integrity: Type.String({ pattern: "^sha512-[A-Za-z0-9+/]{86}==$", description: "SHA-512 of its tarball." }),
    registry: Type.Optional(Type.String({ maxLength: 1000, description: "Where it was fetched from." })),
  },
  closed,
);
export type Dependency = Static<typeof Dependency>;

/** Dependencies by location, as in `node_modules/a/node_modules/@b/c`. */
export type Dependencies = Readonly<Record<string, Dependency>>;

const PART = (end: string): string => `(?!\\.+${end})[\\w.~-]+`;
const SEGMENT = `node_modules/(@${PART("/")}/)?${PART("(/|$)")}`;

/** A location that is inside its package: no part of it is all dots. Matches in linear time. */
export const LOCATION = `^${SEGMENT}(/${SEGMENT})*$`;
