import { emitKeypressEvents } from "node:readline";

/** Calls what belongs to a key that a person presses; Ctrl+C is `q`. `undefined` where nobody sits at a terminal. */
export function listenToKeys(acts: Readonly<Record<"g" | "w" | "r" | "q", () => void>>): { close(): void } | undefined {
  const { stdin, stdout } = process;
  if (!stdin.isTTY || !stdout.isTTY) return undefined;
  const byKey = new Map(Object.entries(acts));
  const press = (_text: string, key: { name?: string; ctrl?: boolean }): void =>
    byKey.get(key.ctrl && key.name === "c" ? "q" : (key.name ?? ""))?.();
  emitKeypressEvents(stdin);
  stdin.setRawMode(true);
  stdin.on("keypress", press);
  stdin.resume();
  return {
    close() {
      stdin.off("keypress", press);
      stdin.setRawMode(false);
      stdin.pause();
    },
  };
}
