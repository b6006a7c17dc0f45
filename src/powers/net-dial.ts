import type { LookupAddress } from "node:dns";
import { connect, type Socket } from "node:net";
import { CordonError } from "../base/errors.ts";
import { isPublic } from "./net-address.ts";
import { type Endpoint, isAddress, isLoopback, type NetGrant, names, showEndpoint } from "./net-grant.ts";
import type { Lookup } from "./net-lookup.ts";

/**
 * Connects to an endpoint that the grant names, by an address that was looked at: what a name stands for is asked once, each
 * answer is judged, and only those that passed are dialled. A private address must be granted as such, except that
 * `localhost` is this machine.
 */
export async function dial(endpoint: Endpoint, grant: NetGrant, signal: AbortSignal, lookup: Lookup): Promise<Socket> {
  const { host, port } = endpoint;
  const found: LookupAddress[] = isAddress(host)
    ? [{ address: host, family: host.includes(":") ? 6 : 4 }]
    : await lookup(host, signal);
  const allowed = found.filter(
    ({ address }) =>
      isPublic(address) ||
      names(grant.connect, { host: address, port }) ||
      (host === "localhost" && isLoopback(address)),
  );
  if (allowed.length === 0)
    throw new CordonError(
      "NOT_GRANTED",
      `${showEndpoint(endpoint)} is ${found.map(({ address }) => address).join(", ")}, not on the internet: net.connect must name that address`,
    );
  signal.throwIfAborted();
  const socket = connect({
    host,
    port,
    autoSelectFamily: true,
    // The answers that were judged, and no others.
    lookup: (_host, _options, give) => give(null, allowed),
  });
  return opened(socket, "connect", signal);
}

/** The same through TLS, with a certificate for the endpoint's own name. */
export async function dialSecurely(...asked: Parameters<typeof dial>): Promise<Socket> {
  const [{ host }, , signal] = asked;
  const socket = await dial(...asked);
  try {
    // It takes 10 ms of CPU time to load, and reads certificates on a thread.
    const { connect: secure } = await import("node:tls");
    const session = secure({
      socket,
      // An agent that was told to look away does so for itself.
      rejectUnauthorized: true,
      ALPNProtocols: ["http/1.1"],
      ...(isAddress(host) ? { host } : { servername: host, host }),
    });
    return await opened(session, "secureConnect", signal);
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

function opened<S extends Socket>(socket: S, event: "connect" | "secureConnect", signal: AbortSignal): Promise<S> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => void socket.destroy(signal.reason as Error);
    if (signal.aborted) giveUp();
    signal.addEventListener("abort", giveUp, { once: true });
    // Stays: an error that comes later is the exchange's, and without a listener it would end this process.
    socket.on("error", reject);
    socket.once(event, () => {
      signal.removeEventListener("abort", giveUp);
      resolve(socket);
    });
  });
}
