import type { CompletionQuestion } from "../../sandbox/wire/screens.ts";
import { cleanLine, visibleText } from "../base/text.ts";
import type { CustomOptions, MountOptions } from "../hook-screen.ts";
import { toPlain } from "../supervisor/untrusted-json.ts";
import type { Capability, Circumstances } from "./capability.ts";
import { mayDraw, readsTyping, type UiGrant } from "./ui-grant.ts";
import { MAX_EDITOR, MAX_OPTION, marked } from "./ui-text.ts";

/** Keeps what is shown until it is closed. */
function keep(last: Circumstances["last"], shown: { close(): void; readonly ended: Promise<void> }): void {
  const over = new AbortController();
  void shown.ended.then(() => over.abort());
  last(() => shown.close(), over.signal);
}

type Custom = { screen: number; options: CustomOptions };

export const custom: Capability<"ui.custom", UiGrant, Custom> = {
  read: ([screen, options]) => ({ screen, options: toPlain(options) }),
  check: (asked, grant) => (mayDraw(grant) ? asked : undefined),
  async perform({ checked: { screen, options } }, { hook, session, signal, last, seen }) {
    if (!session.hasUI || !session.ui.custom || !hook.screens || signal.aborted) return null;
    const hasKeys = options.layout?.nonCapturing !== true;
    if (hasKeys && hook.screens.isLeft) return null;
    const shown = hook.screens.open(screen, hasKeys, options.overlay === true);
    keep(last, shown);
    let wasHidden = false;
    const look = (): void => {
      if (shown.hidden === wasHidden) return;
      wasHidden = shown.hidden;
      seen(!wasHidden);
    };
    // It may have been hidden before it was open.
    look();
    void shown.ended.then(shown.onChange(look));
    signal.addEventListener("abort", () => shown.close(), { once: true });
    session.ui.custom(shown, options, { hook: hook.id, title: hook.name, signal });
    await shown.ended;
    if (shown.failure !== undefined) throw new Error(`the component could not be drawn: ${shown.failure}`);
    return null;
  },
  describe: () => "a component with the keyboard",
  propose: () => ["draw"],
  // Nobody need answer one that has no keyboard.
  waits: ({ options }) => (options.layout?.nonCapturing === true ? "program" : "person"),
  perMinute: () => 60,
};

type Mounted = { screen: number; options: MountOptions };

export const mount: Capability<"ui.mount", UiGrant, Mounted> = {
  read: ([screen, where, key, placement]) => ({
    screen,
    options: { where, key: cleanLine(key, MAX_OPTION), placement },
  }),
  check: (asked, grant) => (mayDraw(grant) ? asked : undefined),
  async perform({ checked: { screen, options } }, { hook, session, last }) {
    if (!session.hasUI || !session.ui.mount || !hook.screens) return null;
    const shown = hook.screens.open(screen, false, false);
    keep(last, shown);
    session.ui.mount(shown, options, { hook: hook.id, title: hook.name });
    return null;
  },
  describe: ({ options: { where } }) => `a ${where}`,
  propose: () => ["draw"],
  perMinute: () => 600,
};

type Edited = { screen: number };

export const edit: Capability<"ui.edit", UiGrant, Edited> = {
  read: ([screen]) => ({ screen }),
  check: (asked, grant) => (readsTyping(grant) ? asked : undefined),
  async perform({ checked: { screen } }, { hook, session, last }) {
    if (!session.hasUI || !session.ui.edit || !hook.screens) return null;
    const asks = (text: string, signal: AbortSignal): Promise<boolean> => {
      const title = `[hook ${hook.name}] Its editor did not show this text plainly. Send it?`;
      return session.ui.confirm(title, marked(visibleText(text, MAX_EDITOR)), { hook: hook.id, title, text, signal });
    };
    const shown = hook.screens.edit(screen, asks);
    keep(last, shown);
    session.ui.edit(shown, { hook: hook.id, title: hook.name });
    return null;
  },
  describe: () => "an editor",
  propose: () => ["typing"],
  perMinute: () => 60,
};

export type Asked = { editor: number; question: CompletionQuestion };

export const suggest: Capability<"ui.suggest", UiGrant, Asked> = {
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
