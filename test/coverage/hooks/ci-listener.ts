import * as http from "node:http";
import type { HookAPI } from "@mariozechner/pi-coding-agent/hooks";

/** A build server tells the agent how a build went: `curl -d "build 7 failed" localhost:PORT`. */
export default function (pi: HookAPI) {
  let server: http.Server | undefined;

  pi.on("session", async (event, ctx) => {
    if (event.reason === "shutdown") server?.close();
    if (event.reason !== "start") return;
    server = http.createServer((request, response) => {
      let body = "";
      request.on("data", (chunk) => {
        body += chunk;
      });
      request.on("end", () => {
        const wanted = request.method === "POST" && body !== "";
        if (wanted) pi.send(`CI: ${body}`);
        response.writeHead(wanted ? 200 : 400, { "content-type": "text/plain" });
        response.end(wanted ? "OK" : "POST a text");
      });
    });
    const port = Number(process.env.PI_CI_PORT ?? 3333);
    server.listen(port, "127.0.0.1", () => ctx.ui.notify(`Listening on http://localhost:${port}`, "info"));
  });
}
