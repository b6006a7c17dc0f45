/** Node's errors for invalid parts of a message. */
import { aborted, fault } from "./fault.ts";

export const TOKEN = /^[\^_`a-zA-Z\-0-9!#$%&'*+.|~]+$/;
export const BAD_VALUE = /[^\t\x20-\x7e\x80-\xff]/;
const BAD_PATH = /[^\x21-\xff]/;

export function validateHeaderName(name: unknown, label = "Header name"): void {
  if (typeof name !== "string" || !TOKEN.test(name))
    throw fault(TypeError, "ERR_INVALID_HTTP_TOKEN", `${label} must be a valid HTTP token ["${String(name)}"]`);
}

export function validateHeaderValue(name: string, value: unknown): void {
  if (value === undefined)
    throw fault(TypeError, "ERR_HTTP_INVALID_HEADER_VALUE", `Invalid value "undefined" for header "${name}"`);
  if (BAD_VALUE.test(String(value)))
    throw fault(TypeError, "ERR_INVALID_CHAR", `Invalid character in header content ["${name}"]`);
}

export function validateMethod(method: unknown): void {
  if (method === undefined || method === null || method === "") return;
  if (typeof method !== "string")
    throw fault(TypeError, "ERR_INVALID_ARG_TYPE", 'The "options.method" property must be of type string.');
  if (!TOKEN.test(method))
    throw fault(TypeError, "ERR_INVALID_HTTP_TOKEN", `Method must be a valid HTTP token ["${String(method)}"]`);
}

export function validatePath(path: string): void {
  if (BAD_PATH.test(path))
    throw fault(TypeError, "ERR_UNESCAPED_CHARACTERS", "Request path contains unescaped characters");
}

export function validatePort(port: unknown): void {
  const number = Number(port);
  if (!(Number.isInteger(number) && number >= 0 && number < 65_536))
    throw fault(RangeError, "ERR_SOCKET_BAD_PORT", `Port should be >= 0 and < 65536. Received ${String(port)}.`);
}

const ERRNO: Record<string, number> = { EADDRINUSE: -98, EADDRNOTAVAIL: -99, ECONNREFUSED: -111, ECONNRESET: -104 };

/** Adds the properties of Node's errors to an error of the host's connection. */
export function nodeError(thrown: unknown): unknown {
  if (!(thrown instanceof Error)) return thrown;
  const { name, code } = thrown as { name: string; code?: unknown };
  if (name === "AbortError") return aborted();
  const [, syscall, address, port] =
    /^(\w+) E[A-Z]+(?:: [a-z ]+)? \[?([\da-fA-F.:]+?)\]?:(\d+)$/.exec(thrown.message) ?? [];
  if (typeof code !== "string" || ERRNO[code] === undefined || syscall === undefined) return thrown;
  return Object.assign(thrown, { errno: ERRNO[code], syscall, address, port: Number(port) });
}
