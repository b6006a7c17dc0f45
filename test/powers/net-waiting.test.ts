/** Requests of a hook that wait are kept whole by the agent's own process. */
import { createServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { onToolCall, startSession } from "../support/session.ts";

test("the bodies of requests that nobody answers do not fill the host", async () => {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.pause();
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  onTestFinished(() => void server.close());
  const { port } = server.address() as { port: number };
  const source = onToolCall(
    `const body = "x".repeat(2_000_000);
     const codes = new Set<string>();
     let refused = 0;
     for (let at = 0; at < 60; at++) {
       fetch("http://127.0.0.1:${port}/", { method: "POST", body }).catch((error: any) => { refused++; codes.add((error.cause ?? error).code); });
       await new Promise((later) => setTimeout(later, 20));
     }
     // The last refusals are on their way.
     for (let wait = 0; wait < 100 && refused < 45; wait++) await new Promise((later) => setTimeout(later, 50));
     await new Promise((later) => setTimeout(later, 200));
     return { block: true, reason: refused + " " + [...codes].join() };`,
  );
  const net = { connect: [`127.0.0.1:${port}`] };
  const grant = { capabilities: { events: { see: ["tool_call"], block: true }, net } };
  const session = await startSession({ poster: { source, grant } });
  const before = process.memoryUsage();
  const said = await session.call();
  const after = process.memoryUsage();
  expect(after.rss - before.rss).toBeLessThan(200_000_000);
  expect(said).toMatchObject({ reason: "45 RATE_LIMITED" });
});
