import { connect } from "node:net";

/** What the daemon said: the status, and the body whole. */
export interface Answered {
  status: number;
  text: string;
}

/**
 * Sends one request over a socket of this machine, and resolves with the whole answer. Rejects for anything less, and when
 * `signal` says that nobody waits.
 */
export function exchange(
  path: string,
  target: string,
  headers: object,
  body: Uint8Array,
  signal?: AbortSignal,
): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const socket = connect({ path, ...(signal ? { signal } : {}) });
    const parts: Buffer[] = [];
    let failure: Error = new Error("Cordon's daemon ended before it answered");
    // It may have answered before it read all.
    socket.on("error", (error: NodeJS.ErrnoException) => {
      if (error.syscall === "connect") failure = error;
    });
    socket.on("data", (part: Buffer) => parts.push(part));
    socket.on("close", () => {
      const answered = answerIn(Buffer.concat(parts));
      if (answered) resolve(answered);
      else reject(failure);
    });
    const fields = { host: "cordon", connection: "close", "content-length": body.length, ...headers };
    const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
    const head = Buffer.from(`POST ${target} HTTP/1.1\r\n${lines.join("")}\r\n`);
    socket.write(Buffer.concat([head, body]));
  });
}

function answerIn(bytes: Buffer): Answered | undefined {
  const end = bytes.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const head = bytes.subarray(0, end).toString("latin1");
  const [, status] = /^HTTP\/1\.1 (\d{3}) /.exec(head) ?? [];
  const [, length] = /\r\ncontent-length: (\d+)(?:\r\n|$)/i.exec(head) ?? [];
  const body = bytes.subarray(end + 4);
  if (status === undefined || length === undefined || body.length !== Number(length)) return undefined;
  return { status: Number(status), text: body.toString("utf8") };
}
