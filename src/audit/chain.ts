import type { Head } from "./line.ts";

/** The next lines of a chain, and its head after them. */
export interface Written {
  text: string;
  head: Head;
}

/** Lines of which each has the hash of the one before. */
export interface Chain {
  /** Appends what `write` makes of the head. Throws if that could not be written as a whole; a part is removed again. */
  append(day: string, write: (head: Head) => Written): void;
  /** Releases what it holds. It may be used again. */
  end(): void;
}
