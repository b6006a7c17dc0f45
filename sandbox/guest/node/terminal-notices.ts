import type { Shown } from "../../wire/choices.ts";
import { TAB_COLOR } from "../../wire/screens.ts";
import { host } from "./host.ts";

const ESC = "\u001b";
/** What tmux hands on to its terminal: escape characters are doubled in it. */
const PASSED = new RegExp(`${ESC}Ptmux;((?:${ESC}${ESC}|[^${ESC}])*)${ESC}\\\\`, "g");
/** Commands to the operating system of a terminal, or a bell. */
const COMMAND = new RegExp(`${ESC}\\](\\d+);([^\\u0007${ESC}]*)(?:\\u0007|${ESC}\\\\)|\\u0007`, "g");
/** A progress bar of iTerm2 and Windows Terminal, which is no message. */
const PROGRESS = /^4;/;

/** The parts of kitty's notifications that are not complete yet, by their id. */
const parts = new Map<string, { title: string; body: string }>();
const MAX_PARTS = 16;

const show = (what: Shown, ...args: string[]): void => {
  // A notice that nobody may see is no fault of the hook.
  host.call("ui.show", [what, args], undefined).catch(() => {});
};

/** kitty's notifications: `key=value` pairs, and a text. `d=0` says that more follows. */
function kitty(command: string): void {
  const at = command.indexOf(";");
  const facts = new Map(
    command
      .slice(0, Math.max(at, 0))
      .split(":")
      .map((pair) => pair.split("=") as [string, string]),
  );
  const text = command.slice(at + 1);
  const id = facts.get("i") ?? "";
  const known = parts.get(id) ?? { title: "", body: "" };
  parts.delete(id);
  if (facts.get("p") === "body") known.body += text;
  else if (facts.get("p") === undefined || facts.get("p") === "title") known.title += text;
  if (facts.get("d") !== "0") show("notification", known.title, known.body);
  else if (parts.size < MAX_PARTS) parts.set(id, known);
}

function obey(number: string | undefined, command = ""): void {
  if (number === undefined) show("bell");
  else if (number === "777") {
    const [kind, title = "", ...body] = command.split(";");
    if (kind === "notify") show("notification", title, body.join(";"));
  } else if (number === "9" && !PROGRESS.test(command)) show("notification", "", command);
  else if (number === "99") kitty(command);
  else if (number === "0" || number === "2") show("title", command);
  else if (number === "6" && TAB_COLOR.test(command)) show("tabColor", command);
}

/**
 * Does what a text asks of a terminal: notifications, a bell, the title of the window, the colour of its tab. Returns the
 * rest of it.
 */
export const withoutNotices = (text: string): string =>
  text
    .replace(PASSED, (_all, passed: string) => passed.replaceAll(ESC + ESC, ESC))
    .replace(COMMAND, (_all, number: string | undefined, command: string | undefined) => {
      obey(number, command);
      return "";
    });
