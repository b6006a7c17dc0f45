import type { OperationName } from "../../sandbox/wire/operations.ts";
import { agent } from "./agent.ts";
import { agents } from "./agents.ts";
import { bus } from "./bus.ts";
import { calls } from "./calls.ts";
import type { AnyCapability } from "./capability.ts";
import { env } from "./env.ts";
import { exec } from "./exec.ts";
import { fs } from "./fs.ts";
import { model } from "./model.ts";
import { net } from "./net.ts";
import { providers } from "./providers.ts";
import { send } from "./send.ts";
import { session } from "./session.ts";
import { sqlite } from "./sqlite.ts";
import { tools } from "./tools.ts";
import { ui } from "./ui.ts";

/** Everything a hook can ask for, by the flat name it is asked under. */
const SEALED = {
  ...agent,
  ...agents,
  ...bus,
  ...calls,
  ...env,
  ...exec,
  ...fs,
  ...model,
  ...net,
  ...providers,
  ...send,
  ...session,
  ...sqlite,
  ...tools,
  ...ui,
};

export const CAPABILITIES: ReadonlyMap<string, AnyCapability> = new Map(
  Object.entries(SEALED satisfies Record<OperationName, AnyCapability>),
);
