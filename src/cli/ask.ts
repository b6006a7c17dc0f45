import { confirm, isCancel, multiselect, type Option, select } from "@clack/prompts";
import { plain } from "./print.ts";
import type { Terminal } from "./terminal.ts";

/** An answer to choose, and the label that a person reads. */
export interface Answer<T> {
  value: T;
  label: string;
}

const cleaned = <T extends string>(answers: readonly Answer<T>[]): Option<string>[] =>
  answers.map(({ value, label }) => ({ value, label: plain(label) }));

/** Asks a person one of Cordon's own questions. All texts are cleaned here. Resolves with `undefined` if the person cancels. */
export async function askOne<T extends string>(
  message: string,
  answers: readonly Answer<T>[],
  { input, output }: Terminal,
): Promise<T | undefined> {
  const options = cleaned(answers) as Option<T>[];
  const answer = await select<T>({ message: plain(message), options, input, output });
  return isCancel(answer) ? undefined : answer;
}

export async function askSome<T extends string>(
  message: string,
  answers: readonly Answer<T>[],
  { input, output }: Terminal,
): Promise<T[] | undefined> {
  const options = cleaned(answers) as Option<T>[];
  const answer = await multiselect<T>({ message: plain(message), options, required: false, input, output });
  return isCancel(answer) ? undefined : answer;
}

/** True only for a yes. */
export async function askWhether(message: string, { input, output }: Terminal): Promise<boolean> {
  return (await confirm({ message: plain(message), initialValue: false, input, output })) === true;
}
