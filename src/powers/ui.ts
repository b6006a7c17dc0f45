import Type from "typebox";
import { cleanText } from "../base/text.ts";
import { names } from "./algebra.ts";
import { type Capability, letThrough } from "./capability.ts";
import type { Power } from "./power.ts";

export const uiGrant = Type.Array(Type.Enum(["notify", "select", "confirm", "input"]));
type Grant = ("notify" | "select" | "confirm" | "input")[];

export const uiPower: Power<Grant> = { schema: uiGrant, fault: () => undefined, ...names<Grant[number]>() };

/** Longest texts shown: a dialog that fills a few screens is a mistake or a trick. */
const MAX_TITLE = 4000;
const MAX_OPTION = 1000;
const MAX_OPTIONS = 200;
/** A few hundred full dialogs: nobody answers more. */
const MAX_WAITING = 1_000_000;

const text = Type.String({ maxLength: 1_000_000 });

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

type Dialog = { title: string; options: string[]; message: string; placeholder?: string };

function dialog(
  kind: Grant[number],
  request: Capability<Grant, Dialog>["request"],
  read: Capability<Grant, Dialog>["read"],
  perform: Capability<Grant, Dialog>["perform"],
): Capability<Grant, Dialog> {
  return {
    capability: "ui",
    request,
    read,
    perform,
    waits: true,
    maxWaiting: MAX_WAITING,
    check: (asked, grant) => (grant?.includes(kind) ? letThrough(asked) : undefined),
    describe: () => kind,
    propose: () => [kind],
    perMinute: () => (kind === "notify" ? 120 : 60),
  };
}

const select = dialog(
  "select",
  Type.Tuple([text, Type.Array(text, { maxItems: MAX_OPTIONS })]),
  ([title, options]) => ({ title: title as string, options: options as string[], message: "" }),
  async ({ title, options }, { hook, session, signal }) => {
    if (!session.hasUI) return null;
    const shown = distinct(options.map((option) => markFurther(shownText(option, MAX_OPTION))));
    const choice = await session.ui.select(titled(hook.name, title), shown, {
      hook: hook.id,
      title: shownText(title, MAX_TITLE),
      signal,
    });
    const index = shown.indexOf(choice as string);
    return index >= 0 ? options[index] : null;
  },
);

const confirm = dialog(
  "confirm",
  Type.Tuple([text, text]),
  ([title, message]) => ({ title: title as string, message: message as string, options: [] }),
  async ({ title, message }, { hook, session, signal }) => {
    if (!session.hasUI) return false;
    const text = shownText(message, MAX_TITLE);
    const answer = await session.ui.confirm(titled(hook.name, title), marked(text), {
      hook: hook.id,
      title: shownText(title, MAX_TITLE),
      text,
      signal,
    });
    return answer === true;
  },
);

const input = dialog(
  "input",
  Type.Union([Type.Tuple([text]), Type.Tuple([text, text])]),
  ([title, placeholder]) => ({
    title: title as string,
    placeholder: placeholder as string | undefined,
    options: [],
    message: "",
  }),
  async ({ title, placeholder }, { hook, session, signal }) => {
    if (!session.hasUI) return null;
    const text = placeholder === undefined ? undefined : shownText(placeholder, MAX_OPTION);
    const shown = text === undefined ? undefined : markFurther(text);
    const answer = await session.ui.input(titled(hook.name, title), shown, {
      hook: hook.id,
      title: shownText(title, MAX_TITLE),
      ...(text === undefined ? {} : { text }),
      signal,
    });
    return typeof answer === "string" ? answer : null;
  },
);

type Notice = { message: string; type: "info" | "warning" | "error" };

const notify: Capability<Grant, Notice> = {
  capability: "ui",
  request: Type.Tuple([text, Type.Enum(["info", "warning", "error"])]),
  read: ([message, type]) => ({ message: message as string, type: type as Notice["type"] }),
  check: (asked, grant) => (grant?.includes("notify") ? letThrough(asked) : undefined),
  async perform({ message, type }, { hook, session }) {
    if (session.hasUI)
      session.ui.notify(titled(hook.name, message), type, { hook: hook.id, title: shownText(message, MAX_TITLE) });
    return null;
  },
  describe: () => "notify",
  propose: () => ["notify"],
  waits: false,
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

export const ui = { "ui.select": select, "ui.confirm": confirm, "ui.input": input, "ui.notify": notify };
