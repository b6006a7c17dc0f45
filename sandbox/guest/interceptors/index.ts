/** `cordon/interceptors`: the registry of interceptors and the two built-in guards, for hosts and for hooks. */
export { getGlobalInterceptorRegistry, initializeGlobalInterceptors, resetGlobalInterceptors } from "./global.ts";
export { commandSafetyGuard, dangerOf, securityAudit, sensitivePath } from "./guards.ts";
export { createInterceptorRegistry, type InterceptorRegistry, normalizeToolName } from "./registry.ts";
export { type BlockedResult, blockedResult, triggerInterceptors, wrapToolWithInterceptors } from "./trigger.ts";
export * from "./types.ts";
