import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { scriptedUi, startSession } from "../support/session.ts";

const SCRIPT = "while :; do echo x >> ticks; sleep 0.1; done";
const exec = [{ program: "sh", args: ["-c", SCRIPT], fullAccess: true }];

test.each([
  { by: "a grant", granted: { exec }, answer: "deny" as const },
  { by: "an answer for the session", granted: {}, answer: "session" as const },
  { by: "an answer for good", granted: {}, answer: "always" as const },
  { by: "an answer for once", granted: {}, answer: "once" as const },
])("a program that runs by $by ends with the hook's powers", async ({ granted, answer }) => {
  const { host, folder, call } = await startSession(
    {
      runs: {
        source: `import { spawn } from "node:child_process";
          export default (pi) => { pi.on("tool_call", () => { spawn("sh", ["-c", ${JSON.stringify(SCRIPT)}]).on("error", () => {}); }); };`,
        grant: { capabilities: { events: { see: ["tool_call"], block: true }, env: ["HOME"], ...granted } },
      },
    },
    { hasUI: true, ui: scriptedUi(), consent: () => answer },
  );
  const ticks = join(folder, "work", "ticks");
  const count = () => (existsSync(ticks) ? readFileSync(ticks, "utf8").length : 0);
  expect(await call()).toBeUndefined();
  await expect.poll(count).toBeGreaterThan(2);
  await host.revoke("runs");
  await delay(300);
  const last = count();
  await delay(700);
  expect(count()).toBe(last);
});
