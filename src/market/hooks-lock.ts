import { createHash } from "node:crypto";
import { join } from "node:path";
import Type, { type Static } from "typebox";
import { readIfThere } from "../atomic-file.ts";
import { CordonError } from "../errors.ts";
import { CapabilitiesShape, checker, closed } from "../grants/schema.ts";

const text = Type.String({ maxLength: 1000 });

const LockEntry = Type.Object(
  {
    version: text,
    /** As in {@link Source.origin}: where updates come from. */
    source: text,
    integrity: text,
    digest: Type.String({ pattern: "^sha256-[0-9a-f]{64}$" }),
    /** The powers that its manifest asked for when it was installed. */
    requested: CapabilitiesShape,
    provenance: Type.Enum(["none", "signed", "attested"]),
    package: text,
    /** The hook's file, relative to the package. */
    file: Type.String({ pattern: "^(?!/)(?!.*(^|/)\\.\\.(/|$))[^\\\\\\n\\r\\u2028\\u2029]+$", maxLength: 500 }),
    publisher: Type.Optional(text),
  },
  closed,
);

/** One installed hook. */
export type LockEntry = Static<typeof LockEntry>;

const HooksLock = Type.Object({ version: Type.Literal(1), hooks: Type.Record(Type.String(), LockEntry) }, closed);
const check = checker<{ version: 1; hooks: Record<string, LockEntry> }>(HooksLock, "BAD_MANIFEST");

/** Installed hooks by id. */
export type Installed = ReadonlyMap<string, LockEntry>;

export const lockPath = (home: string): string => join(home, "hooks.lock");

/** What is installed. Throws `BAD_MANIFEST` with the file and the key for one that is damaged. */
export function readLock(path: string): Installed {
  const content = readIfThere(path);
  return content === undefined ? new Map() : parseLock(content, path);
}

/** @param path where the text stands, for errors */
export function parseLock(content: string, path: string): Installed {
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch (error) {
    throw new CordonError("BAD_MANIFEST", `${path}: not JSON (${(error as Error).message})`);
  }
  return new Map(Object.entries(check(value, path).hooks));
}

export function lockText(installed: Installed): string {
  const sorted = [...installed].sort(([a], [b]) => (a < b ? -1 : 1));
  return `${JSON.stringify({ version: 1, hooks: Object.fromEntries(sorted) }, null, 2)}\n`;
}

/** Where the files of a package are: another version, or the same with other bytes, has another place. */
export function packageFolder(home: string, name: string, integrity: string): string {
  const key = createHash("sha256").update(`${name}\0${integrity}`).digest("hex").slice(0, 16);
  return join(home, "installed", `${name.replace(/[^a-z0-9._-]/g, "+")}-${key}`);
}
