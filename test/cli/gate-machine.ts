import { Machine } from "../market/world.ts";
import { onToolCall, writeFiles } from "../support/session.ts";

/** A machine whose person has a hook of their own, which blocks `rm`. */
export function machineWithGate(): Machine {
  const machine = new Machine();
  writeFiles(machine.home, {
    "hooks/gate.ts": onToolCall('if (event.input.command === "rm") return { block: true, reason: "no rm" };'),
  });
  return machine;
}
