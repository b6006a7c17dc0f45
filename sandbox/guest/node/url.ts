/** `node:url` of unenv. */
import base, { fileURLToPath as readFileUrl } from "unenv/node/url";
import { withMembers } from "./with-members.ts";

export * from "unenv/node/url";

/** A URL that is its path as it stands: nothing is encoded, and no part is `.` or `..`. */
const PLAIN = /^file:\/\/(?!.*\/\.{1,2}(?:\/|$))(?:\/[\w.~@+-]*)+$/;

/** Most hooks that call it want to know their own folder, and use URLs for nothing else: the class is large. */
export const fileURLToPath = (url: unknown, options?: object): string =>
  typeof url === "string" && options === undefined && PLAIN.test(url) ? url.slice(7) : readFileUrl(url, options);

export default /* @__PURE__ */ withMembers(base, { fileURLToPath });
