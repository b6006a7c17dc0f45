import type { Capability } from "./capability.ts";
import { env } from "./env.ts";
import { exec } from "./exec.ts";
import { fs } from "./fs.ts";
import { model } from "./model.ts";
import { net } from "./net.ts";
import { send } from "./send.ts";
import { session } from "./session.ts";
import { ui } from "./ui.ts";

/** Everything a hook can ask for, by the flat name it is asked under. */
export const CAPABILITIES: ReadonlyMap<string, Capability<never, never>> = new Map(
  Object.entries({ ...ui, ...exec, ...send, ...session, ...model, ...fs, ...env, ...net }) as [
    string,
    Capability<never, never>,
  ][],
);
