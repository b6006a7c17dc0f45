/**
 * What passes between a hook and the process of its database. The host carries these texts and reads none of them: each end
 * takes the other for an attacker's.
 */

/** Kinds of frames from the process of a database. The host sends one kind, {@link DatabaseRequest}. */
export const FromDatabase = { ready: 1, answer: 2, fault: 3 } as const;

/** Most bytes of one answer. As text in the JSON of another frame it takes twice as many, at the most. */
export const MAX_ANSWER_BYTES = 3_500_000;
/** Rows of one answer together have about this many characters of JSON. */
export const PART_CHARACTERS = 500_000;
/** Most bytes of one text or blob, and of one statement. */
export const MAX_VALUE_BYTES = 2_000_000;
export const MAX_STATEMENT = 1_000_000;

/** How a database is opened. `file`: the device and the inode that the host checked; undefined for one in memory. */
export interface DatabaseTarget {
  readonly path: string;
  readonly readOnly: boolean;
  readonly file: { readonly dev: string; readonly ino: string } | undefined;
  readonly foreignKeys: boolean;
  readonly doubleQuoted: boolean;
  /** ms to wait for another connection's lock. */
  readonly timeout: number;
}

/** What is asked of it. `text`: {@link Query} as JSON, by the hook. */
export type DatabaseRequest =
  | { readonly op: "exec" | "prepare"; readonly sql: string }
  | { readonly op: "query"; readonly sql: string; readonly text: string }
  | { readonly op: "rows" | "drop"; readonly cursor: number };

export interface Query {
  readonly how: "run" | "get" | "all";
  readonly bigInts: boolean;
  readonly bareNames: boolean;
  readonly unknownNames: boolean;
  readonly parameters: readonly WireParameter[];
}

/** A statement that was prepared. `columns`: what Node says of each. */
export interface Prepared {
  readonly columns: readonly object[];
  readonly source: string;
}

/** Rows of a statement, and the number of the cursor that has more of them. */
export interface Rows {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly WireValue[])[];
  readonly cursor?: number;
}

/** The text of an answer. */
export interface DatabaseAnswer {
  readonly value: unknown;
  readonly isTransaction: boolean;
}

/** The text of a fault: an error as Node throws it. */
export interface DatabaseFault {
  readonly name: string;
  readonly message: string;
  readonly code?: string | undefined;
  readonly errcode?: number | undefined;
  readonly errstr?: string | undefined;
}

/**
 * A value: an integer of any size, a number that JSON lacks, or bytes, each as text. `type`: something else, of that type,
 * for which Node throws its own error.
 */
export type WireValue =
  | null
  | boolean
  | number
  | string
  | { readonly integer: string }
  | { readonly number: string }
  | { readonly bytes: string }
  | { readonly type: string };

/** A value, or values by name. */
export type WireParameter = WireValue | { readonly named: readonly (readonly [name: string, value: WireValue])[] };
