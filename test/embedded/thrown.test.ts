/** Agents read of what a tool throws what hooks saw of it, and no more. */
import { describe, expect, test } from "vitest";
import { readThrown } from "../../src/host/thrown.ts";
import { wrapToolsWithHooks } from "../../src/host/wrap-tools.ts";
import { sharedSession } from "../support/session.ts";
import { VERSIONS } from "./ai-model.ts";
import { aiScene } from "./ai-scene.ts";
import { GATE, REDACT } from "./hooks.ts";

class Odd extends Error {
  override toString(): string {
    return `Odd: ${this.message} hunter2`;
  }
}
class Named extends Error {
  override name = "a hunter2";
}
class Written extends Error {
  toJSON(): unknown {
    return { word: "hunter2" };
  }
}

class Changing extends Error {
  #reads = 0;
  override get message(): string {
    return this.#reads++ > 0 ? "hunter2" : "fine";
  }
}
class Renaming extends Error {
  override get name(): string {
    return "Name";
  }
}

const odd = Object.assign(new Error("x"), { [Symbol.toPrimitive]: () => "hunter2" });
const proxy = new Proxy(new Error("x"), {});

test.each([new Changing(), new Renaming("x"), odd, proxy])(
  "an error that computes what it says is told as it was seen",
  (thrown) => {
    const { text, error } = readThrown(thrown);
    expect(error).not.toBe(thrown);
    expect(error).toMatchObject({ name: "Error", message: text });
  },
);

const THROWN: [what: string, thrown: unknown][] = [
  ["an object", { word: "hunter2" }],
  ["a list", ["hunter2"]],
  ["a text", "hunter2"],
  ["an error that says more as a text", new Odd("x")],
  ["an error that is called so", new Named("x")],
  ["an error that says more as JSON", new Written("x")],
  ["an error that says it", new Error("hunter2")],
];

test.each(THROWN)("%s: all of it is shown, and an agent can read no more", (_what, thrown) => {
  const { text, error } = readThrown(thrown);
  expect(text + JSON.stringify(thrown)).toContain("hunter2");
  expect(error).toBeInstanceOf(Error);
  for (const read of [String(error), JSON.stringify(error), (error as Error).message])
    expect(read.replace(text, "").replace(/^Error: /, "")).not.toContain("hunter2");
});

test("what cannot be written as JSON is told by its kind", () => {
  const circle: Record<string, unknown> = {};
  circle.self = circle;
  const thrown = [circle, undefined, () => "hunter2", 5n].map((one) => readThrown(one).text);
  expect(thrown).toEqual(["[object Object]", "[object Undefined]", "[object Function]", "[object BigInt]"]);
});

test.each([
  new Error("x"),
  new TypeError("x"),
  new DOMException("x", "AbortError"),
  Object.assign(new Error("x"), { code: "ENOENT", errno: -2, syscall: "open", path: "x" }),
])("an error that says its message alone stays as it is: %s", (thrown) => {
  const { text, error } = readThrown(thrown);
  expect([text, error]).toEqual(["x", thrown]);
  expect(error).toBeInstanceOf(thrown.constructor);
  expect([(error as Error).stack, { ...(error as Error) }]).toEqual([thrown.stack, { ...thrown }]);
  // The tool may still have its own.
  Object.defineProperty(thrown, "message", { value: "hunter2" });
  expect(String(error)).not.toContain("hunter2");
});

describe.each(VERSIONS)("$name", (version) => {
  const session = sharedSession({ redact: REDACT, gate: GATE });
  const { inputSchema, read } = aiScene(version, session);

  test.each(THROWN)("the model reads nothing that no hook saw of %s", async (_what, thrown) => {
    const tools = {
      once: version.ai.tool({
        inputSchema,
        execute: async (): Promise<string> => {
          throw thrown;
        },
      }),
    };
    expect(JSON.stringify(await read(tools, [{ tool: "once", input: {} }]))).not.toContain("hunter2");
  });
});

describe("wrapped tools", () => {
  const session = sharedSession({ redact: REDACT, gate: GATE });

  test.each(THROWN)("%s", async (_what, thrown) => {
    const tool = { name: "bash", execute: async (_id: string, _input: never) => Promise.reject(thrown) };
    const [wrapped] = wrapToolsWithHooks([tool], session.host);
    const error = await wrapped?.execute("1", {} as never).catch((one: unknown) => one);
    expect(String(error) + JSON.stringify(error)).not.toContain("hunter2");
  });
});
