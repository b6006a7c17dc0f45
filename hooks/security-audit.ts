/** Keeps the agent's file tools out of keys, credentials and what else holds secrets. */
export { securityAudit as default } from "cordon/interceptors";
