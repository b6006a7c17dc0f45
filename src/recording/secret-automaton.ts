/**
 * Finds many texts at once, after Aho and Corasick: it reads each letter of a text once, however many there are to be found. A state
 * is a beginning of some of them, the longest that ends where the reader is; 0 is the empty one.
 */
export class SecretAutomaton {
  readonly secrets: readonly string[];
  /** In all of them, in UTF-16 units. */
  readonly letters: number;
  /** The first state that follows a state, and the letter that leads to a state. Most states have one that follows. */
  readonly #first: Int32Array;
  readonly #code: Uint16Array;
  /** Further ones, by state and letter, and which states have some. */
  readonly #further = new Map<number, number>();
  readonly #hasFurther: Uint8Array;
  /** The state of the longest end of a state that is another beginning. */
  readonly #shorter: Int32Array;
  /** Length of the longest secret that ends in a state; 0 if none does. */
  readonly #longest: Int32Array;
  #states = 1;

  /** `secrets`: none empty, and none twice. */
  constructor(secrets: readonly string[]) {
    this.secrets = secrets;
    this.letters = secrets.reduce((sum, { length }) => sum + length, 0);
    this.#first = new Int32Array(this.letters + 1);
    this.#code = new Uint16Array(this.letters + 1);
    this.#hasFurther = new Uint8Array(this.letters + 1);
    this.#shorter = new Int32Array(this.letters + 1);
    this.#longest = new Int32Array(this.letters + 1);
    // Letter after letter of all: what a state refers to is shorter, and there already.
    let open = secrets.map((secret) => ({ secret, state: 0 }));
    for (let length = 1; open.length > 0; length++) {
      for (const one of open) {
        one.state = this.#make(one.state, one.secret.charCodeAt(length - 1));
        if (one.secret.length === length) this.#longest[one.state] = length;
      }
      open = open.filter(({ secret }) => secret.length > length);
    }
  }

  /** The state after one more letter. */
  next(state: number, code: number): number {
    for (let from = state; ; from = this.#shorter[from] ?? 0) {
      const to = this.#follow(from, code);
      if (to !== 0 || from === 0) return to;
    }
  }

  /** The length of the longest secret that ends there. */
  longestAt(state: number): number {
    return this.#longest[state] ?? 0;
  }

  #follow(state: number, code: number): number {
    const first = this.#first[state] ?? 0;
    if (first !== 0 && this.#code[first] === code) return first;
    return this.#hasFurther[state] === 0 ? 0 : (this.#further.get(state * 0x10000 + code) ?? 0);
  }

  #make(from: number, code: number): number {
    const there = this.#follow(from, code);
    if (there !== 0) return there;
    const shorter = from === 0 ? 0 : this.next(this.#shorter[from] ?? 0, code);
    const made = this.#states++;
    this.#code[made] = code;
    this.#shorter[made] = shorter;
    this.#longest[made] = this.#longest[shorter] ?? 0;
    if (this.#first[from] === 0) this.#first[from] = made;
    else {
      this.#hasFurther[from] = 1;
      this.#further.set(from * 0x10000 + code, made);
    }
    return made;
  }
}
