import { setTimeout as delay } from "node:timers/promises";
import type { HookScreen } from "../hook-screen.ts";

const TERMINAL = { width: 80, rows: 24 };
/** Time for a component to take a key, in ms. */
const KEY_MS = 100;

const DOWN = "\u001b[B";
const KEYS = { yes: ["\r", "y", DOWN, "\r"], no: ["\u001b", "n", "q"] };

/** Uses a component as a person would who agrees or does not, and leaves it. */
export async function operate(screen: HookScreen, agrees: boolean): Promise<void> {
  const ended = screen.ended.then(() => true);
  const isOver = () => Promise.race([ended, delay(KEY_MS, false)]);
  screen.render(TERMINAL);
  for (const key of agrees ? KEYS.yes : KEYS.no) {
    if (await isOver()) return;
    screen.handleInput(key);
  }
  await isOver();
  screen.close();
}
