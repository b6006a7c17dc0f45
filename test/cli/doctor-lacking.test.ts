import { expect, test } from "vitest";
import { Machine } from "../market/world.ts";
import { onToolCall, writeFiles } from "../support/session.ts";

test.each([
  [["env"], "cordon grant gate env"],
  [["exec", "env"], "cordon grant gate exec and cordon grant gate env"],
])("doctor names a command for each power that a hook asks for and lacks: %j", async (powers, commands) => {
  const asked = { env: ["NAME"], exec: [{ program: "git", args: ["status"] }] };
  const capabilities = Object.fromEntries(Object.entries(asked).filter(([power]) => powers.includes(power)));
  const machine = new Machine();
  writeFiles(machine.home, {
    "hooks/gate.ts": onToolCall(""),
    "hooks/gate.hook.json": JSON.stringify({ capabilities }),
  });
  const { stdout } = await machine.run(["doctor"]);
  expect(stdout).toContain(
    `it asks for ${powers.join(", ")} and was granted less: without it, it may block every call, or let pass what it would block; run: ${commands}\n`,
  );
});

test("of a hook that guards nothing, doctor does not say that it may block", async () => {
  const machine = new Machine();
  writeFiles(machine.home, {
    "hooks/notes.ts": `export default (pi: any) => { pi.on("turn_start", () => {}); };`,
    "hooks/notes.hook.json": JSON.stringify({ capabilities: { env: ["NAME"] } }),
  });
  const { stdout } = await machine.run(["doctor"]);
  expect(stdout).toContain(
    "it asks for env and was granted less: what it does by that is not done; run: cordon grant notes env\n",
  );
});
