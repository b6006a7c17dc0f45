import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import type { Capabilities } from "../../src/grants/schema.ts";
import { HookHost } from "../../src/host/host.ts";
import { cordon } from "../support/command.ts";
import { onToolCall, temporaryFolder, writeFiles } from "../support/session.ts";

afterEach(() => vi.unstubAllEnvs());

const WHY = "every tool call is blocked";

/** What a report says of a hook that a policy requires, beside what a session here does with a tool call. */
test.each<
  [what: string, entry: object | undefined, required: string[], says: RegExp | undefined, run: RegExp | undefined]
>([
  ["is there", undefined, ["gate"], undefined, undefined],
  ["may block, by its grant", { capabilities: { events: { see: ["tool_call"] } } }, ["gate"], undefined, undefined],
  [
    "is missing",
    undefined,
    ["@acme/guard"],
    /@acme\/guard.*: it is missing; every tool call is blocked$/,
    /^cordon add @acme\/guard$/,
  ],
  ["is one of two", undefined, ["gate", "@acme/guard"], /@acme\/guard.*: it is missing/, /cordon add/],
  ["is disabled", { disabled: true }, ["gate"], /gate\.ts.*: it is disabled; every/, /^cordon enable /],
  [
    "may not block",
    { capabilities: { events: { see: ["tool_call"], block: false } } },
    ["gate"],
    /: it may not block; every/,
    /^cordon grant .* events /,
  ],
  [
    "may not hear calls",
    { capabilities: { events: { see: ["session"] } } },
    ["gate"],
    /: it may not hear tool calls; every/,
    /^cordon grant .* events /,
  ],
])("a required hook that %s", async (_what, entry, required, says, run) => {
  const folder = temporaryFolder();
  const home = join(folder, "home");
  const gate = join(home, "hooks", "gate.ts");
  writeFiles(home, {
    "hooks/gate.ts": onToolCall(""),
    ...(entry
      ? { "grants.json": JSON.stringify({ version: 1, hooks: { [gate]: entry as { capabilities: Capabilities } } }) }
      : {}),
  });
  const policy = join(folder, "policy.json");
  writeFileSync(policy, JSON.stringify({ version: 1, required: required.map((id) => (id === "gate" ? gate : id)) }));

  const { code, stdout } = await cordon(["report", "--json"], { cwd: folder, home, env: { CORDON_POLICY: policy } });
  const { troubles } = JSON.parse(stdout) as { troubles: { level: string; text: string; run?: string }[] };
  const found = troubles.filter(({ text }) => text.includes(WHY));
  expect([code, found.length]).toEqual(says ? [1, 1] : [0, 0]);
  expect(found[0]?.text ?? "").toMatch(says ?? /^$/);
  expect(found[0]?.run ?? "").toMatch(run ?? /^$/);

  vi.stubEnv("CORDON_POLICY", policy);
  await using host = await HookHost.start({ cwd: folder, home, spare: false, log: () => {} });
  const verdict = await host.emitToolCall({ type: "tool_call", toolName: "bash", toolCallId: "1", input: {} });
  expect(verdict).toEqual(says ? expect.objectContaining({ block: true, hook: "" }) : undefined);
});
