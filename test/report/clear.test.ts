import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { usualPagePath } from "../../src/report/page-file.ts";
import { atTerminal } from "../market/hostile-terminal.ts";
import { Machine } from "../market/world.ts";
import { writeUsualHome } from "./home.ts";

test("what a person clears is a decision on record, which the page and the audit show", async () => {
  const machine = new Machine();
  writeUsualHome(machine.home);
  await machine.run(["report"]);
  const last = join(machine.home, "reports", "last.json");
  const { head, time } = JSON.parse(readFileSync(last, "utf8"));
  rmSync(join(machine.home, "audit"), { recursive: true });
  const cleared = await atTerminal(machine, ["report", "--clear"], [[/Do you\?/, "y"]]);
  expect(cleared.code, cleared.shown).toBe(0);
  const { stdout } = await machine.run(["audit", "--hook", "cordon", "--outcome", "cleared"]);
  expect(stdout).toContain(
    ` cleared cordon decision ${head}, the last line that the report of ${time.slice(0, 16).replace("T", " ")}Z saw\n`,
  );
  expect(readFileSync(usualPagePath(machine.home), "utf8")).toContain(head);
  const next = await machine.json<{ record: { lost?: string; hasLastHead: boolean; lines: number } }>(["report"]);
  expect(next.record).toMatchObject({ hasLastHead: true, lines: 1 });
  expect(next.record.lost).toBeUndefined();
});
