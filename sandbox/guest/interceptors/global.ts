import { commandSafetyGuard } from "../../../hooks/guards/command-safety.ts";
import { securityAudit } from "../../../hooks/guards/security-audit.ts";
import { createInterceptorRegistry, type InterceptorRegistry } from "./registry.ts";

interface Global {
  readonly registry: InterceptorRegistry;
  /** The built-in guards were put in: taken out again, they stay out. */
  initialized: boolean;
}

/** Where the registry of this realm is, for all copies of this module in it. */
const GLOBAL = Symbol.for("cordon.interceptors");
/** Who wants to hear of a registry that is made anew, where there is somebody. */
const OPENED = Symbol.for("cordon.interceptors.opened");
const realm = globalThis as { [GLOBAL]?: Global | undefined; [OPENED]?: (registry: InterceptorRegistry) => void };

/** The registry, with the two built-in guards in it since the first call. */
export function initializeGlobalInterceptors(): InterceptorRegistry {
  const global = open();
  if (!global.initialized) {
    global.initialized = true;
    global.registry.add(commandSafetyGuard);
    global.registry.add(securityAudit);
  }
  return global.registry;
}

/** `null` where there is none: before {@link initializeGlobalInterceptors}. */
export const getGlobalInterceptorRegistry = (): InterceptorRegistry | null => realm[GLOBAL]?.registry ?? null;

/** For tests: there is no registry then. */
export function resetGlobalInterceptors(): void {
  realm[GLOBAL]?.registry.clear();
  realm[GLOBAL] = undefined;
}

/** Makes the registry without the guards, as a hook finds it: its agent has started. */
export function openGlobalRegistry(): void {
  open();
}

function open(): Global {
  if (!realm[GLOBAL]) {
    realm[GLOBAL] = { registry: createInterceptorRegistry(), initialized: false };
    realm[OPENED]?.(realm[GLOBAL].registry);
  }
  return realm[GLOBAL];
}
