/**
 * A web server as a program of its own, for requests of a hook and of plain Node: while Node answers, the test's
 * own process waits. Prints its port.
 */
import { createServer } from "node:http";

const server = createServer(async (request, response) => {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  const { pathname, searchParams } = new URL(request.url as string, "http://site");
  const [, route, value] = pathname.split("/");
  if (route === "status") {
    response
      .writeHead(Number(value), searchParams.get("text") ?? undefined)
      .end(Number(value) === 204 ? undefined : "body");
  } else if (route === "headers") {
    const raw = [
      "Set-Cookie",
      "a=1",
      "Set-Cookie",
      "b=2; Path=/",
      "X-Twice",
      "one",
      "X-Twice",
      "two",
      "Vary",
      "a",
      "Vary",
      "b",
    ];
    response.writeHead(200, [
      ...raw,
      "Content-Type",
      "text/plain; charset=utf-8",
      "X-Latin",
      "\u00e9",
      "__proto__",
      "p",
    ]);
    response.end("body");
  } else if (route === "first") {
    const raw = [
      "Content-Type",
      "text/a",
      "Content-Type",
      "text/b",
      "ETag",
      "a",
      "ETag",
      "b",
      "Server",
      "a",
      "Server",
      "b",
    ];
    response.writeHead(200, [...raw, "Age", "1", "Age", "2", "Location", "/a", "Location", "/b"]).end("body");
  } else if (route === "bytes") response.end(Buffer.from([0xff, 0, 0x80, 0x41]));
  else if (route === "text") response.end("\ufeffgr\u00fc\u00dfe \ud83c\udf89");
  else if (route === "json")
    response.setHeader("content-type", "application/json").end(value === "bad" ? "{" : '{"a":[1]}');
  else if (route === "empty") response.end();
  else if (route === "to")
    response.writeHead(Number(value), { location: searchParams.get("where") ?? "" }).end("moved");
  else if (route === "gone") request.socket.destroy();
  else if (route === "slow") response.write("a");
  else if (route === "silent") return;
  else if (route === "events") {
    response.setHeader("content-type", "text/event-stream");
    for (let at = 0; at < Number(value); at++) {
      // In the middle of a character.
      const event = Buffer.from(`data: ${at} gr\u00fc\u00df\n\n`);
      response.write(event.subarray(0, 11));
      await new Promise((resolve) => setTimeout(resolve, 10));
      response.write(event.subarray(11));
    }
    response.end();
  } else if (route === "cut") {
    response.write("the beginning");
    setTimeout(() => request.socket.destroy(), 50);
  } else {
    const { method, url, headers } = request;
    const body = Buffer.concat(parts).toString("latin1");
    const mine = ["content-type", "content-length", "x-a", "x-b", "authorization", "cookie", "user-agent-of-hook"];
    const shown = Object.fromEntries(mine.flatMap((name) => (name in headers ? [[name, headers[name]]] : [])));
    response.setHeader("content-type", "application/json").end(JSON.stringify({ method, url, body, headers: shown }));
  }
});
server.listen(0, "127.0.0.1", () => console.log((server.address() as { port: number }).port));
// There are no requests after the test.
process.stdin.resume().on("end", () => process.exit());
