import { readdirSync } from "node:fs";
import { join } from "node:path";
import { attemptOr } from "../../base/attempt.ts";
import { isRecord, memberAt } from "./member-at.ts";
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

/** Plugins that OpenClaw loads beside Cordon's. */
export function openclawPlugins(settings: string, own: string): ThirdParty[] {
  const entries = memberAt(settings, "plugins", "entries");
  const enabled = Object.entries(isRecord(entries) ? entries : {}).flatMap(([name, entry]) =>
    isRecord(entry) && entry.enabled === false ? [] : [name],
  );
  const names = [...namesIn(memberAt(settings, "plugins", "load", "paths")), ...enabled];
  return names
    .filter((name) => name !== own && !name.endsWith(`/${own}`))
    .map((name) => ({ name, where: settings, why: OPENCLAW }));
}

/** Plugins that opencode loads beside Cordon's: those that its settings name, and files of its folders. */
export function opencodePlugins(folder: string, own: string): ThirdParty[] {
  const named = ["opencode.json", "opencode.jsonc", "config.json"].flatMap((name) =>
    namesIn(memberAt(join(folder, name), "plugin")).map((plugin) => ({ name: plugin, where: join(folder, name) })),
  );
  const files = ["plugin", "plugins"].flatMap((name) =>
    attemptOr(() => readdirSync(join(folder, name)), [])
      .filter((file) => /\.[jt]s$/.test(file))
      .map((file) => ({ name: join(folder, name, file), where: join(folder, name, file) })),
  );
  return [...named, ...files.filter(({ where }) => where !== own)].map((one) => ({ ...one, why: OPENCODE }));
}
