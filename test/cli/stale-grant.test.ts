import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { atTerminal } from "../market/hostile-terminal.ts";
import { Machine } from "../market/world.ts";
import { served } from "../support/command.ts";
import { onToolCall, writeFiles } from "../support/session.ts";

/** A machine whose user granted a hook of their own two powers, on a terminal that does not say how wide it is. */
async function granted() {
  const machine = new Machine();
  writeFiles(machine.home, { "hooks/gate.ts": onToolCall("") });
  const gate = join(machine.home, "hooks", "gate.ts");
  const grant = (power: string, json: string, env = {}) =>
    atTerminal(machine, `stty cols 0 rows 0; cordon grant gate ${power} '${json}'`, [[/Grant/, "y"]], env);
  await grant("env", '["CI"]');
  await grant("exec", '[{"program":"git","args":["status"]}]');
  const listed = async () =>
    (await machine.json<{ hooks: { powers: string[]; stale?: string[] }[] }>(["list"])).hooks[0];
  const doctor = async () => (await machine.run(["doctor"])).stdout;
  return { machine, gate, grant, listed, doctor };
}

const TOLD = [
  `its files changed since it was granted env, which it has no more; run: cordon grant gate env '["CI"]'`,
  `its files changed since it was granted exec, which it has no more; run: cordon grant gate exec '[{"program":"git","args":["status"]}]'`,
];

test("a grant that a hook lost by a change of its files is shown as lost, and granting again says what is gone", async () => {
  const { machine, gate, grant, listed, doctor } = await granted();
  expect(await listed()).toMatchObject({ powers: ["exec", "env", "events", "ui"] });
  expect(await listed()).not.toHaveProperty("stale");
  expect(await doctor()).not.toContain("changed");

  appendFileSync(gate, "\n// changed\n");
  expect(await listed()).toMatchObject({ powers: ["events", "ui"], stale: ["env", "exec"] });
  const [list, found] = [(await machine.run(["list"])).stdout, await doctor()];
  for (const told of TOLD)
    expect([list.includes(told), found.includes(`note hook gate: ${told}`)]).toEqual([true, true]);
  expect((await machine.run(["doctor", "--strict"])).code).not.toBe(0);
  // The report knows what a session ran.
  await served(["ls"], { cwd: machine.work, home: machine.home });
  const { troubles, hooks: reported } = await machine.json<{
    troubles: object[];
    hooks: { stale: object[]; powers: object[] }[];
  }>(["report"]);
  expect(troubles).toMatchObject([
    { level: "look", hook: "gate", run: `cordon grant gate env '["CI"]'` },
    { level: "look", hook: "gate", run: `cordon grant gate exec '[{"program":"git","args":["status"]}]'` },
  ]);
  expect(reported[0]?.stale).toEqual([
    { power: "env", granted: '["CI"]' },
    { power: "exec", granted: '[{"program":"git","args":["status"]}]' },
  ]);
  expect(reported[0]?.powers).not.toContainEqual(
    expect.objectContaining({ power: "exec", granted: expect.anything() }),
  );

  const { shown } = await grant("env", '["CI"]');
  expect(shown.replace(/[\s│]+/g, " ")).toContain(
    'Grant gate this: env ["CI"]? It has exec no more: its files changed since that was granted.',
  );
  expect(await listed()).toMatchObject({ powers: ["env", "events", "ui"] });
  const { hooks } = JSON.parse(readFileSync(join(machine.home, "grants.json"), "utf8"));
  expect(Object.keys(hooks[gate].capabilities)).not.toContain("exec");
});

test("a terminal of no width is one of 80 columns", async () => {
  const { shown } = await (await granted()).grant("env", '["CI"]');
  expect(shown).toMatch(/granted env to gate: running hosts have it when they start again\r?\n/);
});

test.each(["own.ts", "own"])("a hook that a command line names keeps what it has without a grant: %s", async (name) => {
  const machine = new Machine();
  const manifest = { capabilities: { env: ["CI"], ui: ["notify"] } };
  writeFiles(machine.work, {
    "own.ts": onToolCall("return { block: true, reason: await ctx.ui.confirm('a', 'b') ? 'yes' : 'no' };"),
    ...(name === "own" ? { "own.hook.json": JSON.stringify(manifest) } : {}),
  });
  const own = join(machine.work, "own.ts");
  const { code } = await atTerminal(
    machine,
    ["grant", own, "exec", '[{"program":"git","args":["status"]}]'],
    [[/Grant/, "y"]],
  );
  const { hooks } = JSON.parse(readFileSync(join(machine.home, "grants.json"), "utf8"));
  expect([code, hooks[own].capabilities]).toEqual([
    0,
    {
      events: { see: ["*"], block: true, cancel: true },
      ui: ["notify", "select", "confirm", "input"],
      exec: [{ program: "git", args: ["status"] }],
    },
  ]);
});
