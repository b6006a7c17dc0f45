import type { OverlayLayout } from "../../../wire/operations.ts";
import type { Dispatch } from "../../core/dispatch.ts";
import type { GuestEnvironment } from "../../core/environment.ts";
import {
  apply,
  forHook,
  ignoreRejection,
  isArray,
  own,
  parse,
  realm,
  settle,
  stringify,
} from "../../core/primordials.ts";
import { type Screen, screensOf } from "./screens.ts";
import { themeOf } from "./theme.ts";

type Factory = (...args: unknown[]) => unknown;

export function factoryOf(given: unknown, name: string): Factory {
  if (typeof given !== "function") throw new TypeError(`${name} takes a function that makes a component`);
  return (...args) => apply(given, undefined, args);
}

/** pi's options of `ctx.ui.custom`. */
interface CustomOptions {
  readonly overlay?: unknown;
  readonly overlayOptions?: unknown;
  readonly onHandle?: unknown;
}

/**
 * `ctx.ui.custom`: shows a component until its `done` is called, or the person leaves it. Resolves with what `done` was
 * given; `undefined` if the person left, or the agent shows no components.
 */
export function custom(dispatch: Dispatch, given: unknown, options: CustomOptions = {}): Promise<unknown> {
  const { environment } = dispatch;
  const factory = factoryOf(given, "ctx.ui.custom");
  const { promise, resolve, reject } = realm.deferred();
  const done = (value: unknown): void => {
    screen.end();
    resolve(value);
  };
  const make = (): unknown => factory(screen.tui, themeOf(dispatch), keybindings(screen), done);
  const screen = screensOf(environment).open({ make, hasFocus: true, overlay: overlayIn(dispatch) });
  const overlay = options.overlay === true;
  const layout = overlay ? layoutOf(options.overlayOptions) : undefined;
  const shown = environment.remote.call("ui.custom", dispatch.id, [
    screen.number,
    { overlay, ...(layout ? { layout } : {}) },
  ]);
  settle(
    shown,
    () => {
      screen.leave();
      resolve(undefined);
    },
    (refusal) => {
      screen.leave();
      reject(refusal);
    },
  );
  if (overlay && typeof options.onHandle === "function") apply(options.onHandle, undefined, [handleOf(screen)]);
  return promise as Promise<unknown>;
}

/** pi's `tui.showOverlay`: shows a component that exists, until its handle hides it or the person leaves it. */
export const overlayIn =
  (dispatch: Dispatch) =>
  (component: unknown, given: unknown): object => {
    const { environment } = dispatch;
    const layout = layoutOf(given);
    const screen = screensOf(environment).open({
      make: () => component,
      hasFocus: layout?.nonCapturing !== true,
      overlay: overlayIn(dispatch),
    });
    const leave = (): void => screen.leave();
    const options = { overlay: true, ...(layout ? { layout } : {}) };
    settle(environment.remote.call("ui.custom", dispatch.id, [screen.number, options]), leave, leave);
    return handleOf(screen);
  };

type Where = "widget" | "footer" | "header";

const mounted = new WeakMap<GuestEnvironment, Map<string, Screen>>();

/** Shows a component until the hook shows another in its place, or none. `key`: of a widget. */
export function mount(
  dispatch: Dispatch,
  { where, key = "", given, placement }: { where: Where; key?: string; given: unknown; placement?: unknown },
): void {
  const { environment } = dispatch;
  unmount(environment, where, key);
  if (given === undefined) return;
  const factory = factoryOf(given, `a ${where}`);
  const make = (screen: Screen): unknown =>
    factory(screen.tui, themeOf(dispatch), where === "footer" ? footerData(screen) : undefined);
  const screen = screensOf(environment).open({ make, hasFocus: false, overlay: overlayIn(dispatch) });
  const screens = mounted.get(environment) ?? new Map<string, Screen>();
  mounted.set(environment, screens.set(`${where} ${key}`, screen));
  const side = placement === "belowEditor" ? "belowEditor" : "aboveEditor";
  ignoreRejection(environment.remote.call("ui.mount", dispatch.id, [screen.number, where, key, side]));
}

/** Ends what is shown there. */
export function unmount(environment: GuestEnvironment, where: Where, key = ""): void {
  mounted.get(environment)?.get(`${where} ${key}`)?.end();
}

/**
 * Which of the agent's actions the person bound to the key in hand, and which keys to each. As far as hooks are told, those are the
 * agent's own: nothing is the person's, and nothing conflicts.
 */
export const keybindings = (screen: Screen): object =>
  Object.freeze(
    forHook({
      matches: (_data: unknown, action: unknown) => screen.isBoundTo(String(action)),
      getKeys: (action: unknown) => parse(stringify(own(screen.bindings, String(action)) ?? [])),
      // As in pi, the only key of an action stands for itself.
      getResolvedBindings: () =>
        parse(stringify(screen.bindings, (_name, value) => (isArray(value) && value.length === 1 ? value[0] : value))),
      getDefinition: (action: unknown) => {
        const keys = own(screen.bindings, String(action));
        return keys && parse(stringify({ defaultKeys: keys, description: String(action) }));
      },
      getUserBindings: () => parse("{}"),
      getConflicts: () => parse("[]"),
      setUserBindings: () => {
        throw new Error("keybindings.setUserBindings is not offered to hooks: the keys are the person's");
      },
    }),
  );

const footerData = (screen: Screen): object =>
  Object.freeze(
    forHook({
      getGitBranch: () => screen.drawing.footer?.gitBranch ?? null,
      getExtensionStatuses: () => realm.map(Object.entries(screen.drawing.footer?.statuses ?? {})),
      getAvailableProviderCount: () => 1,
      // Another branch is a reason for the agent to draw the footer again.
      onBranchChange: () => () => {},
    }),
  );

/** pi's handle of an overlay. Who has the keyboard is for the agent to say. */
const handleOf = (screen: Screen): object =>
  Object.freeze(
    forHook({
      hide: () => screen.end(),
      setHidden: (hidden: unknown) => {
        screen.isHidden = hidden === true;
      },
      isHidden: () => screen.isHidden,
      focus: () => {},
      unfocus: () => {},
      isFocused: () => !screen.isHidden && !screen.isOver,
      getBounds: () => undefined,
    }),
  );

const EXTENTS = ["width", "minWidth", "maxHeight", "offsetX", "offsetY", "row", "col"] as const;

/** The parts of pi's overlay options that the host knows. A function is asked once. */
function layoutOf(given: unknown): OverlayLayout | undefined {
  const options = typeof given === "function" ? apply(given, undefined, []) : given;
  if (typeof options !== "object" || options === null) return undefined;
  const extents = EXTENTS.flatMap((name): [string, string][] => {
    const value = own(options, name);
    return typeof value === "number" || typeof value === "string" ? [[name, String(value).slice(0, 8)]] : [];
  });
  const anchor = own(options, "anchor");
  return {
    ...Object.fromEntries(extents),
    ...(typeof anchor === "string" ? { anchor: anchor as NonNullable<OverlayLayout["anchor"]> } : {}),
    ...(own(options, "nonCapturing") === true ? { nonCapturing: true } : {}),
  };
}
