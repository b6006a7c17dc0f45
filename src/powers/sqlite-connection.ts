import type { DatabaseSaid } from "../../sandbox/wire/answers.ts";
import type { DatabaseFault, DatabaseRequest, DatabaseTarget } from "../../sandbox/wire/database.ts";
import type { Runtime } from "../runtime/locate.ts";
import type { CheckedPath } from "./fs-path.ts";
import { databaseFile } from "./sqlite-file.ts";
import { refuseSuperJournal } from "./sqlite-journal.ts";
import { DatabaseProcess } from "./sqlite-process.ts";

/** Databases that one hook has open at once. Each is a process. */
const MAX_OPEN = 8;
/** Time that all statements of one hook may take in a rolling minute: the hook's own clock stands still meanwhile. */
const MAX_MS_PER_MINUTE = 20_000;

const sqliteError = (message: string): Error => Object.assign(new Error(message), { code: "ERR_SQLITE_ERROR" });

/** What SQLite says of a file that is not there, or is not the user's to open. */
const UNOPENED: DatabaseSaid = {
  fault: true,
  text: JSON.stringify({
    name: "Error",
    message: "unable to open database file",
    code: "ERR_SQLITE_ERROR",
    errcode: 14,
    errstr: "unable to open database file",
  } satisfies DatabaseFault),
};

function opened<T>(open: () => T): T | typeof UNOPENED {
  try {
    return open();
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "EISDIR", "EACCES"].includes((error as NodeJS.ErrnoException).code ?? ""))
      return UNOPENED;
    throw error;
  }
}

/** How a hook opens a database. `checked`: its file; undefined for one in memory. */
export interface Opening extends Omit<DatabaseTarget, "path" | "file"> {
  readonly checked: CheckedPath | undefined;
}

/** One database that a hook has open: a process, and after its death another. */
export class DatabaseConnection {
  readonly #runtime: Runtime;
  readonly #opening: Opening;
  readonly #over = new AbortController();
  #process: DatabaseProcess | undefined;

  constructor(runtime: Runtime, opening: Opening) {
    this.#runtime = runtime;
    this.#opening = opening;
  }

  /** What its process said: a fault if the database could not be opened. */
  async start(): Promise<DatabaseSaid> {
    const { checked, ...options } = this.#opening;
    const found = checked && opened(() => databaseFile(checked, options.readOnly));
    if (found && "fault" in found) return found;
    const target: DatabaseTarget = { ...options, path: checked?.real ?? ":memory:", file: found?.file };
    const { process, said } = await DatabaseProcess.start(this.#runtime, target, found?.folder);
    if (this.over.aborted || said.fault) process.kill();
    else this.#process = process;
    return said;
  }

  /**
   * Rejects if its process died, which cannot be told from what it did: the next call has another process, and says so. Its journal may
   * have been written since: SQLite looks at that whenever it begins to read.
   */
  async ask(request: DatabaseRequest): Promise<DatabaseSaid> {
    const { checked } = this.#opening;
    const name = checked?.asked ?? ":memory:";
    if (checked) refuseSuperJournal(checked);
    if (!this.#process?.alive) {
      const said = await this.start();
      if (said.fault) return said;
      throw sqliteError(
        `the connection to ${name} was lost, with its temporary tables and all that was not committed; it is open again`,
      );
    }
    try {
      return await this.#process.ask(JSON.stringify(request));
    } catch (error) {
      throw sqliteError(`${(error as Error).message}; the connection to ${name} is lost`);
    }
  }

  close(): void {
    this.#over.abort();
    this.#process?.kill();
  }

  /** Aborted when it is closed. */
  get over(): AbortSignal {
    return this.#over.signal;
  }
}

/** The databases of one hook. */
export class Databases {
  readonly #open = new Map<number, DatabaseConnection>();
  readonly #spent: { at: number; ms: number }[] = [];
  #last = 0;

  /** Closes the one that was not used for longest, if there are too many: a hook may forget to. */
  add(connection: DatabaseConnection): number {
    const [oldest] = this.#open.keys();
    if (this.#open.size >= MAX_OPEN && oldest !== undefined) this.remove(oldest);
    this.#open.set(++this.#last, connection);
    return this.#last;
  }

  has(number: number): boolean {
    return this.#open.has(number);
  }

  get(number: number): DatabaseConnection {
    const found = this.#open.get(number);
    if (!found)
      throw sqliteError(
        `database is not open: of more than ${MAX_OPEN} at once the one not used for longest is closed, and those no longer granted`,
      );
    this.#open.delete(number);
    this.#open.set(number, found);
    return found;
  }

  remove(number: number): void {
    this.#open.get(number)?.close();
    this.#open.delete(number);
  }

  /** Does something on the hook's account of time. Rejects without doing it when that is used up. */
  async timed<T>(act: () => Promise<T>): Promise<T> {
    const started = performance.now();
    while (this.#spent[0] && this.#spent[0].at < started - 60_000) this.#spent.shift();
    if (this.#spent.reduce((sum, { ms }) => sum + ms, 0) > MAX_MS_PER_MINUTE)
      throw Object.assign(new Error(`the statements of this hook took more than ${MAX_MS_PER_MINUTE} ms in a minute`), {
        code: "RATE_LIMITED",
      });
    try {
      return await act();
    } finally {
      this.#spent.push({ at: started, ms: performance.now() - started });
    }
  }
}

const byHook = new WeakMap<object, Databases>();

/** @param hook whose they are */
export function databasesOf(hook: object): Databases {
  const known = byHook.get(hook) ?? new Databases();
  byHook.set(hook, known);
  return known;
}
