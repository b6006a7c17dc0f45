import { expect, test } from "vitest";
import { startFacts } from "./facts.ts";

const FUNCTIONS = ["function () {}", "async function () {}", "function* () {}", "async function* () {}"];
const threw = (name: string) => ({ threw: expect.stringMatching(new RegExp(`^${name}`)) });

const ABSENT = [
  "WebAssembly",
  "SharedArrayBuffer",
  "Atomics",
  "FinalizationRegistry",
  "WeakRef",
  "process",
  "require",
  "fetch",
  "module",
  "Buffer",
  "__cordonLoad",
  "cordonGuest",
  "cordonPolyfills",
];

const FACTS: { name: string; body: string; expected: unknown }[] = [
  ...ABSENT.map((name) => ({
    name: `${name} is absent`,
    // Named in parts: what the build finds by name it takes for the replacement that a bundle has of its own.
    body: `return typeof (globalThis as any)[${JSON.stringify(name.slice(0, 2))} + ${JSON.stringify(name.slice(2))}];`,
    expected: "undefined",
  })),
  ...FUNCTIONS.map((kind) => ({
    name: `the constructor of ${kind} compiles no code`,
    body: `return Object.getPrototypeOf(${kind}).constructor("return 1")();`,
    expected: threw("EvalError"),
  })),
  ...FUNCTIONS.map((kind) => ({
    name: `the constructor of ${kind} compiles no code with new either`,
    body: `const F: any = Object.getPrototypeOf(${kind}).constructor; return new F("return 1")();`,
    expected: threw("EvalError"),
  })),
  ...FUNCTIONS.map((kind) => ({
    name: `a class that extends the constructor of ${kind} compiles no code`,
    body: `const F: any = Object.getPrototypeOf(${kind}).constructor; class G extends F {} return new (G as any)("return 1")();`,
    expected: threw("EvalError"),
  })),
  { name: "eval compiles no code", body: `return globalThis.eval("1 + 1");`, expected: threw("EvalError") },
  { name: "an indirect eval compiles no code", body: `return (0, eval)("1 + 1");`, expected: threw("EvalError") },
  {
    name: "Reflect.construct on Function compiles no code",
    body: `return Reflect.construct(Function, ["return 1"], Object)();`,
    expected: threw("EvalError"),
  },
  {
    name: "eval cannot be restored",
    body: `try { delete (globalThis as any).eval; } catch {} return globalThis.eval("1");`,
    expected: threw("EvalError"),
  },
  {
    name: "functions are still instances of Function",
    body: `return [(() => {}) instanceof Function, typeof Function, Function.prototype.constructor === Function];`,
    expected: [true, "function", true],
  },
  {
    name: "an import of text compiles no code",
    body: `return (await import(["data:text/javascript", "export default 1"].join(","))).default;`,
    expected: { threw: expect.anything() },
  },
  {
    name: "Error.prepareStackTrace cannot be set",
    body: `let ran = false; try { (Error as any).prepareStackTrace = () => { ran = true; return "mine"; }; } catch {} const stack = new Error("x").stack; return [typeof stack, ran, stack === "mine"];`,
    expected: ["string", false, false],
  },
  {
    name: "Error.prepareStackTrace cannot be defined",
    body: `try { Object.defineProperty(Error, "prepareStackTrace", { value: () => "mine" }); return "defined"; } catch (error: any) { return error.name; }`,
    expected: "TypeError",
  },
  {
    name: "a subclass of Error cannot set it for itself",
    body: `class Own extends Error {} try { Object.defineProperty(Own, "prepareStackTrace", { value: () => "mine" }); } catch {} return String(new Own("x").stack) === "mine";`,
    expected: false,
  },
];

let answers: Promise<Map<string, unknown>> | undefined;
async function askAll(): Promise<Map<string, unknown>> {
  const { ask } = await startFacts(Object.fromEntries(FACTS.map(({ name, body }) => [name, body])));
  const told = new Map<string, unknown>();
  for (const { name } of FACTS) told.set(name, await ask(name));
  return told;
}

test.each(FACTS)("in an isolate, $name", async ({ name, expected }) => {
  answers ??= askAll();
  const told = (await answers).get(name);
  expect(told).toEqual(
    typeof expected === "object" && expected !== null && !Array.isArray(expected)
      ? expect.objectContaining(expected)
      : expected,
  );
});

test("a grant with limits.eval allows code from strings", async () => {
  const { ask } = await startFacts(
    {
      eval: `return globalThis.eval("1 + 1");`,
      kinds: `const made: any[] = []; for (const kind of [${FUNCTIONS.join(", ")}]) made.push(typeof Object.getPrototypeOf(kind).constructor("return 1")); return made;`,
      called: `return new Function("a", "return a + 1")(1);`,
    },
    { grant: { limits: { eval: true } } },
  );
  expect(await ask("eval")).toBe(2);
  expect(await ask("kinds")).toEqual(["function", "function", "function", "function"]);
  expect(await ask("called")).toBe(2);
});

test("removed globals stay absent with limits.eval", async () => {
  const names = `["WebAssembly", "SharedArrayBuffer", "Atomics", "FinalizationRegistry", "WeakRef"]`;
  const { ask } = await startFacts(
    {
      a: `return ${names}.map((name) => typeof globalThis.eval("typeof " + name + " === 'undefined' ? undefined : " + name));`,
    },
    { grant: { limits: { eval: true } } },
  );
  expect(await ask("a")).toEqual(Array(5).fill("undefined"));
});
