/** Longest event that a shim sends, and the daemon reads. */
export const MAX_BODY_BYTES = 24 * 1024 * 1024;

/** Begins the reason of a block for an event that could not be read. */
export const UNJUDGED = "Cordon could not judge";

/** Time that a daemon has to start, in ms. */
export const START_MS = 15_000;

/**
 * A reply as text, which shims read: how to end, a line for the person behind it, and from the next line on what to say. A point
 * on a line of its own ends it: without that, it was cut off.
 */
export const replyText = ({ exit, text, note }: { exit: number; text: string; note?: string }): string =>
  `${exit}${note === undefined ? "" : ` ${note.replaceAll("\n", " ")}`}\n${text}\n.`;

export function replyIn(answer: string): { exit: number; text: string; note: string } | undefined {
  const [, exit, note = "", text = ""] = /^([02])(?: ([^\n]*))?\n(.*)\n\.$/s.exec(answer) ?? [];
  return exit === undefined ? undefined : { exit: Number(exit), text, note };
}

/** The parts of a request's path after the protocol's version: whose event it is, and whether it decides. */
export interface Entry {
  agent: string;
  /** `gate`: nothing passes unless hooks say so. `note`: what goes wrong is recorded, and the agent goes on. */
  kind: "gate" | "note";
  /** The agent's name for the event. */
  event: string;
}

/** What a shim says of itself, as headers. */
export const HEADERS = {
  /** Where the agent ran the command, URI-encoded. */
  cwd: "x-cordon-cwd",
  /** The process that ran the command. */
  parent: "x-cordon-parent",
  /** How long the agent waits for an answer, in ms. */
  wait: "x-cordon-wait",
  /** The first bytes of the body are the variables of the session, as JSON. The event follows. */
  environment: "x-cordon-environment-bytes",
} as const;
