/**
 * `atob` and `btoa` as the HTML standard has them. core-js has them with a hundred modules, which each isolate with `Buffer` would
 * evaluate.
 */
import type { DOMException as RealmException } from "../globals/abort.ts";

declare const DOMException: typeof RealmException;

const { fromBase64 } = Uint8Array;
const { fromCharCode } = String;
const { apply } = Reflect;

/** Bytes that become text at once: each is an argument of a call. */
const CHUNK = 8192;

const WHITESPACE = /[\t\n\f\r ]+/g;
const CODED = /^[A-Za-z0-9+/]*$/;

const invalid = (message: string): Error => new DOMException(message, "InvalidCharacterError");

function textOf(args: readonly unknown[]): string {
  if (args.length === 0) throw new TypeError('The "data" argument must be specified');
  return `${args[0]}`;
}

/** Text with a character for each byte. The padding may be left out, and what the last character has too much is ignored. */
export function atob(...args: [data: unknown]): string {
  let coded = textOf(args).replace(WHITESPACE, "");
  if (coded.length % 4 === 0) coded = coded.replace(/={1,2}$/, "");
  if (coded.length % 4 === 1 || !CODED.test(coded)) throw invalid("The string to be decoded is not correctly encoded.");
  const bytes = fromBase64(coded);
  let text = "";
  for (let at = 0; at < bytes.length; at += CHUNK)
    text += apply(fromCharCode, undefined, bytes.subarray(at, at + CHUNK));
  return text;
}

export function btoa(...args: [data: unknown]): string {
  const text = textOf(args);
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code > 255) throw invalid("Invalid character");
    bytes[at] = code;
  }
  return bytes.toBase64();
}
