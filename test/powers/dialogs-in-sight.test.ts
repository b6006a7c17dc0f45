/** On pi's terminal, nothing that a hook shows covers a dialog or pushes it out of sight. */
import { afterEach, expect, test } from "vitest";
import { piDialogs } from "../../src/agents/pi/dialogs.ts";
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
    custom(_make: unknown, { onHandle }: { onHandle?: (handle: object) => void }) {
      const history: boolean[] = [];
      hidden.push(history);
      onHandle?.({ setHidden: (now: boolean) => history.push(now) });
      return new Promise(() => {});
    },
  };
  const link = { context: { ui, mode: "tui" }, columns: 80, hearsAnswers: true } as unknown as PiLink;
  return { dialogs: piDialogs(link), widgets, hidden, answers, made };
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
  expect(hidden).toEqual([[true, true], []]);
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
