import Type from "typebox";
import { cleanText } from "../base/text.ts";
import { names } from "./algebra.ts";
import { type Capability, sealed } from "./capability.ts";
import type { Power } from "./power.ts";

const uiGrant = Type.Array(Type.Enum(["notify", "select", "confirm", "input"]));
type Grant = ("notify" | "select" | "confirm" | "input")[];

export const uiPower: Power<typeof uiGrant> = { schema: uiGrant, ...names<Grant[number]>() };

/** Longest texts shown: a dialog that fills a few screens is a mistake or a trick. */
const MAX_TITLE = 4000;
const MAX_OPTION = 1000;
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

/** Leave to show one thing. */
class UiPermit<Of extends object> {
  readonly shown: Of;

  private constructor(shown: Of) {
    this.shown = shown;
  }

  static check<Of extends object>(shown: Of, grant: Grant | undefined, kind: Grant[number]): UiPermit<Of> | undefined {
    return grant?.includes(kind) ? new UiPermit(shown) : undefined;
  }
}

type Dialog = { title: string; options: readonly string[]; message: string; placeholder?: string };

function dialog<Kind extends "select" | "confirm" | "input">(
  kind: Kind,
  read: Capability<Grant, Dialog, UiPermit<Dialog>, `ui.${Kind}`>["read"],
  perform: Capability<Grant, Dialog, UiPermit<Dialog>, `ui.${Kind}`>["perform"],
): Capability<Grant, Dialog, UiPermit<Dialog>, `ui.${Kind}`> {
  return {
    capability: "ui",
    read,
    perform,
    waits: true,
    maxWaiting: MAX_WAITING,
    check: (asked, grant) => UiPermit.check(asked, grant, kind),
    describe: () => kind,
    propose: () => [kind],
    perMinute: () => 60,
  };
}

const select = dialog(
  "select",
  ([title, options]) => ({ title, options, message: "" }),
  async ({ shown: { title, options } }, { hook, session, signal }) => {
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
  ([title, message]) => ({ title, message, options: [] }),
  async ({ shown: { title, message } }, { hook, session, signal }) => {
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
  ([title, placeholder]) => ({ title, placeholder, options: [], message: "" }),
  async ({ shown: { title, placeholder } }, { hook, session, signal }) => {
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

const notify: Capability<Grant, Notice, UiPermit<Notice>, "ui.notify"> = {
  capability: "ui",
  read: ([message, type]) => ({ message, type }),
  check: (asked, grant) => UiPermit.check(asked, grant, "notify"),
  async perform({ shown: { message, type } }, { hook, session }) {
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

export const ui = {
  "ui.select": sealed(select),
  "ui.confirm": sealed(confirm),
  "ui.input": sealed(input),
  "ui.notify": sealed(notify),
};
