import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

const dist = (name: string): string => join(import.meta.dirname, "../../dist/sandbox", name);

test("a tool call that a hook lets pass runs 22 functions of the guest, each of which costs an isolate about a microsecond", () => {
  const program = join(import.meta.dirname, "functions-of-event.mjs");
  const printed = execFileSync(process.execPath, ["--no-warnings", program, dist("realm.js"), dist("guest.js")], {
    encoding: "utf8",
  });
  const functions = JSON.parse(printed) as [name: string, times: number][];
  expect(functions.map(([name]) => name)).toEqual(expect.arrayContaining(["PiContext", "Dispatch", "returned"]));
  expect(functions.length).toBeLessThanOrEqual(22);
});
