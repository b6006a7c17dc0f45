import { expect, test } from "vitest";
import { sampled } from "../support/length.ts";
import { Machine } from "./world.ts";

const hook = (events: readonly string[]): string =>
  `export default (pi: any) => {\n${events.map((event) => `  pi.on("${event}", () => undefined);`).join("\n")}\n};\n`;

const BLOCKS = { see: ["*"], block: true };
const REDACTS = { see: ["*"], block: false, guardResult: ["*"], rewriteResult: ["*"] };
const OBSERVES = { see: ["*"], block: false };

type Row = [what: string, events: object | undefined, before: string[], now: string[], lost: string[]];

// biome-ignore format: a table
const ROWS: Row[] = [
  ["a guard of calls", BLOCKS, ["tool_call", "session"], ["session"], ["tool_call"]],
  ["one without a manifest", undefined, ["tool_call"], ["session"], ["tool_call"]],
  ["one that hears nothing any more", BLOCKS, ["tool_call"], [], ["tool_call"]],
  ["one of results", REDACTS, ["tool_result", "tool_call"], ["tool_call"], ["tool_result"]],
  ["one of several", BLOCKS, ["tool_call", "permission_request", "user_bash"], ["user_bash"], ["permission_request", "tool_call"]],
  ["one that hears more", BLOCKS, ["tool_call"], ["tool_call", "turn_end"], []],
  ["one that observes less", BLOCKS, ["tool_call", "turn_end", "session"], ["tool_call"], []],
  ["what only observes", OBSERVES, ["tool_call", "tool_result"], ["session"], []],
];

test.each(sampled(ROWS, 7))(
  "an update of %s waits for a person only if a handler is gone by which it guarded",
  async (_what, events, before, now, lost) => {
    const machine = new Machine();
    const capabilities = events ? { capabilities: { events } } : {};
    const publish = (version: string, heard: string[]) =>
      machine.package(
        "gate",
        { version, cordon: { hooks: ["./index.ts"], ...capabilities } },
        { "index.ts": hook(heard) },
      );
    expect((await machine.add(publish("1.0.0", before), "events")).code).toBe(0);
    publish("2.0.0", now);
    const { stdout, code } = await machine.run(["update", "--json"]);
    const [{ outcome, change }] = JSON.parse(stdout).hooks;
    expect(code).toBe(lost.length > 0 ? 1 : 0);
    expect(outcome).toBe(lost.length > 0 ? "pending" : "updated");
    expect(change.unguarded.toSorted()).toEqual(lost.map((event) => `${event}: it has no handler`));
  },
);
