import { CordonError } from "../base/errors.ts";
import { nearNames } from "../base/near-names.ts";
import type { Asks } from "./schema.ts";

/** A small grant of each power, as JSON that a person can type. */
const EXAMPLES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    events: '{"see":["tool_call"],"block":true}',
    ui: '["notify","confirm"]',
    exec: '[{"program":"git","args":["status"]}]',
    send: '{"perMinute":6}',
    session: '["messages"]',
    model: '["anthropic"]',
    providers: '[{"name":"my-llm","url":"https://llm.example.com/v1"}]',
    fs: '{"read":["$CWD/**"]}',
    env: '["CI"]',
    net: '{"connect":["api.example.com:443"]}',
    sqlite: '[{"path":"$CWD/notes.db"}]',
    agent: '["activeTools"]',
    agents: '[{"tools":["read"]}]',
    bus: '["builds"]',
    calls: '["read"]',
    tools: '["my_tool"]',
    commands: '["my-command"]',
    limits: '{"memoryMb":128}',
  } satisfies Record<keyof Asks, string>),
);

/** A small grant of a power, as JSON. Throws `BAD_GRANT` for what is no power. */
export function exampleOf(power: string): string {
  refuseNoPower(power);
  return EXAMPLES.get(power) as string;
}

/** Throws `BAD_GRANT`, with the names of powers. */
export function refuseNoPower(power: string): void {
  if (EXAMPLES.has(power)) return;
  const names = [...EXAMPLES.keys()];
  const near = nearNames(power, names);
  const hint = near.length > 0 ? `did you mean ${near.join(" or ")}?` : `there is ${names.join(", ")}`;
  throw new CordonError("BAD_GRANT", `${power} is no power; ${hint}`);
}
