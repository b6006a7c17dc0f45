/**
 * The module for hooks that import `../interceptors/index.js`, `../interceptors/global.js` or `cordon/interceptors`.
 */
import { openGlobalRegistry } from "../interceptors/global.ts";

openGlobalRegistry();

export * from "../interceptors/index.ts";
