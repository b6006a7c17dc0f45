import type { GuestEnvironment } from "../../core/environment.ts";
import { isObject } from "../../core/exports.ts";
import { copyOf, isArray } from "../../core/primordials.ts";
import { offeredPart } from "../offered-part.ts";

type On = (hookName: unknown, handler: unknown, options?: { priority?: unknown }) => void;

/**
 * The `api` that a plugin registers with: only the parts for hooks. The rest of OpenClaw's API (tools, channels,
 * providers, services) throws an error that says so. Otherwise, a plugin that needs these parts would seem to work.
 */
export function openclawApi({ init, logger }: GuestEnvironment, plugin: object, on: On): object {
  const { id, name, version, description } = plugin as Record<string, unknown>;
  const api = {
    id: typeof id === "string" ? id : init.hook,
    name: typeof name === "string" ? name : init.hook,
    ...(typeof version === "string" ? { version } : {}),
    ...(typeof description === "string" ? { description } : {}),
    source: init.hook,
    config: {},
    pluginConfig: {},
    logger: Object.freeze({ ...logger }),
    on,
    /** The older name of `on`. */
    registerHook: (names: unknown, handler: unknown, options?: unknown) => {
      for (const hookName of isArray(names) ? copyOf<unknown>(names) : [names])
        on(hookName, handler, isObject(options) ? options : undefined);
    },
  };
  return offeredPart(api, "api", "only hooks of a plugin run here");
}
