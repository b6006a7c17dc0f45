/** pi's themes. A hook that names none gets the one that pi starts with where it knows nothing of the terminal. */
import * as real from "@earendil-works/pi-coding-agent/dist/modes/interactive/theme/theme.js";

export {
  getAvailableThemes,
  getAvailableThemesWithPaths,
  getLanguageFromPath,
  getThemeByName,
  initTheme,
  setTheme,
  Theme,
} from "@earendil-works/pi-coding-agent/dist/modes/interactive/theme/theme.js";

/** Where pi keeps the theme that is on, for all copies of its modules. */
const CURRENT = Symbol.for("@earendil-works/pi-coding-agent:theme");

function start(): void {
  if (Reflect.get(globalThis, CURRENT) === undefined) real.initTheme();
}

const withTheme =
  <Args extends unknown[], Result>(made: (...args: Args) => Result) =>
  (...args: Args): Result => {
    start();
    return made(...args);
  };

export const theme: unknown = new Proxy(
  {},
  {
    get(_none, name) {
      start();
      return Reflect.get(Reflect.get(globalThis, CURRENT), name);
    },
  },
);

export const getMarkdownTheme: () => object = withTheme(real.getMarkdownTheme);
export const getSelectListTheme: () => object = withTheme(real.getSelectListTheme);
export const getSettingsListTheme: () => object = withTheme(real.getSettingsListTheme);
export const getEditorTheme: () => object = withTheme(real.getEditorTheme);
export const highlightCode: (code: string, language?: string) => string[] = withTheme(real.highlightCode);
