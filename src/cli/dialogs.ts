import { confirm, isCancel, select, text } from "@clack/prompts";
import type { HookUIContext } from "../hooks.ts";
import type { Terminal } from "./terminal.ts";

/** Dialogs on a terminal, one at a time. Ctrl-C in one is "cancelled". */
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
  return {
    select: (title, options) =>
      inTurn(async () => {
        if (options.length === 0) return null;
        const answer = await select({
          message: title,
          options: options.map((value) => ({ value, label: value })),
          input,
          output,
        });
        return isCancel(answer) ? null : answer;
      }),
    confirm: (title, message) =>
      inTurn(async () => {
        const answer = await confirm({
          message: message ? `${title}\n${message}` : title,
          initialValue: false,
          input,
          output,
        });
        return answer === true;
      }),
    input: (title, placeholder) =>
      inTurn(async () => {
        const answer = await text({
          message: title,
          ...(placeholder === undefined ? {} : { placeholder }),
          input,
          output,
        });
        return isCancel(answer) ? null : (answer ?? "");
      }),
    notify,
  };
}
