import { expect, test } from "vitest";
import { compile, exactly } from "../../src/base/schema.ts";
import Type from "../../src/base/type.ts";
import { faultIn } from "../../src/grants/schema-fault.ts";

const Program = Type.Object({ program: Type.String(), args: Type.Array(Type.String()) });
const File = compile(exactly({ version: Type.Literal(1), exec: Type.Optional(Type.Array(Program)) }));

// biome-ignore format: a table
test.each<[claim: string, value: object, fault: string]>([
  ["one key", {}, "it lacks version"],
  ["a key of a part", { version: 1, exec: [{ program: "git" }] }, "exec.0 lacks args"],
  ["two keys", { version: 1, exec: [{}] }, "exec.0 lacks program, args"],
  ["a mistyped key", { version: 1, exec: [{ program: "git", arg: [] }] }, 'exec.0 lacks args; did you mean args by "arg"?'],
  ["a key that is known by itself", { version: 1, exec: [{ args: [] }] }, "exec.0 lacks program"],
  ["two mistyped keys", { version: 1, exec: [{ Program: "git", argz: [] }] },
    'exec.0 lacks program, args; did you mean program by "Program" or args by "argz"?'],
  ["a key that has a control character", { version: 1, exec: [{ program: "git", "args\u001b": [] }] },
    'exec.0 lacks args; did you mean args by "args\\u001b"?'],
])("a value that lacks %s", (_claim, value, fault) => {
  expect(faultIn(File.schema, value, File.Errors(value))).toBe(fault);
});
