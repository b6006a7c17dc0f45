import { realpathSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { atTerminal } from "../market/hostile-terminal.ts";
import { Machine } from "../market/world.ts";
import { onToolCall, writeFiles } from "../support/session.ts";

const DOWN = "\u001b[B";
const LINT = ".pi/hooks/lint.ts";

/** A machine with a project that has a hook, which asks for a power. */
function project(): Machine {
  const machine = new Machine();
  writeFiles(machine.work, {
    [LINT]: onToolCall(""),
    ".pi/hooks/lint.hook.json": JSON.stringify({ capabilities: { exec: [{ program: "git", args: ["status"] }] } }),
  });
  return machine;
}

/** What doctor says about a hook of the project or its grant, where that is not fine. */
async function troubles(machine: Machine): Promise<string[]> {
  const { stdout } = await machine.run(["doctor", "--json"]);
  const { findings } = JSON.parse(stdout) as {
    findings: { what: string; ok: boolean; note?: boolean; detail: string }[];
  };
  return findings
    .filter(({ what, ok, note }) => /^(hook|grant) /.test(what) && (!ok || note))
    .map(({ what, detail }) => `${what}: ${detail}`);
}

const accepted = (machine: Machine) => atTerminal(machine, ["accept"], [[/Accept/, `${DOWN}\r`]]);

test("of a project's hook that nobody accepted, doctor names the one command that can be run", async () => {
  const machine = project();
  expect(await troubles(machine)).toEqual([expect.stringMatching(/^hook lint: pending: .*; run: cordon accept$/)]);
  const { code, shown } = await accepted(machine);
  expect([code, shown]).toEqual([
    0,
    expect.stringMatching(/accepted \S*lint\.ts without powers: new sessions in this project\s+have it/),
  ]);
  expect(await troubles(machine)).toEqual([
    expect.stringMatching(/^hook lint: it asks for exec .*; run: cordon grant lint exec$/),
  ]);
});

test("of an accepted hook whose file is gone, doctor says one thing: accept asks about it", async () => {
  const machine = project();
  expect((await accepted(machine)).code).toBe(0);
  const file = join(realpathSync(machine.work), LINT);
  rmSync(file);
  const changed = /^hook lint: changed: it is gone: it goes on as it was accepted; run: cordon accept$/;
  expect((await troubles(machine)).filter((text) => /gone/.test(text))).toEqual([expect.stringMatching(changed)]);
  expect((await atTerminal(machine, ["accept"], [[/is gone/, "\r"]])).shown).toMatch(
    /kept \S*lint\.ts: it still guards/,
  );
  const removed = await atTerminal(machine, ["accept"], [[/is gone/, `${DOWN}\r`]]);
  expect([removed.code, removed.shown]).toEqual([0, expect.stringMatching(/removed \S*lint\.ts: new sessions/)]);
  expect(await troubles(machine)).toEqual([]);
});
