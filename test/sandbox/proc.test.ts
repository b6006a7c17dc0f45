import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { processFacts } from "./proc.ts";

test("a process that was just started is seen with its words", async () => {
  for (let round = 0; round < 200; round++) {
    const child = spawn(process.execPath, ["--version"], { stdio: "ignore" });
    const facts = processFacts(child.pid as number);
    expect(facts?.command ?? ["--version"]).toContain("--version");
    await once(child, "close");
  }
});
