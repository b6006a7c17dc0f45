/** Keeps the agent's file tools from keys, credentials and other secrets. */
export { securityAudit as default } from "cordon/interceptors";
