import { inQuotes } from "../base/text.ts";
import type { Waiting } from "../daemon/questions.ts";
import { defaultHome } from "../disk/home.ts";
import { askDaemon } from "../shim/ask-daemon.ts";
import { askOne, askText } from "./ask.ts";
import { print, printJson, printMarked, say } from "./print.ts";
import { onTerminal, type Terminal } from "./terminal.ts";

/** `cordon pending`: lists the questions of hooks that wait for a person, and asks them on a terminal. */
export async function pending({ json = false }: { json?: boolean }): Promise<void> {
  const home = defaultHome();
  const waiting = ((await askDaemon(home, "questions")) ?? []) as Waiting[];
  if (json) return printJson(waiting);
  if (waiting.length === 0) return void print`no hook waits for an answer`;
  for (const { id, session, hook, text, call, since } of waiting)
    printMarked`${id}  ${hook} (${session}), since ${since}: ${text}${call === undefined ? "" : `; about the call ${call}`}`;
  await onTerminal(
    async (terminal) => {
      for (const one of waiting) {
        const answer = await askAbout(one, terminal);
        if (answer === undefined) return;
        const taken = await askDaemon(home, "answer", { id: one.id, answer });
        if (taken !== true) say`${one.id}: nobody waits for it any more`;
      }
    },
    async () => say`answering takes a terminal with a person at it`,
  );
}

async function askAbout({ hook, text, call, why, options }: Waiting, terminal: Terminal): Promise<string | undefined> {
  const claim = why === undefined ? "" : ` Its author claims: ${inQuotes(why)}`;
  const about = call === undefined ? "" : `\nIt is about the call ${call}`;
  const message = `hook ${hook}: ${text}${claim}${about}`;
  if (options.length > 0) {
    const chosen = await askOne(message, Object.fromEntries(options.entries()), terminal);
    return chosen === undefined ? undefined : options[Number(chosen)];
  }
  return askText(message, terminal);
}
