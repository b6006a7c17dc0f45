import { expect } from "vitest";
import { startSession, type TestSession } from "../support/session.ts";

/** An attack of a hook on its realm, its answer or the bridge to the host. The hook and its neighbour judge the call. */
interface Deed {
  /** Body of a handler of tool calls, or of their results: `event`, `ctx`, `pi`, and what `PRELUDE` defines in scope. */
  body: string;
  /** The host's result for the event. */
  expected: unknown;
  /** The hook's log lines and messages, if they matter. */
  left?: { log?: unknown; sent?: unknown; told?: unknown };
}

/** One attack on prototypes, globals or the wire, and the closest harmless act, which works. */
export interface PrototypeAttack extends Deed {
  name: string;
  /** It handles a tool's result instead of a call. */
  at?: "result";
  /** The tool. This hook may only rewrite the input of `edit` and the result of `read`. */
  tool?: "edit";
  works: Deed;
}

/** The attacker's own decision, as it made it. */
export const HONEST = { block: true, hook: "attacker", reason: "honest" };
/** The attacker passed the call, or its answer does not count: its neighbour's block stands. */
export const JUDGED = { block: true, hook: "judge", reason: "judged" };
const failed = (code: string) => ({ block: true, hook: "attacker", reason: expect.stringContaining(code) });
export const BAD_RESULT = failed("BAD_RESULT");
export const CPU = failed("CPU_EXCEEDED");
export const blocks = (reason: unknown) => ({ block: true, hook: "attacker", reason });

/** For every body: the bridge that modules use, and Comlink's endpoint, which a getter catches. */
const PRELUDE = `
const bridge = (globalThis as any)[Symbol.for("cordon.host")];
const honest = { block: true, reason: "honest" };
const onPrototype = (name: PropertyKey, value: unknown) =>
  Object.defineProperty(Object.prototype, name, { value, writable: true, configurable: true, enumerable: false });
const offPrototype = (name: PropertyKey) => Reflect.deleteProperty(Object.prototype, name);
const codeOf = (act: () => unknown) => { try { return act() ?? null; } catch (error: any) { return error.code ?? error.name; } };
const raw = (value: unknown) => ({ type: "RAW", value });
let wire: any;
/** One honest call goes out, whose number is given. */
async function catchWire(ctx: any) {
  Object.defineProperty(Object.prototype, "start", { configurable: true, get() { wire ??= this; return undefined; } });
  await ctx.ui.confirm("honest", "");
  offPrototype("start");
  return wire;
}
const apply = (head: unknown, changes: object = {}) =>
  ({ id: "forged", type: "APPLY", path: ["ui.confirm"], argumentList: [raw(head), raw("forged"), raw("")], ...changes });
`;

const GRANT = {
  capabilities: {
    events: { see: ["*"], block: true, rewriteInput: ["edit"], rewriteResult: ["read"] },
    ui: ["confirm" as const, "notify" as const],
  },
  limits: { cpuMs: 200 },
};

const JUDGE = `export default function (pi: any) {
  pi.on("tool_call", (event: any) => {
    const own = Reflect.ownKeys(Object.prototype).length + Reflect.ownKeys(Array.prototype).length;
    if (own !== KEYS || ({} as any).polluted !== undefined) return { block: true, reason: "its realm was changed" };
    if (event.toolName === "edit") console.log("SAW " + JSON.stringify(event.input));
    else if (!event.input.fine) return { block: true, reason: "judged" };
  });
}
const KEYS = Reflect.ownKeys(Object.prototype).length + Reflect.ownKeys(Array.prototype).length;
`;

/** All properties of the host's own prototypes and namespaces. */
function fingerprint(): Map<string, unknown> {
  const holders: Record<string, object> = {
    Object: Object.prototype,
    Array: Array.prototype,
    String: String.prototype,
    Number: Number.prototype,
    Function: Function.prototype,
    Promise: Promise.prototype,
    Map: Map.prototype,
    Set: Set.prototype,
    RegExp: RegExp.prototype,
    Error: Error.prototype,
    Buffer: Buffer.prototype,
    JSON,
    Reflect,
    Error_: Error,
    globalThis,
    env: process.env,
  };
  const found = new Map<string, unknown>();
  for (const [name, holder] of Object.entries(holders)) {
    for (const key of Reflect.ownKeys(holder)) {
      const { value, get, set } = Object.getOwnPropertyDescriptor(holder, key) as PropertyDescriptor;
      found.set(`${name} ${String(key)}`, (get ?? set) ? `${get} ${set}` : value);
    }
  }
  return found;
}

/** A dialog that says "held" stays open: its call gets no answer while other calls are made. */
const answerOnce = (title: string): Promise<boolean> =>
  title.endsWith("held") ? new Promise(() => {}) : Promise.resolve(true);

const bodyName = (name: string, which: "attack" | "works"): string => `${name}: ${which}`;

/** A hook with all attacks, each of which starts in a new realm. */
function attackerOf(attacks: readonly PrototypeAttack[]): string {
  const deeds = attacks.flatMap(({ name, body, works }) => [
    [bodyName(name, "attack"), body],
    [bodyName(name, "works"), works.body],
  ]);
  const bodies = deeds.map(
    ([name, body]) =>
      `  ${JSON.stringify(name)}: async (event: any, ctx: any, pi: any): Promise<any> => {\n${body}\n  },`,
  );
  const handler = `(event: any, ctx: any) => deeds[event.input.deed]?.(event, ctx, pi)`;
  return `${PRELUDE}\nconst deeds: Record<string, any> = {\n${bodies.join("\n")}\n};
export default function (pi: any) {\n  pi.on("tool_call", ${handler});\n  pi.on("tool_result", ${handler});\n}\n`;
}

async function ask({ host }: TestSession, { at, tool }: PrototypeAttack, deed: string): Promise<unknown> {
  const event = { toolName: tool ?? (at === "result" ? "read" : "bash"), toolCallId: "1", input: { deed } };
  return at === "result"
    ? host.emit({ type: "tool_result", ...event, content: [{ type: "text", text: "the content" }], isError: false })
    : host.emitToolCall({ type: "tool_call", ...event });
}

/**
 * Tries each attack in a new realm: the host's own prototypes do not change, the neighbour in the same
 * process judges as before, and the call is blocked or judged honestly.
 */
export async function attemptAll(
  attacks: readonly PrototypeAttack[],
  grant: object = GRANT,
  options: Parameters<typeof startSession>[1] = {},
): Promise<void> {
  const sent: unknown[][] = [];
  const ui = { select: async () => null, confirm: answerOnce, input: async () => null, notify: () => {} };
  const session = await startSession(
    { attacker: { source: attackerOf(attacks), grant }, judge: JUDGE },
    { ui, hookTimeout: 5000, onSend: (...message) => sent.push(message), ...options },
  );
  const { host, log, errors } = session;
  expect(host.hooks.map(({ state }) => state)).toEqual(["active", "active"]);
  const before = fingerprint();
  for (const attack of attacks) {
    for (const which of ["attack", "works"] as const) {
      const name = bodyName(attack.name, which);
      const { expected, left = {} } = which === "attack" ? attack : attack.works;
      for (const list of [log, errors, sent]) list.length = 0;
      const answer = await ask(session, attack, name);
      expect.soft(answer, name).toEqual(expected);
      if (left.log !== undefined)
        expect
          .soft(
            log.map(({ text }) => text),
            name,
          )
          .toEqual(left.log);
      if (left.told !== undefined)
        expect
          .soft(
            errors.map(({ error }) => error),
            name,
          )
          .toEqual(left.told);
      if (left.sent !== undefined) expect.soft(sent, name).toEqual(left.sent);
      // The input that was judged last is the one that runs.
      if (answer && typeof answer === "object" && "input" in answer)
        expect.soft(log.map(({ text }) => text).at(-1), name).toBe(`SAW ${JSON.stringify(answer.input)}`);
      const after = fingerprint();
      for (const [key, value] of after)
        if (!Object.is(before.get(key), value)) expect.soft(key, name).toBe("as it was");
      expect.soft(after.size, name).toBe(before.size);
      await host.reload("attacker");
      expect.soft(await session.call({ fine: true }), `${name}: afterwards`).toBeUndefined();
      expect.soft(await session.call({}), `${name}: afterwards`).toEqual(JUDGED);
    }
  }
}
