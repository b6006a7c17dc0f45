import type { Palette } from "../../../wire/screens.ts";
import type { Dispatch } from "../../core/dispatch.ts";
import type { GuestEnvironment } from "../../core/environment.ts";
import { forHook, own, parse, parseHere, realm, stringify } from "../../core/primordials.ts";

/** The agent's colours, which are fetched when they are first used, and again when the agent has others. */
class Colours {
  readonly #environment: GuestEnvironment;
  readonly theme: object;
  #name: string | undefined;
  /** Null if the agent has none. */
  #palette: Palette | null | undefined;

  constructor(environment: GuestEnvironment) {
    this.#environment = environment;
    this.theme = themeWith(() => this.#fetched());
  }

  see(name: string | undefined): void {
    if (name !== this.#name) this.#palette = undefined;
    this.#name = name;
  }

  #fetched(): Palette | undefined {
    if (this.#name === undefined || this.#palette !== undefined) return this.#palette ?? undefined;
    try {
      const answer = this.#environment.port.ask({ op: "ui.theme", dispatch: 0, args: [] });
      this.#palette = parseHere(stringify(answer));
    } catch {
      // An agent's theme decides nothing: without one, texts stay plain.
      this.#palette = null;
    }
    return this.#palette ?? undefined;
  }
}

/** Where pi's own modules look for the theme that is on: a bundle may contain some of them. */
const CURRENT = Symbol.for("@earendil-works/pi-coding-agent:theme");

const known = new WeakMap<GuestEnvironment, Colours>();

/** pi's theme, with the colours that the agent has at this event. Without any, texts stay plain. */
export function themeOf(dispatch: Dispatch): object {
  const { environment } = dispatch;
  const colours = known.get(environment) ?? new Colours(environment);
  known.set(environment, colours);
  colours.see(dispatch.state.theme);
  if (dispatch.state.theme !== undefined && realm.get(CURRENT) === undefined) realm.set(CURRENT, colours.theme, true);
  return colours.theme;
}

/** Themes that every pi has. */
const OWN_THEMES = ["dark", "light"];

/** pi's own themes and the one that is on; none where the agent has no colours. A hook is not told of others. */
export function themesOf(dispatch: Dispatch): unknown {
  const { name } = themeOf(dispatch) as { name?: string };
  const names = name === undefined ? [] : [...new Set([...OWN_THEMES, ...(name === "" ? [] : [name])])];
  return parse(stringify(names.map((one) => ({ name: one }))));
}

/** The theme that is on, by its name. A hook has no colours of others. */
export function themeNamed(dispatch: Dispatch, name: unknown): object | undefined {
  const theme = themeOf(dispatch) as { name?: string };
  return theme.name !== undefined && theme.name === name ? theme : undefined;
}

type Style = Record<string, unknown>;
type Slot = "fg" | "bg";

const END = { fg: "\u001b[39m", bg: "\u001b[49m" } as const;
/** Attributes by name, with the codes that begin and end them. */
const ATTRIBUTES = {
  bold: [1, 22],
  italic: [3, 23],
  underline: [4, 24],
  inverse: [7, 27],
  strikethrough: [9, 29],
} as const;

function themeWith(palette: () => Palette | undefined): object {
  const begin = (slot: Slot, color: unknown): string => {
    const colours = palette();
    if (!colours) return "";
    const code = own(colours[slot], String(color));
    if (typeof code !== "string") throw new Error(`Unknown theme ${slot === "fg" ? "" : "background "}color: ${color}`);
    return code;
  };
  const coloured = (slot: Slot, color: unknown, text: unknown): string => {
    const code = begin(slot, color);
    return code === "" ? String(text) : code + String(text) + END[slot];
  };
  const attributes = Object.entries(ATTRIBUTES).map(([name, [first, last]]): [string, (text: unknown) => string] => [
    name,
    (text) => (palette() ? `\u001b[${first}m${text}\u001b[${last}m` : String(text)),
  ]);
  const attribute = Object.fromEntries(attributes);
  return Object.freeze(
    forHook({
      get name(): string | undefined {
        return palette()?.name;
      },
      get appearance(): string {
        return palette()?.appearance ?? "dark";
      },
      fg: (color: unknown, text: unknown) => coloured("fg", color, text),
      bg: (color: unknown, text: unknown) => coloured("bg", color, text),
      ...attribute,
      style(text: unknown, style: Style = {}): string {
        let styled = String(text);
        for (const [name, apply] of attributes) if (own(style, name) === true) styled = apply(styled);
        for (const slot of ["fg", "bg"] as const) {
          const color = own(style, slot);
          if (typeof color === "string") styled = coloured(slot, color, styled);
        }
        return styled;
      },
      getFgAnsi: (color: unknown) => begin("fg", color),
      getBgAnsi: (color: unknown) => begin("bg", color),
      getColorMode: () => "truecolor",
      getThinkingBorderColor: (level: unknown) => (text: unknown) =>
        coloured("fg", `thinking${capital(String(level))}`, text),
      getBashModeBorderColor: () => (text: unknown) => coloured("fg", "bashMode", text),
    }),
  );
}

const capital = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1);
