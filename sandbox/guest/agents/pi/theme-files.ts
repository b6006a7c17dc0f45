/** pi's own themes, as the files that it reads them from. A hook sees no themes of the user's. */
import dark from "@earendil-works/pi-coding-agent/dist/modes/interactive/theme/dark.json";
import light from "@earendil-works/pi-coding-agent/dist/modes/interactive/theme/light.json";

const THEMES = new Map<string, unknown>([
  ["dark.json", dark],
  ["light.json", light],
]);

const themeOf = (path: string): unknown => THEMES.get(path.split("/").at(-1) ?? "");

export function readFileSync(path: string): string {
  const theme = themeOf(path);
  if (theme === undefined) throw Object.assign(new Error(`ENOENT: no such theme: ${path}`), { code: "ENOENT" });
  return JSON.stringify(theme);
}

export const existsSync = (path: string): boolean => themeOf(path) !== undefined;
export const readdirSync = (): string[] => [];

/** Themes that are part of the bundle never change. */
export const watchWithErrorHandler = (): null => null;
export const closeWatcher = (): void => {};
