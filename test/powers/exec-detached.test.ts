import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ExecEntry } from "../../src/powers/exec-grant.ts";
import { startFacts } from "../guest/facts.ts";
import { isAlive } from "../sandbox/proc.ts";

const text = { kind: "text" } as const;
const shell = (more: Partial<ExecEntry> = {}): ExecEntry => ({
  program: "sh",
  args: ["-c", text],
  fullAccess: true,
  ...more,
});
const granted = (...exec: ExecEntry[]) => ({ grant: { capabilities: { exec } } });

/** Starts a program that writes its number into `pid`, and after a second into `done`, and forgets it. */
const start = (script = "echo $$ > pid; sleep 1; echo done > done"): string =>
  `const { spawn } = await import("node:child_process"); const child = spawn("sh", ["-c", ${JSON.stringify(script)}], { detached: true, stdio: "ignore" }); child.on("error", () => {}); child.on("exit", (code) => { globalThis.code = code; }); child.unref(); await new Promise((r) => setTimeout(r, 200)); return 1;`;

async function begin(entry: ExecEntry, facts: Record<string, string> = {}) {
  const session = await startFacts(
    {
      start: start(),
      endless: start("echo $$ > pid; exec sleep 600"),
      code: "return globalThis.code ?? null;",
      ...facts,
    },
    granted(entry),
  );
  const at = (name: string): string => join(session.folder, "work", name);
  const pid = async (): Promise<number> => {
    await expect.poll(() => existsSync(at("pid")) && readFileSync(at("pid"), "utf8") !== "").toBe(true);
    return Number(readFileSync(at("pid"), "utf8"));
  };
  return { ...session, at, pid };
}

test("a program that is spawned detached and forgotten outlives its event, and its hook hears of its end", async () => {
  const { ask, at, audit } = await begin(shell());
  await ask("start");
  await expect.poll(() => existsSync(at("done")), { timeout: 5000 }).toBe(true);
  await expect.poll(() => ask("code")).toBe(0);
  expect(audit).toContainEqual(
    expect.objectContaining({
      capability: "exec",
      value: expect.stringContaining("sleep 1"),
      outcome: "allowed",
    }),
  );
});

test("without any entry it is refused as any program is", async () => {
  const { ask, errors, at } = await begin({ program: "echo", args: [] });
  await ask("start");
  await expect.poll(() => errors.map(({ code }) => code)).toContain("NOT_GRANTED");
  expect(existsSync(at("pid"))).toBe(false);
});

test.each([
  ["at the time limit of its entry", shell({ timeoutMs: 1000 }), async () => {}],
  [
    "when its power is revoked",
    shell(),
    async ({ host }: Awaited<ReturnType<typeof begin>>) => void host.grants.revoke("teller", "exec"),
  ],
  ["with the host", shell(), ({ host }: Awaited<ReturnType<typeof begin>>) => host.close()],
  ["with its hook's isolate", shell(), ({ host }: Awaited<ReturnType<typeof begin>>) => host.reload("teller")],
])("a program without end ends %s", async (_when, entry, act) => {
  const session = await begin(entry);
  await session.ask("endless");
  const number = await session.pid();
  expect(isAlive(number)).toBe(true);
  await act(session);
  await expect.poll(() => isAlive(number), { timeout: 8000 }).toBe(false);
});
