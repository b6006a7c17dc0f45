import type { Shown } from "../../sandbox/wire/choices.ts";
import type { ArgumentsOf } from "../../sandbox/wire/operations.ts";
import { readJson } from "../../sandbox/wire/read-json.ts";
import { TAB_COLOR } from "../../sandbox/wire/screens.ts";
import { messageOf } from "../base/errors.ts";
import { cleanText } from "../base/text.ts";
import type { DialogOrigin, HookUIContext } from "../hook-api.ts";
import { type Capability, sealed } from "./capability.ts";
import { custom, edit, mount, suggest } from "./ui-components.ts";
import type { UiGrant } from "./ui-grant.ts";
import {
  MAX_EDITOR,
  MAX_LINES,
  MAX_OPTION,
  MAX_TITLE,
  marked,
  markFurther,
  type Show,
  showFor,
  shownRow,
  shownText,
  titled,
} from "./ui-text.ts";

/** A few hundred full dialogs: nobody answers more. */
const MAX_WAITING = 1_000_000;

type AskedIn = Required<Pick<DialogOrigin, "event">> & { show: Show };

const known = new WeakMap<object, AskedIn>();

/** The event that a hook asks in, and how its dialogs show texts. A hook may ask often in a large event: it is read once. */
function askedIn(event: { readonly text: string }): AskedIn {
  const read = known.get(event) ?? { event: readJson(event.text).event, show: showFor(event) };
  known.set(event, read);
  return read;
}

/** A dialog. `nobody` is the answer where there is no person, and `ask` gets that of one, who sees `heading`. */
function dialog<Kind extends "select" | "confirm" | "input" | "editor", Asked extends { title: string }>(
  kind: Kind,
  read: (args: ArgumentsOf<`ui.${Kind}`>) => Asked,
  nobody: false | null,
  ask: (ui: HookUIContext, heading: string, asked: Asked, origin: DialogOrigin, show: Show) => Promise<unknown>,
): Capability<`ui.${Kind}`, UiGrant, Asked> {
  return {
    read,
    check: (asked, grant) => (grant?.includes(kind) ? asked : undefined),
    async perform({ checked }, { hook, session, event, signal }) {
      if (!session.hasUI) return nobody;
      const { show, ...asksIn } = event ? askedIn(event) : { show: shownText };
      const origin = { hook: hook.id, title: show(checked.title, MAX_TITLE), ...asksIn, signal };
      try {
        return await ask(session.ui, titled(hook.name, checked.title, show), checked, origin, show);
      } catch (error) {
        // Else its author would look for the fault in the hook, which blocks the call with this text.
        throw new Error(`the agent's ${kind} dialog failed: ${messageOf(error)}`);
      }
    },
    describe: () => kind,
    propose: () => [kind],
    waits: "person",
    maxWaiting: MAX_WAITING,
    perMinute: () => 60,
  };
}

const select = dialog(
  "select",
  ([title, options]) => ({ title, options }),
  null,
  async (shownBy, heading, { options }, origin, show) => {
    const shown = distinct(options.map((option) => markFurther(show(option, MAX_OPTION))));
    const choice = await shownBy.select(heading, shown, origin);
    const index = shown.indexOf(choice as string);
    return index >= 0 ? options[index] : null;
  },
);

const confirm = dialog(
  "confirm",
  ([title, message]) => ({ title, message }),
  false,
  async (shownBy, heading, { message }, origin, show) => {
    const text = show(message, MAX_TITLE);
    const answer = await shownBy.confirm(heading, marked(text), { ...origin, text });
    return answer === true;
  },
);

const input = dialog(
  "input",
  ([title, placeholder]) => ({ title, placeholder }),
  null,
  async (shownBy, heading, { placeholder }, origin, show) => {
    const text = placeholder === undefined ? undefined : show(placeholder, MAX_OPTION);
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
const KINDS: { readonly [What in Shown]?: UiGrant[number] } = {
  editorText: "editor",
  paste: "editor",
  notification: "notify",
  bell: "notify",
};

const kindOf = ({ what }: Showing): UiGrant[number] => KINDS[what] ?? "show";

/** These stand outside of the agent's terminal, where nothing else says whose words they are. */
const OUTSIDE: ReadonlySet<Shown> = new Set(["title", "notification"]);

/** Shows something without a dialog. What the agent cannot show is dropped, as in pi without a terminal. */
const show: Capability<"ui.show", UiGrant, Showing> = {
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

const editorText: Capability<"ui.editorText", UiGrant, object> = {
  read: () => ({}),
  check: (asked, grant) => (grant?.includes("editor") ? asked : undefined),
  perform: async (_permit, { session }) => (session.hasUI ? (session.ui.editorText?.() ?? "") : ""),
  describe: () => "the text in the editor",
  propose: () => ["editor"],
  perMinute: () => 600,
};

/** The agent's colours, which say nothing of the person. */
const theme: Capability<"ui.theme", UiGrant, object> = {
  read: () => ({}),
  check: (asked) => asked,
  perform: async (_permit, { session }) => (session.hasUI ? (session.ui.theme?.() ?? null) : null),
  describe: () => "the colours of the agent",
  perMinute: () => 600,
};

/** Texts and lists of lines, without anything that a terminal would obey, or that only Cordon draws. */
function cleanShown(value: unknown): unknown {
  if (typeof value === "string") return shownText(value, MAX_TITLE);
  if (Array.isArray(value)) return value.slice(0, MAX_LINES).map(shownRow);
  return typeof value === "number" || typeof value === "boolean" ? value : null;
}

type Notice = { message: string; type: "info" | "warning" | "error" };

const notify: Capability<"ui.notify", UiGrant, Notice> = {
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
