import type { Forged } from "../support/fake-sandbox.ts";

export interface ForgeryCase {
  name: string;
  frames: readonly Forged[];
}

const message = (value: unknown): Forged => ({
  kind: "message",
  text: typeof value === "string" ? value : JSON.stringify(value),
});
const verdict = (body: string, kind = "r"): Forged => ({ kind: "verdict", text: `0${kind}$RUN:${body}` });
const raw = (value: unknown) => ({ type: "RAW", value });
const head = raw({ call: 1, dispatch: 1 });
const apply = (changes: object) =>
  message({
    t: "call",
    apply: { id: "1", type: "APPLY", path: ["ui.confirm"], argumentList: [head, raw("a"), raw("b")], ...changes },
  });
const call = (path: readonly string[]) => apply({ path });
const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;

/** Frames that no honest sandbox process sends. Each one alone must end the process. */
export const invalid: readonly ForgeryCase[] = [
  { name: "a frame one byte over the limit", frames: [{ kind: "message", text: "", length: 8 * 1024 * 1024 + 6 }] },
  { name: "a frame of 4 GB", frames: [{ kind: "message", text: "", length: 0xffffffff }] },
  { name: "a frame shorter than its header", frames: [{ kind: "message", text: "", length: 4 }] },
  { name: "a frame of length zero", frames: [{ kind: "message", text: "", length: 0 }] },
  { name: "a frame of an unknown kind", frames: [{ kind: 0, text: "" }] },
  { name: "a frame of a kind that the host sends", frames: [{ kind: 0x52, text: "1\n{}" }] },
  { name: "a message that is not JSON", frames: [message("{")] },
  { name: "a message that is an array", frames: [message("[]")] },
  { name: "a message that is null", frames: [message("null")] },
  { name: "a message of an unknown type", frames: [message({ t: "eval", text: "1" })] },
  { name: "a message whose type is __proto__", frames: [message({ t: "__proto__" })] },
  { name: "a message with an unknown key", frames: [message({ t: "log", level: "info", text: "x", more: 1 })] },
  {
    name: "a message with a __proto__ of its own",
    frames: [message('{"t":"log","level":"info","text":"x","__proto__":{"polluted":1}}')],
  },
  {
    name: "a message that is nested too deeply",
    frames: [message(`{"t":"log","level":"info","text":${nested(100)}}`)],
  },
  { name: "an unknown change of a component", frames: [message({ t: "screen", screen: 1, change: "grown" })] },
  { name: "a component without a number", frames: [message({ t: "screen", screen: "1", change: "stale" })] },
  { name: "a component with a negative number", frames: [message({ t: "screen", screen: -1, change: "stale" })] },
  { name: "a log line of an unknown level", frames: [message({ t: "log", level: "fatal", text: "x" })] },
  { name: "a log line that is too long", frames: [message({ t: "log", level: "info", text: "x".repeat(16_001) })] },
  {
    name: "a dialog of two million characters",
    frames: [apply({ argumentList: [head, raw("x".repeat(2e6)), raw("")] })],
  },
  { name: "two million characters of no known kind", frames: [message(`{"x":"${"x".repeat(2e6)}"}`)] },
  {
    name: "a large call of an unknown operation",
    frames: [apply({ path: ["fs.format"], argumentList: [head, raw("x".repeat(2e6))] })],
  },
  {
    name: "a large call, repeated after it was refused",
    frames: [1, 2].map(() => apply({ path: ["fs.write"], argumentList: [head, raw("x".repeat(2e6))] })),
  },
  {
    name: "a large call whose head comes after its arguments",
    frames: [message(`{"apply":{"argumentList":[{"type":"RAW","value":"${"x".repeat(2e6)}"}]},"t":"call"}`)],
  },
  { name: "a bundle that loads twice", frames: [message({ t: "loaded", events: {} })] },
  { name: "a bundle that fails after it loaded", frames: [message({ t: "failed", error: { message: "x" } })] },
  { name: "101 handlers of one event", frames: [message({ t: "events", events: { tool_call: 101 } })] },
  { name: "a negative number of handlers", frames: [message({ t: "events", events: { tool_call: -1 } })] },
  { name: "Comlink's GET", frames: [message({ t: "call", apply: { id: "1", type: "GET", path: ["ui.confirm"] } })] },
  {
    name: "Comlink's SET through __proto__",
    frames: [message({ t: "call", apply: { id: "1", type: "SET", path: ["__proto__", "polluted"], value: raw(1) } })],
  },
  {
    name: "Comlink's CONSTRUCT",
    frames: [apply({ type: "CONSTRUCT", path: ["constructor", "constructor"], argumentList: [raw("return process")] })],
  },
  { name: "Comlink's CONSTRUCT on a known name", frames: [apply({ type: "CONSTRUCT" })] },
  { name: "Comlink's ENDPOINT", frames: [message({ t: "call", apply: { id: "1", type: "ENDPOINT" } })] },
  { name: "Comlink's RELEASE", frames: [message({ t: "call", apply: { id: "1", type: "RELEASE" } })] },
  {
    name: "an argument for Comlink's transfer handlers",
    frames: [
      apply({
        argumentList: [head, { type: "HANDLER", name: "throw", value: { isError: true, value: {} } }, raw("b")],
      }),
    ],
  },
  { name: "an empty path", frames: [call([])] },
  { name: "a path of two names", frames: [call(["ui", "confirm"])] },
  { name: "a path of a known and an unknown name", frames: [call(["ui.confirm", "constructor"])] },
  ...["__proto__", "constructor", "toString", "hasOwnProperty", "get", "ui", "eval", "", "session.read"].map(
    (name) => ({ name: `a call of ${JSON.stringify(name)}`, frames: [call([name])] }),
  ),
  { name: "a call without a head", frames: [apply({ argumentList: [raw("a"), raw("b")] })] },
  {
    name: "a call whose head has an unknown key",
    frames: [apply({ argumentList: [raw({ call: 1, dispatch: 1, grant: "*" }), raw("a"), raw("b")] })],
  },
  {
    name: "a call with a negative number",
    frames: [apply({ argumentList: [raw({ call: -1, dispatch: 1 }), raw("a"), raw("b")] })],
  },
  {
    name: "a call with a number that is too large",
    frames: [apply({ argumentList: [raw({ call: 2 ** 53, dispatch: 1 }), raw("a"), raw("b")] })],
  },
  {
    name: "an argument for a transfer handler",
    frames: [apply({ argumentList: [head, { type: "HANDLER", name: "throw", value: {} }, raw("b")] })],
  },
  { name: "a call with too few arguments", frames: [apply({ argumentList: [head, raw("a")] })] },
  { name: "a call with too many arguments", frames: [apply({ argumentList: [head, raw("a"), raw("b"), raw("c")] })] },
  {
    name: "a call with an argument of a wrong type",
    frames: [apply({ argumentList: [head, raw("a"), raw({ toString: "b" })] })],
  },
  { name: "a call with an id of 101 characters", frames: [apply({ id: "x".repeat(101) })] },
  { name: "a call with an id that is not a string", frames: [apply({ id: 1 })] },
  {
    name: "two open calls with the same id",
    frames: [apply({}), apply({ argumentList: [raw({ call: 2, dispatch: 1 }), raw("a"), raw("b")] })],
  },
  { name: "two open calls with the same number", frames: [apply({}), apply({ id: "2" })] },
  { name: "a flood of messages", frames: [{ ...message({ t: "abort", call: 1 }), times: 20_000 }] },
  { name: "a flood of pongs", frames: [{ kind: "pong", text: "", times: 20_000 }] },
  { name: "a flood of ready frames", frames: [{ kind: "ready", text: "", number: 0, times: 20_000 }] },
  { name: "a pong without a ping", frames: [{ kind: "pong", text: "", number: 4242 }] },
  { name: "a verdict for another run", frames: [{ kind: "verdict", text: "0p4242:" }] },
  { name: "a verdict for no run", frames: [{ kind: "verdict", text: "0p0:" }] },
  { name: "a verdict for a run that is not a number", frames: [{ kind: "verdict", text: "0p__proto__:" }] },
  { name: "a verdict without a run", frames: [{ kind: "verdict", text: "{}" }] },
  { name: "an empty verdict", frames: [{ kind: "verdict", text: "" }] },
  { name: "passes of another run", frames: [{ kind: "passed", text: "4242" }] },
  { name: "passes of no run", frames: [{ kind: "passed", text: "0" }] },
  { name: "passes of a run that is not a number", frames: [{ kind: "passed", text: "__proto__" }] },
  { name: "passes without a run", frames: [{ kind: "passed", text: "" }] },
  { name: "passes in the words of a verdict", frames: [{ kind: "passed", text: "0p$RUN:" }] },
  { name: "a flood of passes of no run", frames: [{ kind: "passed", text: "0", times: 20_000 }] },
  { name: "a verdict without a result", frames: [verdict("{}")] },
  { name: "a failed verdict without a list of errors", frames: [verdict("{}", "f")] },
  { name: "a failed verdict with an empty list of errors", frames: [verdict('{"errors":[]}', "f")] },
  { name: "a failed verdict with a result and no error", frames: [verdict('{"result":{}}', "f")] },
  {
    name: "a verdict with both a result and an error",
    frames: [verdict('{"result":{},"errors":[{"message":"x"}]}')],
  },
  { name: "a passed verdict with a result", frames: [verdict('{"result":{}}', "p")] },
  { name: "a verdict without a kind", frames: [verdict("", "")] },
  { name: "a verdict of an unknown kind", frames: [verdict("", "P")] },
  { name: "a verdict that is not JSON", frames: [verdict("pass")] },
  { name: "a verdict that is null", frames: [verdict("null")] },
  { name: "a verdict that is an array", frames: [verdict("[]")] },
  { name: "a verdict with an unknown key", frames: [verdict('{"pass":true}')] },
  { name: "a verdict with a __proto__ of its own", frames: [verdict('{"__proto__":{"block":false,"polluted":1}}')] },
  { name: "a verdict whose input is an array", frames: [verdict('{"input":[]}')] },
  { name: "a verdict whose input is a string", frames: [verdict('{"input":"ls"}')] },
  { name: "a verdict for a tool that is not a string", frames: [verdict('{"tool":7}')] },
  { name: "a verdict for a tool with an empty name", frames: [verdict('{"tool":""}')] },
  { name: "a verdict for a tool with a name of 129 characters", frames: [verdict(`{"tool":"${"x".repeat(129)}"}`)] },
  { name: "a verdict with an invalid error", frames: [verdict('{"errors":["x"]}', "f")] },
  {
    name: "a verdict with 101 errors",
    frames: [verdict(JSON.stringify({ errors: Array(101).fill({ message: "x" }) }), "f")],
  },
  { name: "a verdict that is nested too deeply", frames: [verdict(`{"result":${nested(64)}}`)] },
  { name: "a verdict with too many values", frames: [verdict(`{"result":[${"0,".repeat(200_000)}0]}`)] },
  { name: "a synchronous call that is not JSON", frames: [{ kind: "sync", text: "?" }] },
  {
    name: "a synchronous call of an unknown operation",
    frames: [{ kind: "sync", text: '{"op":"nothing","dispatch":1,"args":[]}' }],
  },
  {
    name: "a synchronous call of an operation that does not block",
    frames: [{ kind: "sync", text: '{"op":"ui.confirm","dispatch":1,"args":["a","b"]}' }],
  },
  {
    name: "a synchronous call with an unknown key",
    frames: [{ kind: "sync", text: '{"op":"session.read","dispatch":1,"args":["entries"],"path":"/"}' }],
  },
  {
    name: "two synchronous calls at once",
    // A slow host may answer the first ones in between.
    frames: [{ kind: "sync", text: '{"op":"session.read","dispatch":1,"args":["entries"]}', times: 20 }],
  },
  { name: "a branch that nobody counts", frames: [message({ t: "reached", branch: 0 })] },
  { name: "a branch that is no number", frames: [message({ t: "reached", branch: "0" })] },
  { name: "a priority that nobody asked for", frames: [{ kind: "priority", text: '4242:{"priority":1}' }] },
  ...[1, 2, 3].map(
    (query): ForgeryCase => ({
      name: `a priority in answer to task ${query}, which is another`,
      frames: [{ kind: "priority", text: `${query}:{"priority":1}` }],
    }),
  ),
  { name: "a fault of an unknown kind", frames: [{ kind: "fault", text: "nothing" }] },
];

/** Results that are valid on the wire but for no event. The host must not accept them, and must not break. */
export const misshapen: readonly string[] = [
  "null",
  "5",
  '"text"',
  "[]",
  '{"evil":1}',
  '{"__proto__":{"polluted":1}}',
  '{"constructor":{"prototype":{"polluted":1}}}',
  '{"block":{}}',
  '{"content":5}',
  '{"content":[null]}',
  '{"isError":"x"}',
  '{"cancel":"x"}',
  '{"compactionEntry":5}',
];
