/**
 * Declares once everything that a hook can request of the host: names, arguments and limits. The host derives its
 * check of requests, which an attacker may send. The build derives the guest's check, which turns an honest mistake into an
 * error for that hook.
 */

import { AGENT_ACTS, AGENT_READS, ANCHORS, MOUNTS, SESSION_FACTS, SESSION_TEXTS, SHOWN } from "./choices.ts";
import { LOGIN_STEPS, MAX_PROVIDER, STREAM_NOTES, THINKING_LEVELS } from "./providers.ts";
import {
  anything,
  choice,
  flag,
  integer,
  list,
  number,
  object,
  openObject,
  type Shape,
  text,
  tuple,
  type ValuesOf,
} from "./shapes.ts";

export interface Operation {
  readonly args: readonly Shape[];
  /** Further arguments, which are given together or not at all. */
  readonly more?: readonly Shape[];
  /** Whether a call that blocks the hook can request it: `also`, or `only` such a call. Never, if left out. */
  readonly blocking?: "also" | "only";
  /** Most characters of its arguments as JSON. If left out, as many as fit a frame. */
  readonly most?: number;
}

/** A request with more characters is parsed only if its power was granted: parsing one costs the agent tens of ms. */
export const LARGE_REQUEST = 1_000_000;

/** Longer than any text that fits a frame: the power has a limit of its own. */
const anyText = text(8 * 1024 * 1024);
/** A text for a dialog, which shows less of it. */
const words = text(1_000_000);
const path = text(4096);
const data = text(7_000_000);
const encoding = choice("utf8", "base64");
const size = integer(0, Number.MAX_SAFE_INTEGER);
const mode = integer(0, 0o777);
const count = integer(1, Number.MAX_SAFE_INTEGER);
const headers = list(tuple(anyText, anyText), 10_000);
const body = tuple(encoding, anyText);

const screen = count;
/** A number of columns or rows, or a part of the terminal's, such as "50%". */
const extent = text(8, 1);
/** Where an overlay stands, as in pi. */
const layout = object(
  {},
  {
    width: extent,
    minWidth: extent,
    maxHeight: extent,
    anchor: choice(...ANCHORS),
    offsetX: extent,
    offsetY: extent,
    row: extent,
    col: extent,
    nonCapturing: flag,
  },
);
/** A channel of the bus between hooks. */
const channel = text(64, 1);
/** Longest message on the bus, as JSON, with its channel. */
export const MAX_BUS_MESSAGE = 65_536;

/** Longest prompt that a hook gives to an agent of its own, and longest text about one. */
export const MAX_AGENT_PROMPT = 200_000;
const agentText = text(MAX_AGENT_PROMPT);
/** The name of a tool, as in grants. */
const toolName = text(128, 1);
const modelName = object({ provider: text(64, 1), id: text(256, 1) }, {});
const images = list(object({ type: choice("image"), data, mimeType: text(64) }, {}), 20);

/** A statement of SQL. */
const statement = text(1_000_000);

/** A program, its arguments, and how it is run. */
const command = [
  text(4096),
  list(text(1_000_000), 1000),
  object(
    {},
    {
      timeout: number(0),
      input: tuple(encoding, data),
      stdin: count,
      late: flag,
      cwd: text(4096, 1),
      env: list(tuple(text(128, 1), text(32_768)), 200),
    },
  ),
] as const;

export const OPERATIONS = {
  /**
   * `input`: all that the program reads. `stdin`: the number of what `exec.write` writes to it; with `late` the hook may never
   * write, and the input is closed where the grant does not cover it. `cwd`: where it differs from the session's. `env`:
   * variables that the hook sets for it.
   */
  exec: { args: [...command], blocking: "also" },
  /** Asks whether the grant covers this command, to which it writes after all. Runs nothing. */
  "exec.late": { args: [...command] },
  /** A part of what a program reads, and whether it was the last. */
  "exec.write": { args: [count, encoding, data, flag] },
  "ui.select": { args: [words, list(words, 200)], most: LARGE_REQUEST },
  "ui.confirm": { args: [words, words], most: LARGE_REQUEST },
  "ui.input": { args: [words], more: [words], most: LARGE_REQUEST },
  "ui.notify": { args: [words, choice("info", "warning", "error")], most: LARGE_REQUEST },
  "ui.editor": { args: [words], more: [words], most: LARGE_REQUEST },
  "ui.show": { args: [choice(...SHOWN), list(anything, 3)], most: LARGE_REQUEST },
  "ui.editorText": { args: [], blocking: "only" },
  "ui.theme": { args: [], blocking: "only" },
  "ui.custom": {
    args: [screen, object({ overlay: flag }, { layout })],
  },
  "ui.mount": { args: [screen, choice(...MOUNTS), text(256), choice("aboveEditor", "belowEditor")] },
  /** Shows an editor in the place of the agent's. */
  "ui.edit": { args: [screen] },
  /** What the agent itself would suggest: the number of the hook's editor, or 0 for a completer; lines, row, column, force. */
  "ui.suggest": { args: [size, list(text(100_000), 10_000), size, size, flag], most: LARGE_REQUEST },
  send: { args: [anyText], more: [list(anything, 20)] },
  "send.user": { args: [anyText, object({}, { deliverAs: choice("steer", "followUp"), expandPromptTemplates: flag })] },
  "send.message": {
    args: [
      object({ customType: text(64), content: anything }, { display: flag, details: anything }),
      object({}, { triggerTurn: flag, deliverAs: choice("steer", "followUp", "nextTurn") }),
    ],
  },
  "bus.listen": { args: [channel] },
  "bus.emit": { args: [channel, anything], most: MAX_BUS_MESSAGE },
  /** Answers with the number of an agent of the hook's own. `own`: tools that run in the isolate. */
  "agents.create": {
    args: [
      object(
        {
          tools: list(toolName, 64),
          own: list(
            object({ name: text(64, 1), label: text(200), description: text(20_000), parameters: anything }, {}),
            64,
          ),
        },
        {
          model: modelName,
          thinkingLevel: text(64),
          systemPrompt: agentText,
          appendSystemPrompt: list(agentText, 20),
          files: list(object({ path, content: agentText }, {}), 50),
          skills: list(object({ name: text(200), description: text(4000), filePath: path }, { hidden: flag }), 200),
          compacts: flag,
        },
      ),
    ],
    most: LARGE_REQUEST,
  },
  /** A part of its conversation: as it is sent to the model, or as its session keeps it. Whether the part is the first. */
  "agents.messages": { args: [count, choice("state", "session"), list(anything, 100), flag], most: LARGE_REQUEST },
  /** Its conversation as it is now, from this message on. */
  "agents.conversation": { args: [count, size] },
  "agents.change": {
    args: [count, object({}, { model: modelName, thinkingLevel: text(64), tools: list(toolName, 64), compacts: flag })],
  },
  /** Answers when the agent is done, with how many events there were by then. */
  "agents.prompt": {
    args: [count, text(MAX_AGENT_PROMPT, 1), object({}, { deliverAs: choice("steer", "followUp"), images })],
  },
  /** What happened since, as soon as something did. */
  "agents.read": { args: [count] },
  /** Resolves when it is idle. */
  "agents.abort": { args: [count] },
  "agents.end": { args: [count] },
  /** A part of the result of a tool of its own. */
  "agents.update": { args: [object({ content: list(anything, 100) }, { details: anything })] },
  /** The name of a provider, and its configuration in the shape of pi's, whose functions stay in the isolate. */
  "providers.register": { args: [text(64, 1), openObject({}, {})], most: MAX_PROVIDER },
  "providers.unregister": { args: [text(64, 1)] },
  /** A model that a hook chooses another one for, at each request. */
  "providers.registerVirtual": {
    args: [
      object(
        { provider: text(64, 1), id: text(200, 1), name: text(200, 1) },
        {
          thinkingLevels: list(choice(...THINKING_LEVELS), THINKING_LEVELS.length),
          contextWindow: size,
          maxTokens: size,
          input: list(choice("text", "image"), 2),
        },
      ),
    ],
  },
  "providers.unregisterVirtual": { args: [text(64, 1), text(200, 1)] },
  /** The next parts of an answer, as JSON of a list of `AnswerPart`. */
  "providers.answer": { args: [data] },
  /** What a request's or a sign-in's functions are called with, as JSON. Answers with JSON, or null for nothing. */
  "providers.tell": { args: [choice(...STREAM_NOTES, ...LOGIN_STEPS), data] },
  /** Runs a tool of the agent's, for a tool of the hook's that runs: its name and its arguments. */
  "calls.run": { args: [toolName, anything], most: LARGE_REQUEST },
  "tools.update": { args: [object({ content: list(anything, 100) }, { details: anything })] },
  "session.read": { args: [text(64)], blocking: "only" },
  "session.query": { args: [choice(...SESSION_TEXTS, ...SESSION_FACTS), list(text(256), 1), size], blocking: "only" },
  "agent.read": { args: [choice(...AGENT_READS)], blocking: "only" },
  "agent.state": { args: [], blocking: "only" },
  "agent.act": { args: [choice(...AGENT_ACTS), list(anything, 3)] },
  "model.resolveApiKey": { args: [openObject({ provider: text(64) }, {})] },
  "model.complete": {
    args: [openObject({ provider: text(64, 1) }, { id: text(256) }), openObject({}, {}), openObject({}, {})],
  },
  "model.find": { args: [text(64), text(256)], blocking: "only" },
  "env.get": { args: [text(128)], blocking: "only" },
  "env.names": { args: [], blocking: "only" },
  "fs.read": { args: [path, encoding], more: [size, size], blocking: "also" },
  "fs.write": { args: [path, encoding, data, flag, mode], blocking: "also" },
  "fs.append": { args: [path, encoding, data, mode], blocking: "also" },
  "fs.stat": { args: [path], blocking: "also" },
  "fs.lstat": { args: [path], blocking: "also" },
  "fs.writable": { args: [path], blocking: "also" },
  "fs.look": { args: [path], blocking: "also" },
  "fs.changed": { args: [path, data] },
  "fs.realpath": { args: [path], blocking: "also" },
  "fs.readdir": { args: [path, flag], blocking: "also" },
  "fs.mkdir": { args: [path, flag, mode], blocking: "also" },
  "fs.mkdtemp": { args: [path], blocking: "also" },
  "fs.chmod": { args: [path, mode], blocking: "also" },
  /** In milliseconds. */
  "fs.utimes": { args: [path, size, size], blocking: "also" },
  "fs.rmdir": { args: [path], blocking: "also" },
  "fs.unlink": { args: [path], blocking: "also" },
  "fs.rm": { args: [path, flag, flag], blocking: "also" },
  "fs.rename": { args: [path, path], blocking: "also" },
  "fs.readlink": { args: [path], blocking: "also" },
  /** A link, and the text that it has. */
  "fs.symlink": { args: [path, path], blocking: "also" },
  "fs.link": { args: [path, path], blocking: "also" },
  "fs.copy": { args: [path, path, flag], blocking: "also" },
  /** Answers with the database's number. `path` is `:memory:` for one that is no file. */
  "sqlite.open": {
    args: [path, object({ readOnly: flag, foreignKeys: flag, doubleQuoted: flag, timeout: size }, {})],
    blocking: "only",
  },
  "sqlite.close": { args: [count], blocking: "only" },
  "sqlite.exec": { args: [count, statement], blocking: "only" },
  "sqlite.prepare": { args: [count, statement], blocking: "only" },
  /** The last argument is a `Query` of `database.ts` as JSON, for the process of the database. */
  "sqlite.query": { args: [count, statement, data], blocking: "only" },
  /** The next rows of a cursor, or the end of it. */
  "sqlite.rows": { args: [count, count, choice("next", "drop")], blocking: "only" },
  /** `streams`: a body whose length nobody said is read part by part, with `net.read`. */
  "net.request": {
    args: [
      object(
        { method: anyText, url: anyText, headers, redirect: choice("follow", "manual", "error") },
        { body, bytes: flag, streams: flag },
      ),
    ],
  },
  /** The addresses of a host's name. */
  "net.resolve": { args: [text(255, 1), choice("lookup", "resolve4", "resolve6")] },
  "net.connect": { args: [text(255, 1), integer(1, 65_535)] },
  "net.websocket": { args: [text(16_384), object({ protocols: list(text(256, 1), 20), headers }, {})] },
  /** What came in over a connection, as soon as something did. */
  "net.read": { args: [count] },
  /** Parts of a stream, or messages: text in UTF-8, bytes in base64. Whether they are the last. */
  "net.write": { args: [count, list(tuple(encoding, text(1_500_000)), 500), flag] },
  "net.close": { args: [count, object({}, { code: integer(1000, 4999), reason: text(123) })] },
  "net.listen": { args: [anyText, integer(0, 65_535)] },
  "net.accept": { args: [count] },
  "net.respond": { args: [count, count, object({ status: number(), statusText: anyText, headers, body }, {})] },
  "net.unlisten": { args: [count] },
} as const satisfies Record<string, Operation>;

type Operations = typeof OPERATIONS;
export type OperationName = keyof Operations;
/** Those that can be asked for by a call that blocks. */
export type BlockingName = {
  [Name in OperationName]: Operations[Name] extends { blocking: string } ? Name : never;
}[OperationName];

/** The arguments of an operation. */
export type ArgumentsOf<Name extends OperationName> = Operations[Name] extends { args: infer Args; more: infer More }
  ? Optional<ValuesOf<Args>, ValuesOf<More>>
  : ValuesOf<Operations[Name]["args"]>;
type Optional<Args, More> = Args extends readonly unknown[]
  ? More extends readonly unknown[]
    ? readonly [...Args, ...Partial<More>]
    : never
  : never;

/** The layout of an overlay. */
export type OverlayLayout = NonNullable<ArgumentsOf<"ui.custom">[1]["layout"]>;
