import { expect } from "vitest";
import { BAD_RESULT, blocks, HONEST, type PrototypeAttack } from "./prototype-attack.ts";

/** A hook with powers, whose requests reach code outside of Cordon. */
export const POWERS = {
  capabilities: {
    events: { see: ["*"], block: true },
    ui: ["confirm" as const],
    exec: [{ program: "echo", args: [{ kind: "text" as const }] }],
    env: ["__*", "constructor", "CORDON_TEST_*"],
    send: { perMinute: 600 },
    model: ["acme"],
  },
  limits: { cpuMs: 200 },
};

/** A model that returns its arguments, as an agent's own code would see them. */
export const MODEL = {
  resolveApiKey: async (model: unknown): Promise<string> => seen(model),
  complete: async (model: object, context: object): Promise<string> => `${seen(model)} ${seen(context)}`,
};

/** Own keys, whether it is an ordinary object, and a property that a careless copy of it inherits. */
function seen(value: unknown): string {
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(value as object)) copy[key] = (value as Record<string, unknown>)[key];
  const ordinary = Object.getPrototypeOf(value) === Object.prototype;
  return `${Object.keys(value as object)
    .sort()
    .join()} ${ordinary ? "ordinary" : "bare"} ${String(copy.polluted)}`;
}

const told = (act: string) => `return { block: true, reason: JSON.stringify(await ${act}) };`;
const EVIL = `JSON.parse('{"provider":"acme","__proto__":{"polluted":1}}')`;
const messageOf = (text: string, attachments: unknown) => [
  [`Message from hook attacker (not from the user): ${text}`, attachments, { hook: "attacker", text }],
];
const sends = (text: string, attachments: string) =>
  `pi.send(${text}, ${attachments}); await ctx.ui.confirm("a", ""); return honest;`;

export const powers: PrototypeAttack[] = [
  {
    name: "a __proto__ in a message's attachments",
    body: sends('"a"', `[JSON.parse('{"__proto__":{"polluted":1},"type":"text","text":"x"}')]`),
    expected: HONEST,
    left: { sent: messageOf("a", [{ type: "text", text: "x" }]) },
    works: {
      body: sends('"a"', '[{ type: "text", text: "x" }]'),
      expected: HONEST,
      left: { sent: messageOf("a", [{ type: "text", text: "x" }]) },
    },
  },
  {
    name: "an escape sequence in a message's attachments",
    body: sends('"a"', '[{ type: "text", text: "x\\u001b[2J\\u202e" }]'),
    expected: HONEST,
    left: { sent: messageOf("a", [{ type: "text", text: "x" }]) },
    works: {
      body: sends('"a"', '[{ type: "text", text: "x[2J" }]'),
      expected: HONEST,
      left: { sent: messageOf("a", [{ type: "text", text: "x[2J" }]) },
    },
  },
  {
    name: "a __proto__ in the model of a requested key",
    body: told(`bridge.call("model.resolveApiKey", [${EVIL}])`),
    expected: blocks('"provider ordinary undefined"'),
    works: {
      body: told('bridge.call("model.resolveApiKey", [{ provider: "acme" }])'),
      expected: blocks(expect.stringMatching(/^"provider (ordinary|bare) undefined"$/)),
    },
  },
  {
    name: "a __proto__ in the model of a request",
    body: told(`bridge.call("model.complete", [${EVIL}, JSON.parse('{"__proto__":{"polluted":1}}'), {}])`),
    expected: blocks('"provider ordinary undefined  ordinary undefined"'),
    works: {
      body: told('bridge.call("model.complete", [{ provider: "acme" }, {}, {}])'),
      expected: blocks('"provider ordinary undefined  ordinary undefined"'),
    },
  },
  {
    name: "variables with the names of Object.prototype's properties",
    body: told('["__proto__", "constructor", "__defineGetter__"].map((name) => bridge.sync("env.get", [name]))'),
    expected: blocks("[null,null,null]"),
    works: { body: told('bridge.sync("env.get", ["CORDON_TEST_UNSET"])'), expected: blocks("null") },
  },
  {
    name: "exec options with a prototype of their own",
    body: told(`ctx.exec("echo", ["a"], JSON.parse('{"__proto__":{"timeout":1},"env":{"A":"1"},"shell":true}'))`),
    expected: blocks(expect.stringContaining('"stdout":"a\\n"')),
    works: {
      body: told('ctx.exec("echo", ["a"], { timeout: 60_000 })'),
      expected: blocks(expect.stringContaining('"stdout":"a\\n"')),
    },
  },
  {
    name: "exec options with a timeout that changes with each read",
    body: told('ctx.exec("echo", ["a"], { get timeout() { return { valueOf: () => "__proto__" }; } })'),
    expected: blocks(expect.stringContaining('"stdout":"a\\n"')),
    works: {
      body: told('ctx.exec("echo", ["a"], { get timeout() { return "60000"; } })'),
      expected: blocks(expect.stringContaining('"stdout":"a\\n"')),
    },
  },
  {
    name: "an environment for a program, inherited by every object",
    body: `onPrototype("toJSON", function (this: any) { return this && "timeout" in this ? Object.assign(Object.create(null), { env: Object.create(null) }) : this; }); ${told('ctx.exec("echo", ["a"], { timeout: 1000 })')}`,
    expected: BAD_RESULT,
    works: {
      body: `onPrototype("env", { LD_PRELOAD: "x" }); onPrototype("cwd", "/"); onPrototype("shell", true); ${told('ctx.exec("echo", ["a"])')}`,
      expected: blocks(expect.stringContaining('"stdout":"a\\n"')),
    },
  },
];
