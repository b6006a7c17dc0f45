import type { Static } from "typebox";
import type { Shown } from "../../sandbox/wire/choices.ts";
import type { ArgumentsOf } from "../../sandbox/wire/operations.ts";
import { type CompletionQuestion, TAB_COLOR } from "../../sandbox/wire/screens.ts";
import { cleanLine, cleanText } from "../base/text.ts";
import Type from "../base/type.ts";
import type { DialogOrigin, HookUIContext } from "../hook-api.ts";
import type { CustomOptions, MountOptions } from "../hook-screen.ts";
import { toPlain } from "../supervisor/untrusted-json.ts";
import { names } from "./algebra.ts";
import { type Capability, sealed } from "./capability.ts";
import type { Power } from "./power.ts";

const uiGrant = Type.Array(
  Type.Enum(["notify", "select", "confirm", "input", "editor", "show", "draw", "markdown", "typing"]),
  {
    description:
      "What it shows and asks: notices and dialogs. show: a line of status, lines beside the editor, the title. editor: reads and sets what the person is writing. draw: components, which get the keyboard while their frame has it. markdown: how messages are shown. typing: all that the person types.",
  },
);
type Grant = Static<typeof uiGrant>;

export const uiPower: Power<typeof uiGrant> = { schema: uiGrant, ...names<Grant[number]>() };

export const mayDraw = (granted: Grant | undefined): boolean => granted?.includes("draw") === true;

/** It changes how the agent shows what was said. */
export const changesMarkdown = (granted: Grant | undefined): boolean => granted?.includes("markdown") === true;

export const readsTyping = (granted: Grant | undefined): boolean => granted?.includes("typing") === true;

/** Longest texts shown: a dialog that fills a few screens is a mistake or a trick. */
const MAX_TITLE = 4000;
const MAX_OPTION = 1000;
/** Longest text that a hook can hand to a person to edit. */
const MAX_EDITOR = 100_000;
/** A few hundred full dialogs: nobody answers more. */
const MAX_WAITING = 1_000_000;

/** Lines of one text: the hook's name before it must stay on the screen. */
const MAX_LINES = 40;

function shownText(text: string, maxLength: number): string {
  const lines = cleanText(text, maxLength).split("\n");
  return lines.length > MAX_LINES ? `${lines.slice(0, MAX_LINES).join("\n")}…` : lines.join("\n");
}

/** Begins each line of a hook's words but that with its name: no line of Cordon's own begins so. */
const MARK = "| ";

const markFurther = (text: string): string => text.replaceAll("\n", `\n${MARK}`);

/** The hook's name stands before its words, so that it cannot imitate Cordon's own questions. */
const titled = (name: string, title: string): string => `[hook ${name}] ${markFurther(shownText(title, MAX_TITLE))}`;

/** A text that stands below a title. */
const marked = (text: string): string => (text === "" ? "" : `${MARK}${markFurther(text)}`);

/** A dialog. `nobody` is the answer where there is no person, and `ask` gets that of one, who sees `heading`. */
function dialog<Kind extends "select" | "confirm" | "input" | "editor", Asked extends { title: string }>(
  kind: Kind,
  read: (args: ArgumentsOf<`ui.${Kind}`>) => Asked,
  nobody: false | null,
  ask: (ui: HookUIContext, heading: string, asked: Asked, origin: DialogOrigin) => Promise<unknown>,
): Capability<`ui.${Kind}`, Grant, Asked> {
  return {
    read,
    check: (asked, grant) => (grant?.includes(kind) ? asked : undefined),
    async perform({ checked }, { hook, session, signal }) {
      if (!session.hasUI) return nobody;
      const origin = { hook: hook.id, title: shownText(checked.title, MAX_TITLE), signal };
      return ask(session.ui, titled(hook.name, checked.title), checked, origin);
    },
    describe: () => kind,
    propose: () => [kind],
    waits: true,
    maxWaiting: MAX_WAITING,
    perMinute: () => 60,
  };
}

const select = dialog(
  "select",
  ([title, options]) => ({ title, options }),
  null,
  async (shownBy, heading, { options }, origin) => {
    const shown = distinct(options.map((option) => markFurther(shownText(option, MAX_OPTION))));
    const choice = await shownBy.select(heading, shown, origin);
    const index = shown.indexOf(choice as string);
    return index >= 0 ? options[index] : null;
  },
);

const confirm = dialog(
  "confirm",
  ([title, message]) => ({ title, message }),
  false,
  async (shownBy, heading, { message }, origin) => {
    const text = shownText(message, MAX_TITLE);
    const answer = await shownBy.confirm(heading, marked(text), { ...origin, text });
    return answer === true;
  },
);

const input = dialog(
  "input",
  ([title, placeholder]) => ({ title, placeholder }),
  null,
  async (shownBy, heading, { placeholder }, origin) => {
    const text = placeholder === undefined ? undefined : shownText(placeholder, MAX_OPTION);
    const shown = text === undefined ? undefined : markFurther(text);
    const answer = await shownBy.input(heading, shown, { ...origin, text });
    return typeof answer === "string" ? answer : null;
  },
);

const editor = dialog(
  "editor",
  ([title, prefill]) => ({ title, prefill }),
  null,
  async (ui, heading, { prefill }, origin) => {
    const given = prefill === undefined ? undefined : cleanText(prefill, MAX_EDITOR);
    const answer = await ui.editor?.(heading, given, origin);
    return typeof answer === "string" ? answer : null;
  },
);

/** A theme that the agent has. */
const THEME_NAME = /^[\w-]{1,100}$/;

type Showing = { what: Shown; args: readonly unknown[] };

/** The person might send what a hook puts into their editor. */
const KINDS: { readonly [What in Shown]?: Grant[number] } = {
  editorText: "editor",
  paste: "editor",
  notification: "notify",
  bell: "notify",
};

const kindOf = ({ what }: Showing): Grant[number] => KINDS[what] ?? "show";

/** These stand outside of the agent's terminal, where nothing else says whose words they are. */
const OUTSIDE: ReadonlySet<Shown> = new Set(["title", "notification"]);

/** Shows something without a dialog. What the agent cannot show is dropped, as in pi without a terminal. */
const show: Capability<"ui.show", Grant, Showing> = {
  read: ([what, args]) => ({ what, args }),
  check: (asked, grant) => (grant?.includes(kindOf(asked)) ? asked : undefined),
  async perform({ checked: { what, args } }, { hook, session }) {
    if (!session.hasUI) return null;
    const [first, ...rest] = args;
    // An agent hands it on to the terminal.
    if (what === "tabColor" && !TAB_COLOR.test(String(first))) return null;
    // It could be a path of a file.
    if (what === "theme" && !THEME_NAME.test(String(first))) return null;
    const shown = OUTSIDE.has(what)
      ? [titled(hook.name, String(first ?? "")), ...rest.map(cleanShown)]
      : args.map(cleanShown);
    session.ui.show?.(what, shown, { hook: hook.id, title: hook.name });
    return null;
  },
  describe: ({ what }) => what,
  propose: (asked) => [kindOf(asked)],
  perMinute: () => 1200,
};

const editorText: Capability<"ui.editorText", Grant, object> = {
  read: () => ({}),
  check: (asked, grant) => (grant?.includes("editor") ? asked : undefined),
  perform: async (_permit, { session }) => (session.hasUI ? (session.ui.editorText?.() ?? "") : ""),
  describe: () => "the text in the editor",
  propose: () => ["editor"],
  perMinute: () => 600,
};

type Custom = { screen: number; options: CustomOptions };

const custom: Capability<"ui.custom", Grant, Custom> = {
  read: ([screen, options]) => ({ screen, options: toPlain(options) }),
  check: (asked, grant) => (mayDraw(grant) ? asked : undefined),
  async perform({ checked: { screen, options } }, { hook, session, signal, last }) {
    if (!session.hasUI || !session.ui.custom || !hook.screens || signal.aborted) return null;
    const shown = hook.screens.open(screen, options.layout?.nonCapturing !== true);
    const over = last(() => shown.close());
    signal.addEventListener("abort", () => shown.close(), { once: true });
    session.ui.custom(shown, options, { hook: hook.id, title: hook.name, signal });
    await shown.ended;
    over();
    if (shown.failure !== undefined) throw new Error(`the component could not be drawn: ${shown.failure}`);
    return null;
  },
  describe: () => "a component with the keyboard",
  propose: () => ["draw"],
  waits: true,
  perMinute: () => 60,
};

type Mounted = { screen: number; options: MountOptions };

const mount: Capability<"ui.mount", Grant, Mounted> = {
  read: ([screen, where, key, placement]) => ({
    screen,
    options: { where, key: cleanLine(key, MAX_OPTION), placement },
  }),
  check: (asked, grant) => (mayDraw(grant) ? asked : undefined),
  async perform({ checked: { screen, options } }, { hook, session, last }) {
    if (!session.hasUI || !session.ui.mount || !hook.screens) return null;
    const shown = hook.screens.open(screen, false);
    void shown.ended.then(last(() => shown.close()));
    session.ui.mount(shown, options, { hook: hook.id, title: hook.name });
    return null;
  },
  describe: ({ options: { where } }) => `a ${where}`,
  propose: () => ["draw"],
  perMinute: () => 600,
};

type Edited = { screen: number };

const edit: Capability<"ui.edit", Grant, Edited> = {
  read: ([screen]) => ({ screen }),
  check: (asked, grant) => (readsTyping(grant) ? asked : undefined),
  async perform({ checked: { screen } }, { hook, session, last }) {
    if (!session.hasUI || !session.ui.edit || !hook.screens) return null;
    const asks = (text: string, signal: AbortSignal): Promise<boolean> => {
      const title = `[hook ${hook.name}] Its editor did not show this text plainly. Send it?`;
      return session.ui.confirm(title, marked(cleanText(text, MAX_EDITOR)), { hook: hook.id, title, text, signal });
    };
    const shown = hook.screens.edit(screen, asks);
    void shown.ended.then(last(() => shown.close()));
    session.ui.edit(shown, { hook: hook.id, title: hook.name });
    return null;
  },
  describe: () => "an editor",
  propose: () => ["typing"],
  perMinute: () => 60,
};

type Asked = { editor: number; question: CompletionQuestion };

const suggest: Capability<"ui.suggest", Grant, Asked> = {
  read: ([editor, lines, row, col, force]) => ({ editor, question: { lines, row, col, force } }),
  check: (asked, grant) => (readsTyping(grant) ? asked : undefined),
  async perform({ checked: { editor, question } }, { hook, event }) {
    const own = editor === 0 ? event?.suggest : hook.screens?.editor(editor)?.suggest;
    return (await own?.(question)) ?? null;
  },
  describe: () => "what the agent suggests",
  propose: () => ["typing"],
  perMinute: () => 6000,
};

/** The agent's colours, which say nothing of the person. */
const theme: Capability<"ui.theme", Grant, object> = {
  read: () => ({}),
  check: (asked) => asked,
  perform: async (_permit, { session }) => (session.hasUI ? (session.ui.theme?.() ?? null) : null),
  describe: () => "the colours of the agent",
  perMinute: () => 600,
};

/** One line of several, with the spaces that align it with the others. */
const cleanRow = (line: unknown): string => cleanText(String(line).replace(/[\t\n]/g, " "), MAX_OPTION);

/** Texts and lists of lines, without anything that a terminal would obey. */
function cleanShown(value: unknown): unknown {
  if (typeof value === "string") return shownText(value, MAX_TITLE);
  if (Array.isArray(value)) return value.slice(0, MAX_LINES).map(cleanRow);
  return typeof value === "number" || typeof value === "boolean" ? value : null;
}

type Notice = { message: string; type: "info" | "warning" | "error" };

const notify: Capability<"ui.notify", Grant, Notice> = {
  read: ([message, type]) => ({ message, type }),
  check: (asked, grant) => (grant?.includes("notify") ? asked : undefined),
  async perform({ checked: { message, type } }, { hook, session }) {
    const origin = { hook: hook.id, title: shownText(message, MAX_TITLE) };
    if (session.hasUI) session.ui.notify(titled(hook.name, message), type, origin);
    else session.ui.logNotice?.(titled(hook.name, message), type, origin);
    return null;
  },
  describe: () => "notify",
  propose: () => ["notify"],
  perMinute: () => 120,
};

/** Options that look alike once cleaned get a number: the answer must say which one was meant. */
function distinct(options: string[]): string[] {
  const taken = new Set<string>();
  return options.map((option) => {
    let label = option;
    for (let count = 2; taken.has(label) || (label !== option && options.includes(label)); count++)
      label = `${option} (${count})`;
    taken.add(label);
    return label;
  });
}

export const ui = {
  ...sealed("ui.select", select),
  ...sealed("ui.confirm", confirm),
  ...sealed("ui.input", input),
  ...sealed("ui.notify", notify),
  ...sealed("ui.editor", editor),
  ...sealed("ui.show", show),
  ...sealed("ui.editorText", editorText),
  ...sealed("ui.custom", custom),
  ...sealed("ui.mount", mount),
  ...sealed("ui.edit", edit),
  ...sealed("ui.suggest", suggest),
  ...sealed("ui.theme", theme),
};
