import { agentPower } from "./agent.ts";
import { agentsPower } from "./agents-grant.ts";
import { busPower } from "./bus.ts";
import { callsPower } from "./calls.ts";
import { envPower } from "./env.ts";
import { eventsPower } from "./events.ts";
import { execPower } from "./exec-grant.ts";
import { fsPower } from "./fs-grant.ts";
import { modelPower } from "./model.ts";
import { netPower } from "./net-grant.ts";
import { providersPower } from "./provider-grant.ts";
import { sendPower } from "./send.ts";
import { sessionPower } from "./session.ts";
import { sqlitePower } from "./sqlite-grant.ts";
import { commandsPower, toolsPower } from "./tools.ts";
import { uiPower } from "./ui-grant.ts";

/** Every power by its key in a manifest or grant. */
export const POWERS = {
  events: eventsPower,
  ui: uiPower,
  exec: execPower,
  send: sendPower,
  session: sessionPower,
  model: modelPower,
  providers: providersPower,
  fs: fsPower,
  env: envPower,
  net: netPower,
  sqlite: sqlitePower,
  agent: agentPower,
  agents: agentsPower,
  bus: busPower,
  calls: callsPower,
  tools: toolsPower,
  commands: commandsPower,
};
