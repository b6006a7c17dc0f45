import type { DialogOrigin, HookUIContext } from "../hook-api.ts";
import { prompts } from "./ask.ts";
import { dialogText } from "./dialog-text.ts";
import type { Terminal } from "./terminal.ts";

type Prompts = Awaited<ReturnType<typeof prompts>>;

/** Dialogs on a terminal, one at a time. Ctrl+C and Ctrl+D cancel a dialog. */
export function terminalDialogs(
  terminal: Pick<Terminal, "input" | "output">,
  notify: HookUIContext["notify"],
): HookUIContext {
  const { input, output } = terminal;
  let queue: Promise<unknown> = Promise.resolve();
  /** Resolves with `null` for a dialog that was cancelled. */
  const inTurn = <T>(ask: (prompts: Prompts) => Promise<T | null | symbol>): Promise<T | null> => {
    const answer = queue.then(async () => {
      const shown = await prompts(input);
      const given = await ask(shown);
      return shown.isCancel(given) ? null : (given as T);
    });
    queue = answer.catch(() => {});
    return answer;
  };
  const words = (given: string, origin: DialogOrigin | undefined): string =>
    dialogText(given, origin !== undefined, output.columns);
  return {
    select: async (title, options, origin) =>
      options.length === 0
        ? null
        : inTurn<string>(async ({ select }) => {
            const answers = options.map((value) => ({ value, label: words(value, origin) }));
            return select({ message: words(title, origin), options: answers, input, output });
          }),
    confirm: async (title, message, origin) => {
      const question = message ? `${title}\n${message}` : title;
      const asked = { message: words(question, origin), initialValue: false, input, output };
      return (await inTurn(({ confirm }) => confirm(asked))) === true;
    },
    input: (title, placeholder, origin) =>
      inTurn<string>(async ({ text }) => {
        const hint = placeholder === undefined ? {} : { placeholder: words(placeholder, origin) };
        return (await text({ message: words(title, origin), ...hint, input, output })) ?? "";
      }),
    notify,
  };
}
