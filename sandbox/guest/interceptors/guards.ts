/** The two built-in guards. Few hooks use them, and their parser of shells is large: a bundle has them apart. */
export { commandSafetyGuard, dangerOf } from "../../../hooks/guards/command-safety.ts";
export { securityAudit, sensitivePath } from "../../../hooks/guards/security-audit.ts";
