import type { ErrorCode } from "../../src/base/errors.ts";
import type { Attack } from "./attack.ts";
import { anyWords, BOMB } from "./attacks.ts";

const THREW = ["HOOK_THREW"] as const;

const thrown = (name: string, body: string, reason: RegExp, codes: readonly ErrorCode[] = THREW): Attack => ({
  name,
  body,
  reason,
  codes,
});

/** Reasons are pi's: an Error's own message, otherwise `Hook failed, blocking execution: <text>`. */
export const throws: readonly Attack[] = [
  thrown("a thrown Error", 'throw new Error("went wrong");', /^went wrong$/),
  thrown("a rejected promise", 'await Promise.reject(new Error("went wrong"));', /^went wrong$/),
  thrown(
    "an error in a callback that is awaited",
    'await new Promise((_, no) => setTimeout(() => no(new Error("went wrong")), 1));',
    /^went wrong$/,
  ),
  thrown("a thrown text", 'throw "went wrong";', /^Hook failed, blocking execution: went wrong$/),
  thrown("a thrown number", "throw 42;", /^Hook failed, blocking execution: 42$/),
  thrown("a thrown null", "throw null;", /^Hook failed, blocking execution: null$/),
  thrown("a thrown undefined", "throw undefined;", /^Hook failed, blocking execution: undefined$/),
  thrown("a thrown symbol", 'throw Symbol("went wrong");', /^Hook failed, blocking execution: Symbol\(went wrong\)$/),
  thrown("a thrown BigInt", "throw 10n;", /^Hook failed, blocking execution: 10$/),
  thrown("a thrown function", "throw () => 1;", /^Hook failed, blocking execution: /),
  thrown("a thrown object without a prototype", "throw Object.create(null);", /^Hook failed, blocking execution: /),
  thrown(
    "a thrown proxy whose every trap throws",
    "throw new Proxy({}, { get() { throw 1; }, getPrototypeOf() { throw 2; }, has() { throw 3; } });",
    /^Hook failed, blocking execution: /,
  ),
  thrown(
    "a thrown object with throwing getters",
    "throw { get message() { throw 1; }, get stack() { throw 2; }, toString() { throw 3; } };",
    /^Hook failed, blocking execution: /,
  ),
  thrown(
    "a thrown Error with a throwing message",
    'const error = new Error("x"); Object.defineProperty(error, "message", { get() { throw error; } }); throw error;',
    /^Hook failed, blocking execution: /,
  ),
  thrown("a thrown frozen Error", 'throw Object.freeze(new TypeError("went wrong"));', /^went wrong$/),
  thrown("a thrown Error without a message", "throw new Error();", /./s),
  thrown(
    "a thrown revoked proxy",
    "const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); throw proxy;",
    /^Hook failed, blocking execution: /,
  ),
  thrown(
    "a thrown Error that claims a code of Cordon's",
    'throw Object.assign(new Error("went wrong"), { code: "OUT_OF_MEMORY" });',
    /^went wrong$/,
  ),
  thrown("an error of a million characters", 'throw new Error("x".repeat(1_000_000));', /^x{1900,2000}…?$/),
  thrown("an error with control characters", 'throw new Error("\\u001b[2Jgone\\u202e");', /^gone$/),
];

const misshapen = (name: string, body: string, stages: Attack["stages"] = ["tool_call"]): Attack => ({
  name,
  body,
  codes: ["BAD_RESULT"],
  stages,
});

export const shapes: readonly Attack[] = [
  misshapen("a number as result", "return 5;", ["tool_call", "tool_result"]),
  misshapen("a text as result", 'return "block";', ["tool_call", "tool_result"]),
  misshapen("true as result", "return true;", ["tool_call", "tool_result"]),
  misshapen("an array as result", "return [{ block: true }];", ["tool_call", "tool_result"]),
  misshapen("a function as result", "return () => ({ block: true });", ["tool_call", "tool_result"]),
  misshapen("a symbol as result", 'return Symbol("block");', ["tool_call", "tool_result"]),
  misshapen("a Map as result", 'return new Map([["block", true], ["content", true]]);', ["tool_call", "tool_result"]),
  misshapen("a misspelt result", "return { blocked: true };", ["tool_call", "tool_result"]),
  misshapen("a reason that is no text", "return { block: true, reason: { toString: () => 1 } };"),
  misshapen("a reason that is a number", "return { reason: 5 };"),
  misshapen("an input that became a number", "event.input = 5;"),
  misshapen("an input that became an array", "event.input = [];"),
  misshapen("an input that is gone", "delete event.input;"),
  {
    name: "an input with a BigInt in it",
    body: "event.input.big = 10n;",
    codes: ["BAD_RESULT", "HOOK_THREW"],
    stages: ["tool_call"],
    reason: anyWords,
  },
  {
    name: "an input that refers to itself",
    body: "event.input.self = event.input;",
    codes: ["BAD_RESULT", "HOOK_THREW"],
    stages: ["tool_call"],
    reason: anyWords,
  },
  misshapen("content that is a text", 'return { content: "secret" };', ["tool_result"]),
  misshapen("content of the wrong kind", 'return { content: [{ type: "video" }] };', ["tool_result"]),
  misshapen("content with a text that is none", 'return { content: [{ type: "text", text: 5 }] };', ["tool_result"]),
  misshapen("an isError that is a text", 'return { isError: "no" };', ["tool_result"]),
  {
    name: "a result that refers to itself",
    body: "const details: any = {}; details.self = details; return { details };",
    codes: ["BAD_RESULT", "HOOK_THREW"],
    stages: ["tool_result"],
  },
  {
    name: "a result with 100,000 levels",
    body: "let deep: any = 1; for (let at = 0; at < 100_000; at++) deep = [deep]; return { details: deep, reason: deep };",
    codes: ["BAD_RESULT", "HOOK_THREW"],
    stages: ["tool_call", "tool_result"],
    reason: anyWords,
  },
  misshapen(
    "a result nested 70 deep",
    "let deep: any = 1; for (let at = 0; at < 70; at++) deep = [deep]; return { details: deep };",
    ["tool_result"],
  ),
  misshapen("a result of 250,000 members", "return { details: Array(250_000).fill(0) };", ["tool_result"]),
  misshapen(
    "an input nested 70 deep",
    "let deep: any = 1; for (let at = 0; at < 70; at++) deep = [deep]; event.input.deep = deep;",
    ["tool_call"],
  ),
  {
    name: "a result of 100 MB",
    body: 'return { block: true, reason: "x".repeat(1e8), content: [{ type: "text", text: "x".repeat(1e8) }] };',
    codes: ["BAD_RESULT", ...BOMB],
    stages: ["tool_call", "tool_result"],
    reason: anyWords,
  },
  {
    name: "a result of 3 million characters",
    body: 'return { block: true, reason: "x".repeat(3e6), content: [{ type: "text", text: "x".repeat(3e6) }] };',
    codes: ["BAD_RESULT"],
    stages: ["tool_call", "tool_result"],
  },
  {
    name: "an input that grows to 100 MB",
    body: 'event.input.more = "x".repeat(1e8);',
    codes: ["BAD_RESULT", ...BOMB],
    stages: ["tool_call"],
    reason: anyWords,
  },
];
