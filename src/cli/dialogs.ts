import { confirm, isCancel, select, text } from "@clack/prompts";
import type { DialogOrigin, HookUIContext } from "../hook-api.ts";
import { dialogText } from "./dialog-text.ts";
import type { Terminal } from "./terminal.ts";

/** Dialogs on a terminal, one at a time. Ctrl-C cancels a dialog. */
export function terminalDialogs(
  terminal: Pick<Terminal, "input" | "output">,
  notify: HookUIContext["notify"],
): HookUIContext {
  const { input, output } = terminal;
  let queue: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(ask: () => Promise<T>): Promise<T> => {
    const answer = queue.then(ask);
    queue = answer.catch(() => {});
    return answer;
  };
  const words = (given: string, origin: DialogOrigin | undefined): string =>
    dialogText(given, origin !== undefined, output.columns);
  return {
    select: (title, options, origin) =>
      inTurn(async () => {
        if (options.length === 0) return null;
        const answer = await select({
          message: words(title, origin),
          options: options.map((value) => ({ value, label: words(value, origin) })),
          input,
          output,
        });
        return isCancel(answer) ? null : answer;
      }),
    confirm: (title, message, origin) =>
      inTurn(async () => {
        const answer = await confirm({
          message: words(message ? `${title}\n${message}` : title, origin),
          initialValue: false,
          input,
          output,
        });
        return answer === true;
      }),
    input: (title, placeholder, origin) =>
      inTurn(async () => {
        const answer = await text({
          message: words(title, origin),
          ...(placeholder === undefined ? {} : { placeholder: words(placeholder, origin) }),
          input,
          output,
        });
        return isCancel(answer) ? null : (answer ?? "");
      }),
    notify,
  };
}
