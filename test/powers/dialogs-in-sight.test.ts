/** On pi's terminal, nothing that a hook shows covers a dialog or pushes it out of sight. */
import { afterEach, expect, test } from "vitest";
import { endDialogs, piDialogs } from "../../src/agents/pi/dialogs.ts";
import type { PiLink } from "../../src/agents/pi/pi-link.ts";
import type { HookScreen } from "../../src/hook-screen.ts";

/** A component of a hook's that shows one row. */
function component(): HookScreen & { over(): void } {
  const { promise: ended, resolve: over } = Promise.withResolvers<void>();
  const listeners = new Set<() => void>();
  return {
    ...{ hook: "gate", hidden: false, ended, render: () => ["row"], handleInput() {}, invalidate() {} },
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: over,
    over,
  };
}

/** pi's terminal as an extension reaches it. Dialogs are answered by hand. */
function terminal() {
  const widgets = new Map<string, unknown>();
  const hidden: boolean[][] = [];
  const answers: ((value: unknown) => void)[] = [];
  const ask = () => new Promise((resolve) => answers.push(resolve));
  const tui = { terminal: { rows: 24, columns: 80 }, requestRender() {} };
  const made: { render(width: number): string[] }[] = [];
  const put = (make?: (tui: object) => { render(width: number): string[] }) => void (make && made.push(make(tui)));
  const ui = {
    ...{ select: ask, confirm: ask, input: ask, editor: ask, setFooter: put, setHeader: put },
    setWidget(key: string, shown: unknown) {
      if (typeof shown === "function") put(shown as Parameters<typeof put>[0]);
      else widgets.set(key, shown);
    },
    custom(make: (...given: unknown[]) => unknown, { onHandle }: { onHandle?: (handle: object) => void }) {
      const history: boolean[] = [];
      make(tui, {}, undefined, () => history.push(false));
      hidden.push(history);
      onHandle?.({ setHidden: (now: boolean) => history.push(now) });
      return new Promise(() => {});
    },
  };
  let isOver = false;
  const context = { ui, mode: "tui" };
  const link = {
    ...{ columns: 80, hearsAnswers: true },
    get context() {
      if (isOver) throw new Error("This extension ctx is stale");
      return context;
    },
  } as unknown as PiLink;
  /** pi begins another session: it takes its dialogs away. */
  const end = (tells = true): void => {
    if (tells) endDialogs(link);
    isOver = true;
  };
  return { dialogs: piDialogs(link), widgets, hidden, answers, made, end };
}

const origin = { hook: "gate", title: "gate" };
const KINDS = ["select", "confirm", "input", "editor"] as const;
let left: (() => void)[] = [];
const mounted = (): ReturnType<typeof component> => {
  const one = component();
  left.push(one.over);
  return one;
};
afterEach(() => {
  for (const over of left) over();
  left = [];
});

test.each(KINDS)("overlays are hidden while a dialog is open: %s", async (kind) => {
  const { dialogs, hidden, answers } = terminal();
  dialogs.custom?.(mounted(), { overlay: true });
  const ask = { select: () => dialogs.select("?", ["a"]), confirm: () => dialogs.confirm("?", "!") };
  const asked = kind === "select" || kind === "confirm" ? ask[kind]() : dialogs[kind]?.("?");
  expect(hidden).toEqual([[true]]);
  // One that is made meanwhile, and a second question at once.
  dialogs.custom?.(mounted(), { overlay: true, layout: { nonCapturing: true } });
  const second = dialogs.confirm("Second?", "");
  answers[0]?.(undefined);
  await asked;
  expect(hidden).toEqual([[true], [true]]);
  answers[1]?.(undefined);
  await second;
  expect(hidden).toEqual([
    [true, false],
    [true, false],
  ]);
});

test("one that its hook hides stays hidden when the dialog is over, and one that has ended is left alone", async () => {
  const { dialogs, hidden, answers } = terminal();
  const [shy, ended] = [mounted(), mounted()];
  Object.assign(shy, { hidden: true });
  dialogs.custom?.(shy, { overlay: true });
  dialogs.custom?.(ended, { overlay: true });
  ended.over();
  await ended.ended;
  await Promise.resolve();
  const asked = dialogs.confirm("?", "!");
  answers[0]?.(true);
  expect(await asked).toBe(true);
  // It was told that it is over, and nothing after that.
  expect(hidden).toEqual([[true, true], [false]]);
});

test("a dialog that fails counts no longer", async () => {
  const { dialogs, hidden, answers } = terminal();
  dialogs.custom?.(mounted(), { overlay: true });
  const asked = dialogs.confirm("?", "!");
  answers[0]?.(Promise.reject(new Error("the session is over")));
  await expect(asked).rejects.toThrow("the session is over");
  expect(hidden).toEqual([[true, false]]);
});

test("what stands below the editor is away while a dialog is open", async () => {
  const { dialogs, widgets, answers, made } = terminal();
  dialogs.show?.("widget", ["up", ["above"]], origin);
  dialogs.show?.("widget", ["down", ["below", "second"], "belowEditor"], origin);
  dialogs.mount?.(mounted(), { where: "widget", key: "drawn", placement: "belowEditor" });
  dialogs.mount?.(mounted(), { where: "footer", key: "", placement: "belowEditor" });
  dialogs.mount?.(mounted(), { where: "widget", key: "drawn-above", placement: "aboveEditor" });
  const rows = () => made.map((one) => one.render(80).length);
  const shown = { "cordon:gate:up": ["[gate] above"], "cordon:gate:down": ["[gate] below", "| second"] };
  expect([Object.fromEntries(widgets), rows()]).toEqual([shown, [1, 1, 1]]);
  const asked = dialogs.confirm("?", "!");
  dialogs.show?.("widget", ["late", ["late"], "belowEditor"], origin);
  expect([Object.fromEntries(widgets), rows()]).toEqual([{ ...shown, "cordon:gate:down": undefined }, [0, 0, 1]]);
  answers[0]?.(true);
  await asked;
  expect([Object.fromEntries(widgets), rows()]).toEqual([{ ...shown, "cordon:gate:late": ["[gate] late"] }, [1, 1, 1]]);
  for (const key of ["down", "late"]) dialogs.show?.("widget", [key, undefined, "belowEditor"], origin);
  const again = dialogs.confirm("?", "!");
  answers[1]?.(true);
  await again;
  expect(widgets.get("cordon:gate:down")).toBeUndefined();
});

test.each([true, false])(
  "a session that is over disturbs no question of the next one (pi said that it ends: %s)",
  async (tells) => {
    const before = terminal();
    before.dialogs.show?.("widget", ["w", ["old"], "belowEditor"], origin);
    before.end(tells);
    const { dialogs, hidden, answers, widgets } = terminal();
    dialogs.show?.("widget", ["w2", ["new"], "belowEditor"], origin);
    dialogs.custom?.(mounted(), { overlay: true });
    for (let turn = 0; turn < 2; turn++) {
      const asked = dialogs.confirm("?", "!");
      expect(hidden[0]?.at(-1)).toBe(true);
      expect(widgets.get("cordon:gate:w2")).toBeUndefined();
      answers[turn]?.(true);
      expect(await asked).toBe(true);
      expect(hidden[0]?.at(-1)).toBe(false);
      expect(widgets.get("cordon:gate:w2")).toEqual(["[gate] new"]);
    }
  },
);

test("a dialog that its session takes away hides nothing any more", async () => {
  const { dialogs, end } = terminal();
  void dialogs.confirm("?", "!");
  end();
  const next = terminal();
  next.dialogs.custom?.(mounted(), { overlay: true });
  expect(next.hidden).toEqual([[]]);
});

test.each(["cleared", "moved"])("a widget that was %s does not come back after a dialog", async (how) => {
  const { dialogs, widgets, answers } = terminal();
  dialogs.show?.("widget", ["w", ["old"], "belowEditor"], origin);
  dialogs.show?.("widget", ["w", how === "moved" ? ["above"] : undefined, "aboveEditor"], origin);
  const asked = dialogs.confirm("?", "!");
  answers[0]?.(true);
  await asked;
  expect(widgets.get("cordon:gate:w")).toEqual(how === "moved" ? ["[gate] above"] : undefined);
});

test("what takes the place of the editor waits for a dialog, and so does the editor after it", async () => {
  const { dialogs, hidden, answers } = terminal();
  const turn = () => new Promise((done) => setTimeout(done, 20));
  const first = mounted();
  dialogs.custom?.(first, { overlay: false });
  await turn();
  expect(hidden).toEqual([[]]);
  const asked = dialogs.confirm("?", "!");
  dialogs.custom?.(mounted(), { overlay: false });
  first.over();
  await turn();
  expect(hidden).toEqual([[]]);
  answers[0]?.(true);
  await asked;
  await turn();
  expect(hidden).toEqual([[false], []]);
});
