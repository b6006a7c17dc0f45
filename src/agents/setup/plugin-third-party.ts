import { readdirSync } from "node:fs";
import { join } from "node:path";
import { attemptOr } from "../../base/attempt.ts";
import { readIfThere } from "../../disk/atomic-file.ts";
import { settingsIn } from "./json-edits.ts";
import { isRecord, memberOf } from "./member-at.ts";
import type { ThirdParty } from "./setup.ts";

const namesIn = (list: unknown): string[] =>
  (Array.isArray(list) ? list : []).flatMap((item) => {
    const name: unknown = Array.isArray(item) ? item[0] : item;
    return typeof name === "string" ? [name] : [];
  });

/** Their API is more than hooks: what moves is for the person to say. */
const OPENCLAW =
  "a plugin: if hooks of tool calls are all that it has, contain it by cordon add path:FOLDER, and take it out here";
const OPENCODE = "a plugin of opencode: Cordon runs no such modules";

/** Throws `BAD_GRANT` for a file that is no JSON: what it runs is not known. */
const settingsAt = (file: string): Record<string, unknown> => settingsIn(readIfThere(file) ?? "", file);

/** Plugins that OpenClaw loads beside Cordon's. Throws `BAD_GRANT` for settings that are no JSON. */
export function openclawPlugins(file: string, own: string): ThirdParty[] {
  const settings = settingsAt(file);
  const entries = memberOf(settings, "plugins", "entries");
  const enabled = Object.entries(isRecord(entries) ? entries : {}).flatMap(([name, entry]) =>
    isRecord(entry) && entry.enabled === false ? [] : [name],
  );
  const names = [...namesIn(memberOf(settings, "plugins", "load", "paths")), ...enabled];
  return names
    .filter((name) => name !== own && !name.endsWith(`/${own}`))
    .map((name) => ({ name, where: file, why: OPENCLAW }));
}

/**
 * Plugins that opencode loads beside Cordon's: those that its settings name, and files of its folders. Throws `BAD_GRANT` for
 * settings that are no JSON.
 */
export function opencodePlugins(folder: string, own: string): ThirdParty[] {
  const named = ["opencode.json", "opencode.jsonc", "config.json"].flatMap((name) =>
    namesIn(memberOf(settingsAt(join(folder, name)), "plugin")).map((plugin) => ({
      name: plugin,
      where: join(folder, name),
    })),
  );
  const files = ["plugin", "plugins"].flatMap((name) =>
    attemptOr(() => readdirSync(join(folder, name)), [])
      .filter((file) => /\.[jt]s$/.test(file))
      .map((file) => ({ name: join(folder, name, file), where: join(folder, name, file) })),
  );
  return [...named, ...files.filter(({ where }) => where !== own)].map((one) => ({ ...one, why: OPENCODE }));
}
