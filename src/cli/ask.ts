import { dialogText } from "./dialog-text.ts";
import { forgetTyped } from "./forget-typed.ts";
import { plain } from "./print.ts";
import type { Terminal } from "./terminal.ts";

/**
 * What asks on a terminal, once a person typed nothing for a while. Most commands ask nothing, and what Node has for terminals
 * takes milliseconds to load.
 */
export async function prompts(input: Terminal["input"]) {
  await forgetTyped(input);
  return import("./prompts.ts");
}

/**
 * Asks a person one of Cordon's own questions. `answers`: each with the label that a person reads. All texts are cleaned
 * here. Resolves with `undefined` if the person cancels.
 */
export async function askOne<T extends string>(
  message: string,
  answers: Partial<Record<T, string>>,
  { input, output }: Terminal,
): Promise<T | undefined> {
  const options = Object.entries<string>(answers as Record<T, string>).map(([value, label]) => ({
    value,
    label: plain(label),
  }));
  const { isCancel, select } = await prompts(input);
  const answer = await select({ message: plain(message), options, input, output });
  return isCancel(answer) ? undefined : (answer as T);
}

/** Asks which of these names a person chooses. */
export async function askSome(
  message: string,
  names: readonly string[],
  { input, output }: Terminal,
): Promise<string[] | undefined> {
  const options = names.map((value) => ({ value, label: plain(value) }));
  const { isCancel, multiselect } = await prompts(input);
  const answer = await multiselect({ message: plain(message), options, required: false, input, output });
  return isCancel(answer) ? undefined : answer;
}

/** Asks for a text. Resolves with `undefined` if the person cancels. Other questions have a bar before each of their rows. */
export async function askText(message: string, { input, output }: Terminal): Promise<string | undefined> {
  const { isCancel, text } = await prompts(input);
  const answer = await text({ message: dialogText(plain(message), true, output.columns), input, output });
  return isCancel(answer) ? undefined : answer;
}

/** True only for a yes. */
export async function askWhether(message: string, { input, output }: Terminal): Promise<boolean> {
  const { confirm } = await prompts(input);
  return (await confirm({ message: plain(message), initialValue: false, input, output })) === true;
}
