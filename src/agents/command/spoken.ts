import type { HookEvent } from "../../hook-api.ts";

export type Input = Record<string, unknown>;

/** A call of a tool, under the agent's own names or under the canonical ones. */
export interface ToolUse {
  tool: string;
  input: Input;
  /** The agent's id of the call, if it has one. */
  id: string | undefined;
}

/** What one event says. `tell`: what hooks decide of it is in the answer, as far as the agent takes it. */
export type Said =
  /** `allowed`: the question that the person allowed, for a call that is judged again. */
  | { kind: "call"; use: ToolUse; allowed?: string }
  | { kind: "result"; use: ToolUse; text: string; details: unknown; isError: boolean }
  | { kind: "tell"; event: HookEvent }
  /** `goesOn`: the session was open before, and its folder is the one that it began in, wherever the agent is by now. */
  | { kind: "start"; goesOn?: true }
  | { kind: "end" }
  /** One that tells hooks nothing. */
  | { kind: "other" }
  /** One that is not known. A gate blocks it. */
  | { kind: "unknown" };

/** One event, as an agent wrote it to a command's standard input. */
export interface Spoken {
  /** The agent's id of the session; `undefined` if it has none, and each of its processes is one. */
  session: string | undefined;
  /** The folder of the session, absolute. */
  cwd: string;
  /** The agent's own name for the event. */
  event: string;
  said: Said;
}

/** What Cordon answers. Reasons, questions and notices are clean text. `notice`: for the person. */
export type Answer = { notice?: string } & Decision;
type Decision =
  | { kind: "pass" }
  | { kind: "block"; reason: string }
  /** `id`: what comes back as `allowed`, for an agent with `longestQuestion`. */
  | { kind: "ask"; question: string; id?: string; input?: Input }
  | { kind: "change"; input: Input }
  | { kind: "result"; text: string }
  /** A text for the model: beside what the event is about, or, where the agent would stop, so that it goes on. */
  | { kind: "context"; text: string }
  | { kind: "continue"; text: string };

/** How a command ends: the text goes to standard output for 0, and to standard error for 2. */
export interface Reply {
  exit: 0 | 2;
  text: string;
  /** For the person, on standard error where the command ends with 0. */
  note?: string;
}

/** What is known of an event besides its text. */
export interface Heard {
  /** The event that the command was entered for; empty where nothing says which. */
  event: string;
  /** What it was entered for is judged. */
  isGate: boolean;
  /** Where the agent ran the command. */
  cwd: string;
}

/** How one agent speaks to its commands: plain translation, without any state. */
export interface CommandAgent {
  /** As in `cordon hook NAME`. */
  readonly name: string;
  readonly title: string;
  /** True if it can put a call to the person. */
  readonly asks: boolean;
  /**
   * For an agent that hands the call back once the person allowed it, so that hooks judge it with their answers: the longest
   * question that it shows whole, in characters. All other agents run what the person allows.
   */
  readonly longestQuestion?: number;
  /** How it takes another input for a call: instead of the old one, or field by field, so that none can be left out. */
  readonly rewrites: "whole" | "fields" | undefined;
  /** True if it can give the model another text than the tool's result. */
  readonly replacesResults: boolean;
  /** Its tools that have a canonical form, by its own names. */
  readonly tools: ToolTable;
  /** Its tools that show later what another one said: hooks that judge results of that one, a canonical name, judge theirs. */
  readonly shows?: Readonly<Record<string, string>>;
  /** Throws {@link Unreadable} for what cannot be judged as it stands. */
  read(text: string, heard: Heard): Spoken;
  /** Its own events with which it takes `context`. */
  readonly contexts: readonly string[];
  /** `answer` is one that the agent has: see `asks`, `rewrites`, `replacesResults` and `contexts`. */
  say(spoken: Spoken, answer: Answer): Reply;
  /** How a call is blocked without knowing anything of it but the event that the entry was made for. */
  block(reason: string, event: string): Reply;
}

/** A tool whose calls hooks see under canonical names. */
export type ToolShape =
  | {
      tool: string;
      /** The agent's names of canonical fields. All others stay as they are. */
      fields: Readonly<Record<string, string>>;
      /** What else a call does, which hooks judge, too. With that, it cannot be changed. */
      also?(input: Input): { tool: string; input: Input }[];
    }
  /** A tool that does several things at once: hooks judge each of them, and none can be changed. */
  | {
      parts(input: Input): { tool: string; input: Input }[];
      /** What it reads by these names, at any depth, where the agent may take them in any case. */
      names?: readonly string[];
      /** The input of a call that does one thing alone, as hooks changed that. `undefined` if it cannot say so. */
      join?(part: Input): Input | undefined;
    };
export type ToolTable = Readonly<Record<string, ToolShape>>;

/** An event that cannot be judged. The message is one line. */
export class Unreadable extends Error {}
