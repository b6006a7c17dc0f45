import { SecretAutomaton } from "./secret-automaton.ts";

/** Where secrets stand in a text, `[start, end)`, and the longest of those that overlap there. */
export interface Found {
  start: number;
  end: number;
  secret: { start: number; end: number };
}

/**
 * The known secrets, to be found in one pass over a text. They are kept in groups, each of which is at least twice as long as the
 * next: so there are few, and a secret moves into a longer one only a few times.
 */
export class SecretIndex {
  readonly #groups: SecretAutomaton[] = [];
  #added: string[] = [];

  /** Takes a secret that it does not have yet. */
  add(secret: string): void {
    this.#added.push(secret);
  }

  /** All of a text that is part of any secret. What overlaps is one place; what only touches is two. */
  find(text: string): Found[] {
    this.#build();
    const found = this.#groups.flatMap((group) => findIn(text, group)).sort((a, b) => a.end - b.end);
    const joined: Found[] = [];
    for (const one of found) join(joined, one);
    return joined;
  }

  #build(): void {
    if (this.#added.length === 0) return;
    let group = new Set(this.#added);
    let letters = lettersIn(group);
    this.#added = [];
    for (let last = this.#groups.at(-1); last && last.letters < 2 * letters; last = this.#groups.at(-1)) {
      this.#groups.pop();
      group = new Set([...last.secrets, ...group]);
      letters += last.letters;
    }
    this.#groups.push(new SecretAutomaton([...group]));
  }
}

const lettersIn = (secrets: Iterable<string>): number => {
  let sum = 0;
  for (const { length } of secrets) sum += length;
  return sum;
};

function findIn(text: string, group: SecretAutomaton): Found[] {
  const found: Found[] = [];
  let state = 0;
  for (let end = 1; end <= text.length; end++) {
    state = group.next(state, text.charCodeAt(end - 1));
    const length = group.longestAt(state);
    if (length > 0) join(found, { start: end - length, end, secret: { start: end - length, end } });
  }
  return found;
}

/** Adds a place that ends after all others, together with those that it overlaps. */
function join(found: Found[], added: Found): void {
  let whole = added;
  for (let last = found.at(-1); last && last.end > whole.start; last = found.at(-1)) {
    found.pop();
    const longer = lengthOf(last.secret) > lengthOf(whole.secret) ? last.secret : whole.secret;
    whole = { start: Math.min(whole.start, last.start), end: whole.end, secret: longer };
  }
  found.push(whole);
}

const lengthOf = ({ start, end }: { start: number; end: number }): number => end - start;
