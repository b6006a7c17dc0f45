import { commandSafetyGuard, securityAudit } from "./guards.ts";
import { createInterceptorRegistry, type InterceptorRegistry } from "./registry.ts";

interface Global {
  readonly registry: InterceptorRegistry;
  /** The built-in guards were added. If someone removes them, they are not added again. */
  initialized: boolean;
}

/** The global symbol of this realm's registry, for all copies of this module. */
const GLOBAL = Symbol.for("cordon.interceptors");
/** The global symbol of a listener for new registries, if there is one. */
const OPENED = Symbol.for("cordon.interceptors.opened");
const realm = globalThis as { [GLOBAL]?: Global | undefined; [OPENED]?: (registry: InterceptorRegistry) => void };

/** Returns the registry. The first call adds the two built-in guards. */
export function initializeGlobalInterceptors(): InterceptorRegistry {
  const global = openGlobalRegistry();
  if (!global.initialized) {
    global.initialized = true;
    global.registry.add(commandSafetyGuard);
    global.registry.add(securityAudit);
  }
  return global.registry;
}

/** Returns the registry, or `null` before {@link initializeGlobalInterceptors}. */
export const getGlobalInterceptorRegistry = (): InterceptorRegistry | null => realm[GLOBAL]?.registry ?? null;

/** Removes the registry, for tests. */
export function resetGlobalInterceptors(): void {
  realm[GLOBAL]?.registry.clear();
  realm[GLOBAL] = undefined;
}

/**
 * Creates the registry without the guards. A hook finds a registry at its start, since its agent has started before.
 */
export function openGlobalRegistry(): Global {
  if (!realm[GLOBAL]) {
    realm[GLOBAL] = { registry: createInterceptorRegistry(), initialized: false };
    realm[OPENED]?.(realm[GLOBAL].registry);
  }
  return realm[GLOBAL];
}
