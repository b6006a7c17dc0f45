import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { scriptedUi, startSession } from "../support/session.ts";
import { isOpen } from "./net-attack-server.ts";

/** Copied from pi's documentation of hooks. */
const WEBHOOK = `import * as http from "node:http";
import type { HookAPI } from "@mariozechner/pi-coding-agent/hooks";
export default function (pi: HookAPI) {
pi.on("session", async (event, ctx) => {
if (event.reason !== "start") return;
const server = http.createServer((req, res) => {
let body = "";
req.on("data", chunk => body += chunk);
req.on("end", () => {
pi.send(body || "Webhook triggered");
res.writeHead(200);
res.end("OK");
});
});
server.listen(3333, () => {
ctx.ui.notify("Webhook listening on http://localhost:3333", "info");
});
});
}
`;

/** The port is fixed in its source: another program of this machine may use it. */
const PORT = 3333;

type Powers = NonNullable<
  NonNullable<Exclude<Parameters<typeof startSession>[0][string], string>["grant"]>["capabilities"]
>;

async function started(powers: Powers) {
  const sent: string[] = [];
  const ui = scriptedUi();
  const capabilities: Powers = { events: { see: ["session"] }, ui: ["notify"], send: {}, ...powers };
  const session = await startSession(
    { webhook: { source: WEBHOOK, grant: { capabilities } } },
    { ui, onSend: (_text, _attachments, origin) => void sent.push(origin?.text ?? "") },
  );
  await session.host.emit({
    type: "session",
    reason: "start",
    entries: [],
    sessionFile: null,
    previousSessionFile: null,
  });
  return { ...session, sent, shown: ui.shown };
}

const told = {
  kind: "notify",
  title: expect.stringContaining("Webhook listening on http://localhost:3333"),
  rest: "info",
};

/** From another process, as its documentation says. */
const curl = async (...more: string[]): Promise<string> => {
  const { stdout } = await promisify(execFile)("curl", [
    "-sS",
    "-i",
    "-X",
    "POST",
    `http://localhost:${PORT}`,
    ...more,
  ]);
  return stdout;
};

test("the webhook of pi's documentation runs unchanged, and a POST from another process reaches the session", async () => {
  const { host, sent, shown, errors } = await started({ net: { listen: [`127.0.0.1:${PORT}`] } });
  await expect.poll(() => shown).toContainEqual(told);
  expect(await curl("-d", "CI build failed")).toMatch(/^HTTP\/1\.1 200 OK\r\n.*OK/s);
  await expect.poll(() => sent).toEqual(["CI build failed"]);
  expect(await curl()).toContain("OK");
  await expect.poll(() => sent).toEqual(["CI build failed", "Webhook triggered"]);
  expect(await curl("-d", "später 🎉")).toContain("OK");
  await expect.poll(() => sent.at(-1)).toBe("später 🎉");
  expect(errors).toEqual([]);
  await host.close();
  expect(await isOpen(PORT)).toBe(false);
});

test.for([{}, { net: {} }, { net: { connect: ["127.0.0.1:3333"] } }, { net: { listen: ["127.0.0.1:3334"] } }])(
  "without the grant it is refused, and the refusal is reported: %j",
  async (powers) => {
    const { errors, shown, sent } = await started(powers);
    await expect
      .poll(() => errors)
      .toContainEqual(
        expect.objectContaining({
          code: "NOT_GRANTED",
          error: expect.stringMatching(
            /net: listen 127\.0\.0\.1:3333; add "net": .* to the grant that its host gives it/,
          ),
        }),
      );
    expect(await isOpen(PORT)).toBe(false);
    expect([shown.filter(({ kind }) => kind === "notify"), sent]).toEqual([[], []]);
  },
);
