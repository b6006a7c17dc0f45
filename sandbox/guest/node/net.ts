/** `node:net` as a client, over the host's net power. There are no servers but those of `node:http`, and no unix sockets. */
import { fault, unavailable, wrongType } from "./fault.ts";
import { notOffered } from "./host.ts";
import { validatePort } from "./http-words.ts";
import { isIP, isIPv4, isIPv6 } from "./net-addresses.ts";
import { BlockList } from "./net-block-list.ts";
import { Socket } from "./net-client.ts";

export { isIP, isIPv4, isIPv6 };

interface Options {
  port?: unknown;
  host?: unknown;
  timeout?: number;
  [name: string]: unknown;
}

/** Where to connect to, as Node's functions take it. */
function placeOf(first: unknown, second: unknown): Options {
  if (typeof first === "object" && first !== null) return first as Options;
  if (typeof first === "string" && !/^\d+$/.test(first)) return { path: first };
  return { port: first, host: typeof second === "string" ? second : undefined };
}

/** Connects a socket. Used by `connect` and by a socket's own. */
export function connectTo(socket: Socket, [first, second, third]: readonly unknown[]): Socket {
  const options = placeOf(first, second);
  const listener = [second, third].find((one) => typeof one === "function") as (() => void) | undefined;
  if (options.path !== undefined)
    throw unavailable("net.connect: path is not offered to hooks: sockets of files are not");
  if (options.port === undefined || options.port === null)
    throw fault(TypeError, "ERR_MISSING_ARGS", 'The "options" or "port" or "path" argument must be specified');
  if (typeof options.port !== "number" && typeof options.port !== "string")
    throw wrongType("options.port", "one of type number or string");
  validatePort(options.port);
  const host = options.host ?? "localhost";
  if (typeof host !== "string") throw wrongType("options.host", "of type string");
  if (listener) socket.once("connect", listener);
  if (options.timeout) socket.setTimeout(options.timeout);
  socket.begin(host, Number(options.port));
  return socket;
}

Socket.connector = connectTo;

export const connect = (...args: unknown[]): Socket => {
  const [first] = args;
  return connectTo(new Socket(typeof first === "object" && first !== null ? { ...first } : {}), args);
};
export { connect as createConnection, Socket, Socket as Stream };

// The host looks up names, and tries all addresses.
export const getDefaultAutoSelectFamily = (): boolean => true;
export const getDefaultAutoSelectFamilyAttemptTimeout = (): number => 250;
export const setDefaultAutoSelectFamily = (): void => {};
export const setDefaultAutoSelectFamilyAttemptTimeout = (): void => {};

const SERVERS = "a hook has servers of node:http alone";
export const createServer = /* @__PURE__ */ notOffered("net", "createServer", SERVERS);
export const Server = /* @__PURE__ */ notOffered("net", "Server", SERVERS);
export { BlockList };
export const SocketAddress = /* @__PURE__ */ notOffered("net", "SocketAddress");

export default {
  getDefaultAutoSelectFamily,
  getDefaultAutoSelectFamilyAttemptTimeout,
  setDefaultAutoSelectFamily,
  setDefaultAutoSelectFamilyAttemptTimeout,
  connect,
  createConnection: connect,
  createServer,
  isIP,
  isIPv4,
  isIPv6,
  BlockList,
  Server,
  Socket,
  SocketAddress,
  Stream: Socket,
};
