import type { DatabaseSaid } from "../../sandbox/wire/answers.ts";
import type { DatabaseRequest } from "../../sandbox/wire/database.ts";
import type { ArgumentsOf } from "../../sandbox/wire/operations.ts";
import { CordonError } from "../base/errors.ts";
import { type Capability, type Circumstances, sealed } from "./capability.ts";
import { checkedPath, leadsTo } from "./fs-check.ts";
import type { CheckedPath } from "./fs-path.ts";
import { exactPattern } from "./fs-proposal.ts";
import { quoted } from "./quoted.ts";
import { DatabaseConnection, databasesOf } from "./sqlite-connection.ts";
import { IN_MEMORY, patternsOf, type SqliteGrant } from "./sqlite-grant.ts";
import { CALL_MS } from "./sqlite-process.ts";

const PER_MINUTE = 6000;
/** A process is started for each. */
const OPENED_PER_MINUTE = 120;

type Opening = ArgumentsOf<"sqlite.open">[1] & { readonly path: string };

/** Node 24 cannot judge statements before they are prepared. */
const LEAST_NODE = 26;

const open: Capability<"sqlite.open", SqliteGrant, Opening, Opening & { file: CheckedPath | undefined }> = {
  read: ([path, options]) => ({ ...options, path }),
  check(asked, grant, { session }) {
    if (!grant || grant.length === 0) return undefined;
    if (asked.path === IN_MEMORY) return { ...asked, file: undefined };
    const patterns = patternsOf(grant, !asked.readOnly);
    const file = checkedPath(asked.path, patterns, asked.readOnly ? "read" : "write", false, session);
    return file && { ...asked, file };
  },
  async perform({ checked: { file, path: _path, ...options } }, { hook, session, last }) {
    const { runtime } = session;
    if (!runtime || runtime.major < LEAST_NODE)
      throw new CordonError("NO_RUNTIME", `node:sqlite needs Node ${LEAST_NODE}; run: cordon runtime install`);
    const databases = databasesOf(hook);
    const timeout = Math.min(options.timeout, CALL_MS - 1000);
    const connection = new DatabaseConnection(runtime, { ...options, timeout, checked: file });
    const database = databases.add(connection);
    last(() => databases.remove(database), connection.over);
    let isOpen = false;
    try {
      const said = await databases.timed(() => connection.start());
      isOpen = !said.fault;
      return isOpen ? { database, path: file?.real ?? null } : said;
    } finally {
      if (!isOpen) databases.remove(database);
    }
  },
  describe: ({ path, readOnly }) => `open ${quoted(path)}${readOnly || path === IN_MEMORY ? "" : " for writing"}`,
  leads({ path }, { session }) {
    const real = path === IN_MEMORY ? undefined : leadsTo(path, false, session);
    return real === undefined ? undefined : quoted(real);
  },
  propose({ path, readOnly }, { session }) {
    if (path === IN_MEMORY) return [{ path }];
    // The one file, in the project too.
    const pattern = exactPattern(path, session);
    return pattern === undefined ? undefined : [{ path: pattern, ...(readOnly ? {} : { write: true }) }];
  },
  perMinute: () => OPENED_PER_MINUTE,
};

const close: Capability<"sqlite.close", SqliteGrant, number> = {
  read: ([database]) => database,
  without: (database, { hook }) => (databasesOf(hook).has(database) ? undefined : { value: null }),
  check: (database) => database,
  perform: async ({ checked: database }, { hook }) => databasesOf(hook).remove(database),
  describe: () => "close a database",
  perMinute: () => PER_MINUTE,
};

interface Asked {
  readonly database: number;
  readonly request: DatabaseRequest;
}

/** What is asked of an open database. Whether it may be was decided when it was opened: a revocation closes it. */
const asking = <Name extends "sqlite.exec" | "sqlite.prepare" | "sqlite.query" | "sqlite.rows">(
  read: (args: ArgumentsOf<Name>) => Asked,
): Capability<Name, SqliteGrant, Asked> => ({
  read,
  check: (asked, grant) => (grant ? asked : undefined),
  perform: ({ checked: { database, request } }, { hook }: Circumstances): Promise<DatabaseSaid> => {
    const databases = databasesOf(hook);
    return databases.timed(() => databases.get(database).ask(request));
  },
  describe: ({ request }) => ("sql" in request ? `${request.op} ${quoted(request.sql)}` : `${request.op} of a query`),
  perMinute: () => PER_MINUTE,
});

export const sqlite = {
  ...sealed("sqlite.open", open),
  ...sealed("sqlite.close", close),
  ...sealed(
    "sqlite.exec",
    asking<"sqlite.exec">(([database, sql]) => ({ database, request: { op: "exec", sql } })),
  ),
  ...sealed(
    "sqlite.prepare",
    asking<"sqlite.prepare">(([database, sql]) => ({ database, request: { op: "prepare", sql } })),
  ),
  ...sealed(
    "sqlite.query",
    asking<"sqlite.query">(([database, sql, text]) => ({ database, request: { op: "query", sql, text } })),
  ),
  ...sealed(
    "sqlite.rows",
    asking<"sqlite.rows">(([database, cursor, what]) => ({
      database,
      request: { op: what === "drop" ? "drop" : "rows", cursor },
    })),
  ),
};
