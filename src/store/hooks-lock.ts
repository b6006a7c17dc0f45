import { createHash } from "node:crypto";
import { dirname, isAbsolute, join, sep } from "node:path";
import type { Static } from "typebox";
import { parseJson } from "../base/json-text.ts";
import { keyed } from "../base/schema.ts";
import Type from "../base/type.ts";
import { readIfThere } from "../disk/atomic-file.ts";
import { inHome } from "../disk/home.ts";
import { realPathOf } from "../disk/paths.ts";
import { BuildRecord } from "../grants/build-record.ts";
import { AsksShape, closed, fileChecker, version } from "../grants/schema.ts";
import { Dependency, LOCATION } from "./pins.ts";

const text = (description: string) => Type.String({ maxLength: 1000, description });

const LockEntry = Type.Object(
  {
    version: text("The package's version."),
    source: text("Where updates come from, such as npm:NAME."),
    integrity: text("The package's integrity, as npm states it."),
    digest: Type.String({ pattern: "^sha256-[0-9a-f]{64}$", description: "Digest of the hook's sources." }),
    requested: {
      ...AsksShape,
      description: "The powers and limits that its manifest asked for when it was installed.",
    },
    provenance: Type.Enum(["none", "signed", "attested"], { description: "What vouches for the package." }),
    package: text("The package's name."),
    file: Type.String({
      pattern: "^(?!/)(?!.*(^|/)\\.\\.(/|$))[^\\\\\\n\\r\\u2028\\u2029]+$",
      maxLength: 500,
      description: "The hook's file, relative to the package.",
    }),
    publisher: Type.Optional(text("Who published this version.")),
    registry: Type.Optional(text("The registry that it was fetched from.")),
    keys: Type.Optional(
      Type.Array(text("A key's id."), { maxItems: 50, description: "The signing keys of that registry at that time." }),
    ),
    builder: Type.Optional(text("The repository that it was built from, if that is attested.")),
    resolved: Type.Optional(text("The commit, for a git repository.")),
    dependencies: Type.Optional(
      Type.Record(Type.String({ pattern: LOCATION }), Dependency, {
        ...closed,
        description: "The packages under its node_modules, by their place.",
      }),
    ),
    bundle: Type.Optional({
      ...BuildRecord,
      description: "What was built of it then. Only the user's own lock is trusted for this.",
    }),
    carries: Type.Optional(
      Type.Literal(true, { description: "Its bundle carries the files of its packages that their code names." }),
    ),
    pending: Type.Optional(
      Type.Object(
        {
          version: text("That version."),
          wider: Type.Array(text("A power."), { maxItems: 100, description: "The powers that it asks for besides." }),
        },
        { ...closed, description: "A newer version that asks for more or guards less, and waits for a person." },
      ),
    ),
  },
  { ...closed, description: "One installed hook." },
);

/** One installed hook. */
export type LockEntry = Static<typeof LockEntry>;

export const HooksLock = Type.Object(
  { version, hooks: keyed(LockEntry, { description: "Installed hooks by id." }) },
  closed,
);
const check = fileChecker<{ version: 1; hooks: Record<string, LockEntry> }>(HooksLock, "BAD_GRANT");

/** Installed hooks by id. */
export type Installed = ReadonlyMap<string, LockEntry>;

/** The user's own lock: what is installed for them, and what they accepted of projects, under {@link projectKey}. */
export const lockPath = (home: string): string => inHome(home, "hooks.lock");

/** A project's lock: what it proposes to everybody who works on it. */
export const projectLockPath = (project: string): string => join(project, ".cordon", "hooks.lock");

/** Cordon's home may be `.cordon` in some folder, as a project's own folder is. That folder is no project. */
export const isOwnFolder = (home: string, project: string): boolean =>
  realPathOf(dirname(projectLockPath(project))) === realPathOf(home);

/** The name of a project's hook in the user's own lock and grants. `project`: its real path. */
export const projectKey = (project: string, id: string): string => `${join(project, ".cordon")}/${id}`;

/** The id of a packaged hook. It tells a key from other paths through a folder `.cordon`. */
const ID = /^(@[a-z0-9][a-z0-9._-]*\/)?[A-Za-z0-9][A-Za-z0-9._-]*(#.*)?$/s;

/** The project in a key made by {@link projectKey}. */
export function projectOf(key: string): string | undefined {
  const mark = `${sep}.cordon/`;
  for (let at = isAbsolute(key) ? key.indexOf(mark) : -1; at >= 0; at = key.indexOf(mark, at + 1))
    if (ID.test(key.slice(at + mark.length))) return key.slice(0, at) || sep;
  return undefined;
}

/** The id in a key of the user's lock, if the hook is the user's own (no `project`) or that project's. */
export function idIn(key: string, project: string | undefined): string | undefined {
  if (!isAbsolute(key)) return project === undefined ? key : undefined;
  if (project === undefined) return undefined;
  const start = projectKey(project, "");
  const id = key.startsWith(start) ? key.slice(start.length) : "";
  return ID.test(id) ? id : undefined;
}

/** Reads a lock. Throws `BAD_GRANT` with the file and the key for a damaged one. */
export function readLock(path: string, maxBytes?: number): Installed {
  const content = readIfThere(path, maxBytes);
  return content === undefined ? new Map() : parseLock(content, path);
}

/** @param path the file of the text, for errors */
export function parseLock(content: string, path: string): Installed {
  return new Map(Object.entries(check(parseJson(content, path, "BAD_GRANT"), path).hooks));
}

/** Where installed packages are. */
export const installedIn = (home: string): string => inHome(home, "installed");

/** The folder of an installed package. Other bytes or other dependencies have another folder. */
export function packageFolder(
  home: string,
  { package: name, integrity, dependencies = {} }: Pick<LockEntry, "package" | "integrity" | "dependencies">,
): string {
  const pins = Object.entries(dependencies).map(([location, one]) => `${location} ${one.integrity}\n`);
  const text = `${name}\0${integrity}\0${pins.sort().join("")}`;
  const key = createHash("sha256").update(text).digest("hex").slice(0, 16);
  return join(installedIn(home), `${name.replace(/[^a-z0-9._-]/g, "+")}-${key}`);
}

/** What the folders of all versions of a package have in common. `folder`: the name of one. */
export const packageOf = (folder: string): string => folder.slice(0, folder.lastIndexOf("-"));
