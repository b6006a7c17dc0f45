/** What an agent may answer to a question of Cordon's. */
const KINDS = { boolean: "a boolean", string: "a string or null" } as const;

/**
 * An agent's answer of this type; `undefined` for none. One of another type counts as none, and is told on standard error:
 * who writes the agent would take it for the person's no.
 */
export function typedAnswer(method: string, kind: keyof typeof KINDS, answer: unknown): unknown {
  if (answer === undefined || answer === null) return undefined;
  if (typeof answer === kind) return answer;
  complain(method, `must be ${KINDS[kind]}, not ${typeOf(answer)}`);
  return undefined;
}

/** The same for an answer that is one of these words. */
export function chosenAnswer<Word extends string>(
  method: string,
  words: readonly Word[],
  answer: unknown,
): Word | undefined {
  if (answer === undefined || answer === null) return undefined;
  const chosen = words.find((word) => word === answer);
  if (chosen === undefined) {
    const said = typeof answer === "string" ? "another text" : typeOf(answer);
    complain(method, `must be one of ${words.join(", ")}, not ${said}`);
  }
  return chosen;
}

const typeOf = (value: unknown): string =>
  Array.isArray(value) ? "a list" : typeof value === "object" ? "an object" : `a ${typeof value}`;

// The answer itself may be a key.
const complain = (method: string, text: string): void => {
  process.stderr.write(`warn: ${method}: the answer ${text}\n`);
};
