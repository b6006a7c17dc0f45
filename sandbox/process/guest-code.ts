import type ivm from "isolated-vm";
import { GuestScript } from "./guest-script.ts";

/** Our code in an isolate. */
export interface GuestCode {
  /** Evaluated in the hook's realm: makes the globals that it finds, and returns its built-ins. */
  readonly realm: GuestScript;
  /** Evaluated in a realm of its own, whose built-ins no hook can change. Returns the way in. */
  readonly runtime: GuestScript;
}

/** Texts of the files that were built of the folders with these names. */
interface GuestFiles {
  readonly realm: string;
  readonly runtime: string;
}

interface Compiled {
  /** A function. */
  readonly text: string;
  readonly filename: string;
}

/** What isolates compile. A code cache fits no other text. */
export const guestFunctions = ({ realm, runtime }: GuestFiles): Record<keyof GuestFiles, Compiled> => ({
  realm: { text: `(function () {${realm}\nreturn cordonRealm.builtins;})`, filename: "cordon-realm.js" },
  runtime: {
    text: `(function (post, init, cordonRealm) {${runtime}\nreturn cordonGuest.start(post, init);})`,
    filename: "cordon-guest.js",
  },
});

/**
 * @param caches what the build made of both functions with V8. It takes their memory: a process that waits would keep it as garbage.
 */
export function guestCode(addon: typeof ivm, files: GuestFiles, caches: Record<keyof GuestFiles, Buffer>): GuestCode {
  const functions = guestFunctions(files);
  const script = (name: keyof GuestFiles): GuestScript => {
    const { text, filename } = functions[name];
    return new GuestScript(text, filename, externalCopy(addon, caches[name]));
  };
  return { realm: script("realm"), runtime: script("runtime") };
}

/** Lazy code as isolates compile it. */
export const lazyFunction = (name: string, text: string): Compiled => ({
  text: `((given) => {${text}\nreturn cordonLazyCode;})`,
  filename: `cordon-${name}.js`,
});

/** Takes the memory of a code cache. */
export const externalCopy = (addon: typeof ivm, cache: Buffer): ivm.ExternalCopy<ArrayBuffer> =>
  new addon.ExternalCopy(alone(cache), { transferOut: true });

/** Memory with these bytes and no others: Node has small files in one piece with more. */
function alone({ buffer, byteOffset, byteLength }: Buffer): ArrayBuffer {
  const whole = buffer as ArrayBuffer;
  return byteLength === whole.byteLength ? whole : whole.slice(byteOffset, byteOffset + byteLength);
}
