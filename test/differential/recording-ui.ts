import type { HookUIContext } from "../../src/hook-api.ts";

type Kind = "select" | "confirm" | "input" | "notify";

/** One call of the agent's user interface: the title (or message) and what follows it. */
export interface Shown {
  kind: Kind;
  title: string;
  rest: unknown;
}

export type Answers = (asked: Shown) => unknown;

/** A user interface that answers from a script and records what it shows. `read` returns the meaning of a title. */
export function recordingUi(shown: Shown[], answers: Answers, read: (title: string) => string): HookUIContext {
  const record = (kind: Kind, title: string, rest: unknown): unknown => {
    const call = { kind, title: read(title), rest: kind === "confirm" ? read(String(rest)) : rest };
    shown.push(call);
    return answers(call);
  };
  return {
    select: async (title, options) => (record("select", title, options) ?? null) as string | null,
    confirm: async (title, message) => (record("confirm", title, message) ?? false) as boolean,
    input: async (title, placeholder) => (record("input", title, placeholder) ?? null) as string | null,
    notify: (message, type) => void record("notify", message, type),
  };
}

const PREFIX = /^\[hook ([^\]]+)\] /;

const MARK = /(^|\n)\| /g;

/**
 * Takes off what Cordon puts before each title, the hook's name, and before
 * each further line. A title with the name of no hook of the session stays as it is and so differs from pi's.
 */
export const withoutHookName =
  (names: readonly string[]) =>
  (title: string): string => {
    const name = PREFIX.exec(title)?.[1];
    const own = name !== undefined && names.includes(name) ? title.slice(`[hook ${name}] `.length) : title;
    return own.replace(MARK, "$1");
  };
