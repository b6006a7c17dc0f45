import { expect, test } from "vitest";
import { putFrozen } from "../../src/agents/pi/frozen-input.ts";

test("what was judged takes the place of everything that was there", () => {
  const input = { command: "rm -rf /", extra: { deep: true } };
  putFrozen(input, { command: "ls", list: [{ a: 1 }] });
  expect(input).toEqual({ command: "ls", list: [{ a: 1 }] });
});

test.each<[string, (input: { command: string; list: { a: number }[] }) => void]>([
  [
    "set",
    (input) => {
      input.command = "rm";
    },
  ],
  [
    "delete",
    (input) => {
      Reflect.deleteProperty(input, "command") || fail();
    },
  ],
  [
    "add",
    (input) => {
      Object.assign(input, { more: 1 });
    },
  ],
  [
    "define a getter",
    (input) => {
      Object.defineProperty(input, "command", { get: () => "rm" });
    },
  ],
  [
    "change deep inside",
    (input) => {
      Object.assign(input.list[0] ?? {}, { a: 2 });
    },
  ],
  [
    "push",
    (input) => {
      input.list.push({ a: 2 });
    },
  ],
  [
    "change the prototype",
    (input) => {
      Object.setPrototypeOf(input, { command: "rm" });
    },
  ],
])("nobody can %s afterwards", (_what, change) => {
  const input = { command: "", list: [{ a: 0 }] };
  putFrozen(input, { command: "ls", list: [{ a: 1 }] });
  expect(() => change(input)).toThrow(TypeError);
  expect(input).toEqual({ command: "ls", list: [{ a: 1 }] });
});

function fail(): never {
  throw new TypeError("it was refused");
}

test.each<[string, object]>([
  ["that is frozen with other content", Object.freeze({ command: "rm" })],
  ["with a member that cannot be taken away", Object.defineProperty({}, "command", { get: () => "rm" })],
  ["that takes no members", Object.preventExtensions({})],
])("an input %s is refused", (_what, input) => {
  expect(() => putFrozen(input, { command: "ls" })).toThrow("cannot be replaced");
});
