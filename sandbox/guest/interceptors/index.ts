/** `cordon/interceptors`: the registry of interceptors and the two built-in guards, for hosts and for hooks. */
export { commandSafetyGuard, dangerOf } from "../../../hooks/guards/command-safety.ts";
export { securityAudit, sensitivePath } from "../../../hooks/guards/security-audit.ts";
export { getGlobalInterceptorRegistry, initializeGlobalInterceptors, resetGlobalInterceptors } from "./global.ts";
export { createInterceptorRegistry, type InterceptorRegistry, normalizeToolName } from "./registry.ts";
export { type BlockedResult, blockedResult, triggerInterceptors, wrapToolWithInterceptors } from "./trigger.ts";
export * from "./types.ts";
