/** `node:http`: requests to the addresses of the hook's grant, and a server that only this machine can reach. */
import { METHODS, STATUS_CODES } from "unenv/node/internal/http/constants";
import { Agent, ClientRequest, client } from "./http-client.ts";
import { IncomingMessage, OutgoingMessage } from "./http-messages.ts";
import { createServer, Server, ServerResponse } from "./http-server.ts";
import { validateHeaderName, validateHeaderValue } from "./http-words.ts";

export const { request, get } = client("http:");
export const globalAgent = new Agent();
export const maxHeaderSize = 16_384;

export {
  Agent,
  ClientRequest,
  createServer,
  IncomingMessage,
  METHODS,
  OutgoingMessage,
  Server,
  ServerResponse,
  STATUS_CODES,
  validateHeaderName,
  validateHeaderValue,
};
export default {
  Agent,
  ClientRequest,
  createServer,
  get,
  globalAgent,
  IncomingMessage,
  maxHeaderSize,
  METHODS,
  OutgoingMessage,
  request,
  Server,
  ServerResponse,
  STATUS_CODES,
  validateHeaderName,
  validateHeaderValue,
};
