import type { Static } from "typebox";
import { readJson } from "../../../sandbox/wire/read-json.ts";
import { CordonError, messageOf } from "../../base/errors.ts";
import { compile, exactly } from "../../base/schema.ts";
import Type from "../../base/type.ts";
import { readIfThere, writeAtomically } from "../../disk/atomic-file.ts";
import { inHome } from "../../disk/home.ts";
import { withLock } from "../../disk/lock-file.ts";

/** A file that was changed: its text before (null: it was not there), and after. `made`: its folder was not there, either. */
const ChangedFile = exactly({
  made: Type.Optional(Type.Literal(true)),
  file: Type.String(),
  before: Type.Union([Type.String(), Type.Null()]),
  after: Type.String(),
});

const InstalledAgent = exactly({
  agent: Type.String(),
  /** The folder of the project; absent for the person's own settings. */
  project: Type.Optional(Type.String()),
  at: Type.String(),
  /** Its hooks judge, and block nothing. */
  monitor: Type.Optional(Type.Literal(true)),
  files: Type.Array(ChangedFile),
});
export type InstalledAgent = Static<typeof InstalledAgent>;

const check = compile(exactly({ version: Type.Literal(1), agents: Type.Array(InstalledAgent) }));

export const recordPath = (home: string): string => inHome(home, "agents.json");

/** Where Cordon was entered. The record has the person's settings in it, so nobody else may read it. */
export function readRecord(home: string): InstalledAgent[] {
  const path = recordPath(home);
  const text = readIfThere(path);
  if (text === undefined) return [];
  try {
    const value: unknown = readJson(text);
    if (check.Check(value)) return value.agents;
  } catch (error) {
    throw new CordonError("BAD_GRANT", `${path}: ${messageOf(error)}`);
  }
  throw new CordonError("BAD_GRANT", `${path}: it is not a record of Cordon's; move it away, and install again`);
}

/** Changes the record while no other process does. */
export function changeRecord(home: string, change: (agents: InstalledAgent[]) => InstalledAgent[]): void {
  const path = recordPath(home);
  withLock(path, (held) => {
    const agents = change(readRecord(home));
    writeAtomically(path, `${JSON.stringify({ version: 1, agents }, null, 2)}\n`, 0o600, held);
  });
}
