import type { AnswerOf } from "../../sandbox/wire/answers.ts";

/** Higher than those of servers that a hook has in fact. */
const FIRST = 1_000_000;
/** The port that a hook gets which leaves it open. */
const ANY_PORT = 49_152;

const JSON_TEXT = '{"text":"sample"}';
const HOST = ["host", "localhost"];

/** What comes in at a server that a hook is told it has. Nothing listens. */
const REQUESTS: readonly Request[] = [
  { id: 1, method: "GET", url: "/", httpVersion: "1.1", headers: HOST, body: ["utf8", ""] },
  {
    ...{ id: 2, method: "POST", url: "/", httpVersion: "1.1" },
    headers: [...HOST, "content-type", "application/json"],
    body: ["utf8", JSON_TEXT],
  },
];
type Request = NonNullable<AnswerOf<"net.accept">>;

/** The servers of a hook that is tried out: each gets a request without and one with a body, and then none. */
export class SampleServers {
  readonly #left = new Map<number, Request[]>();

  listen(host: string, port: number): AnswerOf<"net.listen"> {
    const server = FIRST + this.#left.size;
    this.#left.set(server, [...REQUESTS]);
    return { server, host: host || "127.0.0.1", port: port || ANY_PORT };
  }

  /** Without an end when there are no more; `undefined` for any other server. */
  next(server: number): Promise<Request> | undefined {
    const left = this.#left.get(server);
    if (!left) return undefined;
    const request = left.shift();
    return request ? Promise.resolve(request) : new Promise(() => {});
  }
}
