import type { GuestEnvironment } from "../../core/environment.ts";
import { apply } from "../../core/primordials.ts";
import { offeredPart } from "../offered-part.ts";
import type { PluginHook } from "./events.ts";
import { SERVICE_START, SERVICE_STOP } from "./events.ts";
import { stateFolder } from "./paths.ts";

/**
 * What starts and stops a service of a plugin. OpenClaw runs it as long as its gateway; here that is a session.
 *
 * @param leaveOut tells a person what the service reads and is not there
 */
export function serviceHooks(
  given: unknown,
  config: object,
  { init, logger }: GuestEnvironment,
  leaveOut: (part: string) => undefined,
): PluginHook[] {
  const service = Object(given) as { id?: unknown; start?: unknown; stop?: unknown };
  const context = offeredPart(
    { config, workspaceDir: init.cwd, stateDir: stateFolder(init), logger: Object.freeze({ ...logger }) },
    (part) => leaveOut(`service.${part}`),
  );
  let runs = false;
  const start = (): unknown => {
    if (runs) return undefined;
    runs = true;
    return apply(service.start as () => unknown, service, [context]);
  };
  const stop = (): unknown => {
    if (!runs) return undefined;
    runs = false;
    return typeof service.stop === "function" ? apply(service.stop, service, [context]) : undefined;
  };
  return [
    { hookName: SERVICE_START, handler: start, priority: 0 },
    { hookName: SERVICE_STOP, handler: stop, priority: 0 },
  ];
}
