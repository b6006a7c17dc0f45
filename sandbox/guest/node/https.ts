/** `node:https`: requests to places that the hook was granted. A server would want a key, which no hook has. */
import { notOffered } from "./host.ts";
import { Agent, client } from "./http-client.ts";

export const { request, get } = client("https:");
export const globalAgent = new Agent();
export const createServer = notOffered("https", "createServer", "http.createServer on 127.0.0.1 is");

export { Agent };
export default { Agent, createServer, get, globalAgent, request };
