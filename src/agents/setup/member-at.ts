import { parse } from "jsonc-parser";
import { readIfThere } from "../../disk/atomic-file.ts";

/** What is at a path in a settings file, as far as that can be parsed. `undefined` for nothing, also where the file is not there. */
export const memberAt = (file: string, ...path: string[]): unknown =>
  memberOf(parse(readIfThere(file) ?? "{}"), ...path);

/** What is at a path in settings; `undefined` for nothing. */
export const memberOf = (settings: unknown, ...path: string[]): unknown =>
  path.reduce<unknown>((at, name) => (isRecord(at) && Object.hasOwn(at, name) ? at[name] : undefined), settings);

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;
