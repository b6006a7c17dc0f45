/** The guards of the module for interceptors. They are a file of their own, since most hooks use none. */
export { commandSafetyGuard, dangerOf } from "../../../hooks/guards/command-safety.ts";
export { securityAudit, sensitivePath } from "../../../hooks/guards/security-audit.ts";
