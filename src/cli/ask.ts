import { confirm, isCancel, multiselect, type Option, select } from "@clack/prompts";
import { plain } from "./print.ts";
import type { Terminal } from "./terminal.ts";

/** An answer that can be chosen, and what a person reads for it. */
export interface Answer<T> {
  value: T;
  label: string;
}

const cleaned = <T extends string>(answers: readonly Answer<T>[]): Option<string>[] =>
  answers.map(({ value, label }) => ({ value, label: plain(label) }));

/** Cordon's own questions to a person. All words of one are cleaned here. Each answers `undefined` where they gave up. */
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

/** True for a yes alone. */
export async function askWhether(message: string, { input, output }: Terminal): Promise<boolean> {
  return (await confirm({ message: plain(message), initialValue: false, input, output })) === true;
}
