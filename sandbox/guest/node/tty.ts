/** `node:tty`: a hook has no terminal. */
import { unavailable } from "./fault.ts";

export const isatty = (_descriptor: unknown): boolean => false;

const without = (name: string) =>
  class {
    constructor() {
      throw unavailable(`tty.${name} is not offered to hooks: a hook has no terminal`);
    }
  };
export const ReadStream = /* @__PURE__ */ without("ReadStream");
export const WriteStream = /* @__PURE__ */ without("WriteStream");

export default { isatty, ReadStream, WriteStream };
