/** What was typed before a person could have read a question does not answer it. */
import { PassThrough } from "node:stream";
import type { ReadStream } from "node:tty";
import { expect, test } from "vitest";
import { forgetTyped } from "../../src/cli/forget-typed.ts";
import { atTerminal } from "../market/hostile-terminal.ts";
import { Machine } from "../market/world.ts";
import { onToolCall } from "../support/session.ts";

const isDisabled = async (machine: Machine): Promise<boolean> =>
  (await machine.run(["doctor"])).stdout.includes("disabled");

test.each(["yarn build\r", "y", "\r\r\r", "yyyyyyyy"])("%j typed ahead is no yes", async (typed) => {
  const machine = new Machine();
  const gate = machine.file("gate.ts", onToolCall(""));
  // It is typed into a shell, while the command starts.
  const { code, shown } = await atTerminal(machine, `echo ready; cordon disable ${gate}; exit $?`, [
    [/ready/, typed],
    [/Disable/, "n"],
  ]);
  expect(shown).toMatch(/Disable/);
  expect(code, shown).toBe(1);
  expect(await isDisabled(machine)).toBe(false);
});

test("what a person types at the question answers it", async () => {
  const machine = new Machine();
  const gate = machine.file("gate.ts", onToolCall(""));
  const { code, shown } = await atTerminal(machine, `echo ready; cordon disable ${gate}; exit $?`, [
    [/ready/, "n\r"],
    [/Disable/, "y"],
  ]);
  expect(code, shown).toBe(0);
  expect(await isDisabled(machine)).toBe(true);
});

/** The input of a terminal. */
function typing() {
  const raw: boolean[] = [];
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: (on: boolean) => raw.push(on) });
  return { input, raw, done: forgetTyped(input as unknown as ReadStream) };
}

test("typing goes on being forgotten until nothing comes any more", async () => {
  const { input, raw, done } = typing();
  let isOver = false;
  void done.then(() => {
    isOver = true;
  });
  for (let at = 0; at < 5; at++) {
    input.write("y\r");
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  expect([raw, isOver]).toEqual([[true], false]);
  await done;
  expect(input.read()).toBeNull();
  input.write("n");
  expect(String(input.read())).toBe("n");
});

test.each(["\u0003", "\u0004", "y\u0003\r"])("%j leaves the question that follows", async (keys) => {
  const { input, done } = typing();
  input.write(keys);
  await done;
  expect(String(input.read())).toBe("\u0003");
});
