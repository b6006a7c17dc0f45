import type { OverlayLayout } from "../../../sandbox/wire/operations.ts";
import type { HookUIContext } from "../../hook-api.ts";
import type { HookScreen, MountOptions, Terminal } from "../../hook-screen.ts";
import { actionsOf, bindingsOf } from "./actions.ts";
import { PiEditors } from "./editor.ts";
import { openDialogs } from "./open-dialogs.ts";
import type { PiLink } from "./pi-link.ts";
import type { PiComponent, PiFooterData, PiKeybindings, PiOverlay, PiTui, PiUi } from "./pi-ui.ts";
import { paletteOf } from "./theme.ts";

/** Hooks' components within pi's terminal. Only pi's `tui` mode has one. */
export function piScreens(link: PiLink): Pick<HookUIContext, "custom" | "mount" | "edit" | "theme"> {
  const ui = (): PiUi => link.context.ui;
  const editors = new PiEditors(ui);
  const hasTerminal = (): boolean => link.context.mode === "tui";
  return {
    custom(screen, { overlay, layout }) {
      if (!hasTerminal()) return screen.close();
      const hasKeys = layout?.nonCapturing !== true;
      // In the place of pi's editor, it would take a dialog's, which nobody could answer any more; so would the editor after it.
      const turn = async (): Promise<void> => (overlay ? undefined : openDialogs.whenNone());
      const show = async (): Promise<void> =>
        ui().custom<void>(
          (tui, _theme, keybindings, done) => {
            void screen.ended.then(turn).then(() => done());
            const most = overlay && hasKeys ? layout?.maxHeight : undefined;
            return componentOf(screen, tui, { keybindings, most });
          },
          overlay
            ? { overlay, overlayOptions: layoutOf(layout, hasKeys), onHandle: (handle) => follow(screen, handle) }
            : {},
        );
      void (overlay ? show() : turn().then(show)).then(
        () => screen.close(),
        () => screen.close(),
      );
    },
    mount(screen, options) {
      if (!hasTerminal()) return screen.close();
      mount(ui(), screen, options);
    },
    edit(editor) {
      if (hasTerminal()) editors.show(editor);
      else editor.close();
    },
    theme: () => (hasTerminal() ? paletteOf(ui().theme) : undefined),
  };
}

function mount(ui: PiUi, screen: HookScreen, { where, key, placement }: MountOptions): void {
  const isBelow = where === "footer" || placement === "belowEditor";
  const make = (tui: PiTui, _theme: unknown, footer?: PiFooterData) => componentOf(screen, tui, { footer, isBelow });
  const put = {
    // Keys are the hook's own: each hook has keys of its own in pi.
    widget: (made: typeof make | undefined) => ui.setWidget(`cordon:${screen.hook}:${key}`, made, { placement }),
    footer: (made: typeof make | undefined) => ui.setFooter(made),
    header: (made: typeof make | undefined) => ui.setHeader(made),
  }[where];
  put(make);
  void screen.ended.then(() => {
    if (!isReplaced(screen)) put(undefined);
  });
}

/** Components that pi itself has disposed of, such as a footer that another one replaced. */
const replaced = new WeakSet<HookScreen>();
const isReplaced = (screen: HookScreen): boolean => replaced.has(screen);

interface Shown {
  keybindings?: PiKeybindings;
  footer?: PiFooterData | undefined;
  /** The most rows that the hook wants. */
  most?: string | undefined;
  /** It stands below dialogs, and would push them up. */
  isBelow?: boolean;
}

/** A component of pi's that shows the lines of a hook's. */
function componentOf(
  screen: HookScreen,
  tui: PiTui,
  { keybindings, footer, most, isBelow }: Shown,
): PiComponent & { dispose(): void } {
  const stop = screen.onChange(() => tui.requestRender());
  let facts: Terminal["footer"];
  const bindings = keybindings && bindingsOf(keybindings);
  return {
    render(width) {
      if (screen.hidden || (isBelow && openDialogs.isAny)) return [];
      facts = footerFacts(footer, facts);
      const rows = rowsOf(tui.terminal.rows, most);
      return screen.render({ width, rows, ...(facts ? { footer: facts } : {}), ...(bindings ? { bindings } : {}) });
    },
    handleInput: (data) => screen.handleInput(data, keybindings && actionsOf(keybindings, data)),
    invalidate: () => screen.invalidate(),
    dispose() {
      stop();
      replaced.add(screen);
      screen.close();
    },
  };
}

/** What a footer shows of pi: the same object as long as nothing changed. */
function footerFacts(data: PiFooterData | undefined, before: Terminal["footer"]): Terminal["footer"] {
  if (!data) return undefined;
  const facts = { gitBranch: data.getGitBranch(), statuses: Object.fromEntries(data.getExtensionStatuses()) };
  return JSON.stringify(facts) === JSON.stringify(before) ? before : facts;
}

/** No overlay stands over a dialog: not even over one of its hook's own, which the person is to read whole. */
function follow(screen: HookScreen, handle: PiOverlay): void {
  const hide = (): void => handle.setHidden(screen.hidden || openDialogs.isAny);
  const stops = [screen.onChange(hide), openDialogs.follow(hide)];
  void screen.ended.then(() => {
    for (const stop of stops) stop();
  });
  if (openDialogs.isAny) hide();
}

/** Least size of an overlay with the keyboard: a person must see whose it is. */
const MIN_COLUMNS = 20;
const MIN_ROWS = 3;

const NUMBER = /^-?\d+$/;
/** pi takes a percentage of these as well. */
const PARTS = new Set(["width", "maxHeight", "row", "col"]);

/**
 * A number of cells, or a percentage, as pi takes them. pi would cut the frame of one with the keyboard to its height: that draws
 * itself in as many rows.
 */
function layoutOf(layout: OverlayLayout = {}, hasKeys: boolean): Record<string, unknown> {
  const { anchor, nonCapturing, ...extents } = layout;
  const known = Object.entries(extents).flatMap(([name, value]): [string, number | string][] => {
    if (NUMBER.test(value)) return [[name, Number(value)]];
    return PARTS.has(name) ? [[name, value]] : [];
  });
  const { maxHeight, minWidth, ...placed } = Object.fromEntries(known);
  const sized = hasKeys
    ? { minWidth: Math.max(MIN_COLUMNS, Number(minWidth ?? 0)) }
    : { ...(minWidth === undefined ? {} : { minWidth }), ...(maxHeight === undefined ? {} : { maxHeight }) };
  return { ...placed, ...sized, ...(anchor ? { anchor } : {}), ...(nonCapturing ? { nonCapturing } : {}) };
}

/** How many of the terminal's rows a component has. `most`: a number, or a percentage. */
function rowsOf(rows: number, most = "100%"): number {
  const percent = /^(\d+(?:\.\d+)?)%$/.exec(most)?.[1];
  const wanted = NUMBER.test(most) ? Number(most) : Math.floor((rows * Number(percent ?? 100)) / 100);
  return Math.min(rows, Math.max(MIN_ROWS, wanted));
}
