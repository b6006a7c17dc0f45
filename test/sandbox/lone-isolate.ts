import { HostedIsolate } from "../../src/supervisor/hosted-isolate.ts";
import type { Failure } from "../../src/supervisor/outcome.ts";
import type { PreparedEvent } from "../../src/supervisor/prepared-event.ts";
import { prepareEvent } from "../../src/supervisor/prepared-event.ts";

let lastNumber = 0;

/** A supervisor's isolate without a host: a bundle from the body of its hook function, and its reports. */
export function loneIsolate(body: string, { cpuMs = 1000, memoryMb = 64 } = {}) {
  const heard = {
    states: [] as string[],
    crashes: [] as { failure: Failure; culprit: boolean }[],
    errors: [] as string[],
  };
  const number = ++lastNumber;
  const isolate = new HostedIsolate({
    number,
    name: `isolate-${number}`,
    cpuMs,
    code: `globalThis.__cordonLoad(async () => ({ default: (pi) => {${body}} }))`,
    load: {
      memoryMb,
      entryTimeoutMs: cpuMs * 30,
      init: JSON.stringify({ hook: `isolate-${number}`, dialect: "pi", cwd: "/", eval: false, session: [] }),
    },
    owner: {
      requests: {
        call: () => {},
        refusesLarge: () => undefined,
        abort: () => {},
        release: () => {},
        sync: async () => ({ value: null }),
        narrowed: () => {},
        forget: () => {},
      },
      log: () => {},
      error: (error) => {
        heard.errors.push(error.message);
        return undefined;
      },
      loaded: () => {},
      reached: () => {},
      events: () => {},
      registered: () => {},
      screen: () => {},
      crashed: (failure, culprit) => heard.crashes.push({ failure, culprit }),
      state: (state) => heard.states.push(state),
    },
  });
  return { isolate, heard };
}

/** A tool call in the host's form. */
export const toolCall = (command = "ls"): PreparedEvent =>
  prepareEvent({ type: "tool_call", toolName: "bash", toolCallId: "1", input: { command } } as { type: string }, {
    hasUI: false,
    sessionFile: null,
  });
