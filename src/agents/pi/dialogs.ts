import { attemptOr } from "../../base/attempt.ts";
import { cleanLine } from "../../base/text.ts";
import { MARK } from "../../base/wrap.ts";
import type { DialogOrigin, HookUIContext } from "../../hook-api.ts";
import { openDialogs } from "./open-dialogs.ts";
import type { PiLink } from "./pi-link.ts";
import type { PiUi } from "./pi-ui.ts";
import { noticeRows, rowsOf } from "./rows.ts";
import { piScreens } from "./screens.ts";

const how = (origin: DialogOrigin | undefined) => (origin?.signal ? { signal: origin.signal } : {});

/** Columns of a frame of pi's indicator, which stands before the message. */
const INDICATOR = 24;

/** pi's own dialogs, for hooks and for Cordon's questions. */
export function piDialogs(link: PiLink): HookUIContext {
  const ui = (): PiUi => link.context.ui;
  const words = (text: string, origin: DialogOrigin | undefined): string =>
    origin ? rowsOf(link, text).join("\n") : text;
  return {
    async select(title, options, origin) {
      const shown = options.map((option) => words(option, origin));
      const chosen = await openDialogs.during(link, () => ui().select(words(title, origin), shown, how(origin)));
      return chosen === undefined ? null : (options[shown.indexOf(chosen)] ?? null);
    },
    confirm: (title, message, origin) =>
      openDialogs.during(link, () => ui().confirm(words(title, origin), words(message, origin), how(origin))),
    input: async (title, placeholder, origin) =>
      (await openDialogs.during(link, () => ui().input(words(title, origin), placeholder, how(origin)))) ?? null,
    editor: async (title, prefill, origin) =>
      (await openDialogs.during(link, () => ui().editor(words(title, origin), prefill))) ?? null,
    notify: (message, type, origin) => ui().notify(origin ? noticeRows(link, message) : message, type),
    hearsAnswers: () => link.hearsAnswers,
    editorText: () => ui().getEditorText(),
    show: (what, args, origin) => SHOW[what]?.(ui(), args, origin, link),
    ...piScreens(link),
  };
}

type Show = (ui: PiUi, args: readonly unknown[], origin: DialogOrigin | undefined, link: PiLink) => void;

/** Keys are the hook's own: each hook has keys of its own in pi. */
const keyOf = (key: unknown, origin: DialogOrigin | undefined): string =>
  `cordon:${origin?.hook ?? ""}:${typeof key === "string" ? key : ""}`;

const BELL = "\u0007";

/** The command that most terminals show a message of the desktop for. A semicolon would end the title. */
const notification = (title = "", body = ""): string =>
  `\u001b]777;notify;${oneLine(title).replaceAll(";", ",")};${oneLine(body)}${BELL}`;

const oneLine = (text: string): string => cleanLine(text, 1000);

const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
const linesOf = (value: unknown): string[] | undefined =>
  Array.isArray(value) ? value.filter((line) => typeof line === "string") : undefined;

/** The hook's name stands before what it shows all the time, so that none of it looks like Cordon's own. */
const named = (text: string, origin: DialogOrigin | undefined): string => `[${origin?.title ?? ""}] ${text}`;

/** One line, so that none of it stands below the name. Undefined: pi's own. */
function label(value: unknown, origin: DialogOrigin | undefined): string | undefined {
  const text = textOf(value);
  return text === undefined ? undefined : named(oneLine(text), origin);
}

/** The same where pi wraps what is longer than a row. Visibly cut. */
function row(link: PiLink, value: unknown, origin: DialogOrigin | undefined, beside = 0): string | undefined {
  const text = label(value, origin);
  const [first = "", ...more] = text === undefined ? [] : rowsOf(link, text, beside);
  return text === undefined || more.length === 0 ? text : `${first}…`;
}

const ROUND: Readonly<Record<string, string>> = { "[": "(", "]": ")" };

/** Widgets of text below the editor, and so below dialogs, which they would push up. */
const below = new Map<string, { link: PiLink; lines: string[] }>();

function showBelow(link: PiLink, key: string, lines: string[]): void {
  below.set(key, { link, lines });
  if (!openDialogs.isAny) link.context.ui.setWidget(key, lines, { placement: "belowEditor" });
}

openDialogs.follow(() => {
  for (const [key, { link, lines }] of below) {
    const shown = openDialogs.isAny ? undefined : lines;
    // One may be of a session that is over.
    attemptOr(() => link.context.ui.setWidget(key, shown, { placement: "belowEditor" }), undefined);
  }
});

/** The session is over, with all that it shows. */
export function endDialogs(link: PiLink): void {
  for (const [key, widget] of below) if (widget.link === link) below.delete(key);
  openDialogs.end(link);
}

const SHOW: Readonly<Record<Parameters<NonNullable<HookUIContext["show"]>>[0], Show>> = {
  // pi puts one beside the other: brackets would look like the name of another hook.
  status: (ui, [key, value], origin) =>
    ui.setStatus(
      keyOf(key, origin),
      label(
        textOf(value)?.replace(/[[\]]/g, (one) => ROUND[one] ?? one),
        origin,
      ),
    ),
  widget(ui, [key, value, placement], origin, link) {
    const lines = linesOf(value);
    const marked = lines && [named(lines[0] ?? "", origin), ...lines.slice(1).map((line) => `${MARK}${line}`)];
    const shown = marked?.flatMap((line) => rowsOf(link, line));
    below.delete(keyOf(key, origin));
    if (shown && placement === "belowEditor") showBelow(link, keyOf(key, origin), shown);
    else ui.setWidget(keyOf(key, origin), shown);
  },
  title: (ui, [title]) => ui.setTitle(textOf(title) ?? ""),
  workingMessage: (ui, [message], origin, link) => ui.setWorkingMessage(row(link, message, origin, INDICATOR)),
  workingVisible: (ui, [visible]) => ui.setWorkingVisible(visible === true),
  workingIndicator(ui, [frames, intervalMs], origin, link) {
    const beside = Math.max(0, (link.columns ?? 0) - INDICATOR);
    const shown = linesOf(frames)?.map((frame) => row(link, frame, origin, beside) ?? "");
    ui.setWorkingIndicator(shown && { frames: shown, ...(typeof intervalMs === "number" ? { intervalMs } : {}) });
  },
  thinkingLabel: (ui, [text], origin, link) => ui.setHiddenThinkingLabel(row(link, text, origin)),
  editorText: (ui, [text]) => ui.setEditorText(textOf(text) ?? ""),
  paste: (ui, [text]) => ui.pasteToEditor(textOf(text) ?? ""),
  notification: (_ui, [title, body], _origin, link) => link.toTerminal(notification(textOf(title), textOf(body))),
  bell: (_ui, _args, _origin, link) => link.toTerminal(BELL),
  tabColor: (_ui, [command], _origin, link) => link.toTerminal(`\u001b]6;${textOf(command)}${BELL}`),
  theme: (ui, [name]) => void ui.setTheme(textOf(name) ?? ""),
  toolsExpanded: (ui, [expanded]) => ui.setToolsExpanded(expanded === true),
};
