/** `node:https`: requests to the addresses of the hook's grant. A server is not offered: no hook has a key for it. */
import { notOffered } from "./host.ts";
import { Agent, client } from "./http-client.ts";

export const { request, get } = client("https:");
export const globalAgent = new Agent();
export const createServer = notOffered("https", "createServer", "use http.createServer on 127.0.0.1");

export { Agent };
export default { Agent, createServer, get, globalAgent, request };
