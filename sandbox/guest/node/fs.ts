/** `node:fs` over the host's file power. */
import * as api from "./fs-api.ts";

export * from "./fs-api.ts";
export default api;
