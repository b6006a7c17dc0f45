/** The exports of `openclaw/plugin-sdk` and its subpaths that plugins import, besides types. */

/** Marks a plugin's entry. It does nothing else. */
export const definePluginEntry = <Entry>(entry: Entry): Entry => entry;

/** The schema of a plugin that has no configuration. */
export const emptyPluginConfigSchema = (): object => ({
  type: "object",
  additionalProperties: false,
  properties: {},
});

/** What a tool returns: a value, which the model reads as JSON. */
export const jsonResult = (value: unknown): object => ({
  content: [{ type: "text", text: JSON.stringify(value, null, 2) }],
  details: value,
});

/** What a tool returns: a text. */
export const textResult = (text: string, details?: unknown): object => ({
  content: [{ type: "text", text }],
  details,
});

type Say = (message: string, meta?: object) => void;

interface SubsystemLogger extends Record<"trace" | "debug" | "info" | "warn" | "error" | "fatal" | "raw", Say> {
  readonly subsystem: string;
  isEnabled(): boolean;
  child(name: string): SubsystemLogger;
}

/** The log of a part of OpenClaw. Here its lines are the hook's own. */
export function createSubsystemLogger(subsystem: string): SubsystemLogger {
  const say =
    (level: "debug" | "info" | "warn" | "error"): Say =>
    (message, meta) =>
      console[level](`[${subsystem}] ${message}`, ...(meta === undefined ? [] : [meta]));
  return {
    subsystem,
    isEnabled: () => true,
    trace: say("debug"),
    debug: say("debug"),
    info: say("info"),
    warn: say("warn"),
    error: say("error"),
    fatal: say("error"),
    raw: say("info"),
    child: (name) => createSubsystemLogger(`${subsystem}/${name}`),
  };
}
