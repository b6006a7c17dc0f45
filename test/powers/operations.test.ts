import { join } from "node:path";
import { pathToFileURL } from "node:url";
import fc from "fast-check";
import { Compile } from "typebox/compile";
import { describe, expect, onTestFinished, test } from "vitest";
import { OPERATIONS, type Operation } from "../../sandbox/wire/operations.ts";
import type { Shape } from "../../sandbox/wire/shapes.ts";
import { PACKAGE_ROOT } from "../../src/base/package-root.ts";
import { CAPABILITIES } from "../../src/powers/index.ts";
import { requestSchema } from "../../src/powers/request-schema.ts";
import { onToolCall, scriptedUi, startSession } from "../support/session.ts";
import { UNHURRIED } from "../support/unhurried.ts";

const OPERATION_LIST = Object.entries<Operation>(OPERATIONS);

/** Values of every kind, and texts and numbers on both sides of every limit. */
const VALUES: readonly unknown[] = [
  null,
  true,
  "",
  "utf8",
  0,
  -1,
  1.5,
  511,
  512,
  65_536,
  2 ** 53,
  1e300,
  [],
  [1],
  ["x", "y"],
  [["x", "y"]],
  Array(201).fill("x"),
  Array(1001).fill("x"),
  {},
  { timeout: -1 },
  { other: 1 },
  { provider: "x".repeat(65) },
  { provider: 5 },
  { provider: "x", id: 5 },
  ...[64, 128, 256, 4096, 1_000_000].map((most) => "x".repeat(most + 1)),
];

const example = (shape: Shape): unknown => {
  switch (shape.kind) {
    case "text":
      return "x".repeat(Math.max(1, shape.least));
    case "number":
    case "integer":
      return shape.least ?? 0;
    case "flag":
      return true;
    case "choice":
      return shape.of[0];
    case "list":
      return [];
    case "tuple":
      return shape.of.map(example);
    case "object":
      return Object.fromEntries(Object.entries(shape.members).map(([name, one]) => [name, example(one)]));
    case "anything":
      return 1;
  }
};

const right = ({ args, more = [] }: Operation): unknown[] => [...args, ...more].map(example);
const takes = (operation: Operation): ((args: unknown) => boolean) => {
  const compiled = Compile(requestSchema(operation));
  return (args) => compiled.Check(args);
};

/** Every wrong value for every argument, and too few and too many arguments. */
const wrongArguments = (operation: Operation): unknown[][] => {
  const usual = right(operation);
  const isTaken = takes(operation);
  const replaced = usual.flatMap((_one, at) => VALUES.map((value) => usual.with(at, value)));
  return [...replaced, usual.slice(1), [...usual, 1], [], [null]].filter((args) => !isTaken(args));
};

test("every operation has a capability, and every capability an operation", () => {
  expect([...CAPABILITIES.keys()].sort()).toEqual(Object.keys(OPERATIONS).sort());
});

test.each(OPERATION_LIST)("%s accepts valid arguments, and there are wrong arguments for it", (_name, operation) => {
  expect(takes(operation)(right(operation))).toBe(true);
  expect(wrongArguments(operation).length).toBeGreaterThan(0);
});

test("host and guest accept the same arguments", async () => {
  // The build makes it, and it has no types.
  const { checksOf } = await import(pathToFileURL(join(PACKAGE_ROOT, "sandbox", "operation-checks.mjs")).href);
  const source = `data:text/javascript,${encodeURIComponent(checksOf(OPERATIONS))}`;
  const { operationChecks } = await import(/* @vite-ignore */ source);
  const value = fc.oneof(fc.constantFrom(...VALUES), fc.jsonValue({ maxDepth: 2 }));
  for (const [name, operation] of OPERATION_LIST) {
    const isTaken = takes(operation);
    const usual = right(operation);
    const near = fc
      .tuple(fc.nat(usual.length), value)
      .map(([at, other]) => (at < usual.length ? usual.with(at, other) : [...usual, other]));
    const cut = fc.nat(usual.length).map((length) => usual.slice(0, length));
    fc.assert(
      fc.property(fc.oneof(near, cut, fc.array(value, { maxLength: 6 })), (args) => {
        const plain = JSON.parse(JSON.stringify(args));
        expect([name, plain, operationChecks()[name].check(plain) === undefined]).toEqual([
          name,
          plain,
          isTaken(plain),
        ]);
      }),
      { numRuns: 100 },
    );
  }
});

/** Makes direct requests, as any code of a hook may: records those that were not refused as a mistake. */
const ASKS = `
  const host = (globalThis as any)[Symbol.for("cordon.host")];
  const taken: string[] = [];
  // Long texts would not fit the event.
  const whole = (value: any): any => (typeof value?.repeat === "number" ? "x".repeat(value.repeat) : value);
  const ask = async (name: string, args: unknown[], isBlocking: boolean): Promise<void> => {
    try {
      const answer = isBlocking ? host.sync(name, args) : await host.call(name, args);
      taken.push(name + " answered " + JSON.stringify(answer));
    } catch (error: any) {
      if (!(error instanceof TypeError || error.message.includes(" takes at most "))) taken.push(name + ": " + error.code + " " + error.message.slice(0, 100));
    }
  };
  if (event.input.asks) {
    for (const [name, args, isBlocking] of event.input.asks) await ask(name, args.map(whole), isBlocking);
    return { block: true, reason: JSON.stringify(taken) };
  }
  return { block: true, reason: "judged" };`;

const short = (value: unknown): unknown =>
  typeof value === "string" && value.length > 1000 ? { repeat: value.length } : value;

/** Fewer than the requests that a hook may make in a second. */
const AT_ONCE = 200;

describe("a hook that makes requests with wrong arguments gets an error, and nothing is killed", () => {
  const asks = OPERATION_LIST.flatMap(([name, operation]) => {
    const { blocking } = operation;
    return [
      ...wrongArguments(operation).map((args) => [name, args.map(short), blocking !== undefined]),
      // In a way that the operation does not allow.
      ...(blocking === "also" ? [] : [[name, right(operation), blocking !== "only"]]),
    ];
  });
  const none = ["none", "", "__proto__", "constructor", "exec.x", "x".repeat(64)];
  asks.push(...none.flatMap((name) => [true, false].map((isBlocking) => [name, [], isBlocking])));

  /** What a hook of its own gets that makes these requests, beside mistakes. */
  const takenOf = async (mine: typeof asks): Promise<string[]> => {
    const session = await startSession(
      {
        asker: { source: onToolCall(ASKS), grant: { limits: UNHURRIED } },
        gate: onToolCall(`if (event.input.command) return { block: true, reason: "gate" };`),
      },
      { ui: scriptedUi() },
    );
    const taken: string[] = [];
    for (let from = 0; from < mine.length; from += AT_ONCE) {
      const verdict = await session.call({ asks: mine.slice(from, from + AT_ONCE) });
      if (!verdict || !("block" in verdict) || verdict.hook !== "asker") throw new Error(JSON.stringify(verdict));
      taken.push(...JSON.parse(verdict.reason));
      await new Promise((done) => setTimeout(done, 1000));
    }
    expect(await session.call("ls")).toMatchObject({ block: true, hook: "asker", reason: "judged" });
    expect(session.errors).toEqual([]);
    expect(session.audit.filter(({ event }) => event === "crash")).toEqual([]);
    return taken;
  };

  test(`${asks.length} of them`, { timeout: 180_000 }, async () => {
    const parts = [0, 1, 2, 3].map((part) => asks.filter((_ask, at) => at % 4 === part));
    expect((await Promise.all(parts.map(takenOf))).flat()).toEqual([]);
  });
});

describe("a hook without powers", () => {
  const asks = OPERATION_LIST.filter(([, { blocking }]) => blocking !== "only");
  const grant = { capabilities: { events: { see: ["tool_call"], block: true } } };
  const source = onToolCall(`
    const host = (globalThis as any)[Symbol.for("cordon.host")];
    const silent: string[] = [];
    const within = (ms: number): Promise<string> => new Promise((done) => setTimeout(done, ms, "nothing"));
    for (const [name, args] of event.input.asks) {
      const answer = host.call(name, args).then(() => "answered", () => "refused");
      if ((await Promise.race([answer, within(1000)])) === "nothing") silent.push(name);
    }
    if (event.input.never) await new Promise(() => {});
    return { block: true, reason: JSON.stringify(silent) };`);

  test("gets an answer to each of its requests, and what it may have is no use of a power", async () => {
    const session = await startSession({ asker: { source, grant } }, { ui: scriptedUi(), consent: () => "deny" });
    const verdict = await session.call({ asks: asks.map(([name, operation]) => [name, right(operation)]) });
    expect(verdict).toMatchObject({ reason: "[]" });
    const uses = session.audit.filter(({ outcome }) => outcome === "allowed").map(({ capability }) => capability);
    // To take back what it added needs no power.
    expect(uses).toEqual(["providers.unregister", "providers.unregisterVirtual"]);
  });

  /** Texts that are no usual paths, places or names. */
  const ODD = ["", "..", "/", "a/../b", "\0", "**", "$CWD", ":", "http://", "x".repeat(300), "a/".repeat(120)];
  /** Fewer than the refusals for which a grant is proposed. */
  const EACH = 90;

  test("is refused whatever it asks for, whoever could be asked, and nothing ends by it", async () => {
    const unheard: unknown[] = [];
    const hear = (why: unknown): void => void unheard.push(why);
    process.on("unhandledRejection", hear);
    onTestFinished(() => void process.off("unhandledRejection", hear));
    const odd = OPERATION_LIST.flatMap(([name, operation]) => {
      const [usual, isTaken] = [right(operation), takes(operation)];
      const texts = usual.flatMap((one, at) =>
        typeof one === "string" ? ODD.map((text) => usual.with(at, text)) : [],
      );
      const ways = operation.blocking === "also" ? [true, false] : [operation.blocking === "only"];
      return texts.filter(isTaken).flatMap((args) => ways.map((isBlocking) => [name, args, isBlocking]));
    });
    expect(odd.length).toBeGreaterThan(500);
    for (let from = 0; from < odd.length; from += EACH) {
      const session = await startSession(
        { asker: { source: onToolCall(ASKS), grant: { ...grant, limits: UNHURRIED } } },
        // A denial would be remembered, and its like not looked at.
        { hasUI: true, ui: scriptedUi(), consent: () => "later" },
      );
      expect(await session.call({ asks: odd.slice(from, from + EACH) })).toMatchObject({ block: true, hook: "asker" });
      expect(await session.call("ls")).toMatchObject({ reason: "judged" });
      await session.host.close();
    }
    expect(unheard).toEqual([]);
  });

  test.each(asks.filter(([name]) => CAPABILITIES.get(name)?.waits || name === "exec.write"))(
    "cannot stop its clock by %s",
    async (name, operation) => {
      const session = await startSession(
        { asker: source },
        { ui: scriptedUi(), consent: () => "deny", hookTimeout: 500 },
      );
      const asked = Array.from({ length: 3 }, () => [name, right(operation)]);
      expect(await session.call({ asks: asked, never: true })).toMatchObject({ block: true, hook: "asker" });
      expect(session.errors.map(({ code }) => code)).toContain("TIMEOUT");
    },
  );
});
