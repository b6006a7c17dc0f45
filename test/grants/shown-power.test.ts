import fc from "fast-check";
import { expect, test } from "vitest";
import { cleanLine } from "../../src/base/text.ts";
import type { Capabilities } from "../../src/grants/schema.ts";
import { refuseUnreviewable, shownPower, shownPowers } from "../../src/grants/shown-power.ts";
import { anyText } from "../support/any-text.ts";

const files = (names: readonly string[]): Capabilities => ({ fs: { read: [...names] } });

/** The part that a person must not overlook comes first. */
const FIRST: [name: string, powers: Capabilities, first: string][] = [
  ["the whole disk, after nine harmless patterns", files([...docs(9), "/**"]), '{"read":["/**",'],
  ["the whole home, after nine harmless patterns", files([...docs(9), "$HOME/**"]), '{"read":["$HOME/**",'],
  ["a folder of the home, after the project", files(["$CWD/**", "$HOME/.ssh/**"]), '{"read":["$HOME/.ssh/**",'],
  ["a write, after a read of all files", { fs: { read: ["/**"], write: ["$CWD/a"] } }, '{"write":'],
  [
    "a shell, after other programs",
    {
      exec: [
        { program: "git", args: ["status"] },
        { program: "sh", args: [{ rest: "text" }], fullAccess: true },
      ],
    },
    '[{"program":"sh"',
  ],
  [
    "free text, after fixed arguments",
    {
      exec: [
        { program: "git", args: ["add", "a"] },
        { program: "git", args: ["commit", { kind: "text" }] },
      ],
    },
    '[{"program":"git","args":["commit"',
  ],
  ["a family of variables, after a single one", { env: ["CI", "AWS_*"] }, '["AWS_*",'],
  ["a rewrite, after the heard events", { events: { see: ["*"], rewriteInput: ["bash"] } }, '{"rewriteInput":'],
];

function docs(count: number): string[] {
  return Array.from({ length: count }, (_, at) => `$CWD/docs/${at}/*.md`);
}

test.each(FIRST)("%s", (_name, powers, first) => {
  expect(shownPowers(powers)[0]?.text.slice(0, first.length)).toBe(first);
});

test("powers are ordered by danger, whatever the manifest's order", () => {
  const powers: Capabilities = {
    ui: ["notify"],
    events: { see: ["*"], block: true },
    send: { perMinute: 6 },
    env: ["CI"],
    net: { connect: ["a.example:443"] },
    model: ["acme"],
    fs: { write: ["$CWD/**"] },
    exec: [{ program: "git", args: ["status"] }],
  };
  const order = ["exec", "fs", "model", "net", "env", "send", "events", "ui"];
  expect(shownPowers(powers).map(({ power }) => power)).toEqual(order);
});

const text = anyText({ maxLength: 12 });
const names = fc.array(text, { maxLength: 6 });

test("a list has one text, whatever its order and repetitions", () => {
  fc.assert(
    fc.property(names, fc.infiniteStream(fc.nat()), (list, random) => {
      const places = [...random.take(list.length)];
      const other = list.map((name, at) => ({ name, at: places[at] ?? 0 })).sort((a, b) => a.at - b.at);
      const doubled = [...other.map(({ name }) => name), ...list];
      expect(shownPower("fs", { read: doubled })).toBe(shownPower("fs", { read: list }));
    }),
  );
});

test("the shown text is the exact grant, and a screen does not change it", () => {
  fc.assert(
    fc.property(names, text, (read, program) => {
      const shown = shownPower("fs", { read });
      expect(new Set(JSON.parse(shown).read)).toEqual(new Set(read));
      const command = shownPower("exec", [{ program, args: read }]);
      expect(JSON.parse(command)).toEqual([{ program, args: read }]);
      for (const one of [shown, command]) expect(cleanLine(one, 100_000)).toBe(one);
    }),
    { numRuns: 2000 },
  );
});

/** A power whose text is `length` characters long, including its name. */
const ofLength = (length: number): Capabilities => ({ env: ["A".repeat(length - 'env[""]'.length)] });

test("4000 characters can be reviewed, one more is refused", () => {
  expect(() => refuseUnreviewable([ofLength(4000)], "gate", "BAD_MANIFEST")).not.toThrow();
  expect(() => refuseUnreviewable([ofLength(4001)], "gate", "BAD_MANIFEST")).toThrow(
    /^gate: too long to be reviewed: 4001 characters of powers, and 4000 is the most; name fewer/,
  );
  const halves = [ofLength(2000), ofLength(2001)];
  expect(() => refuseUnreviewable(halves, "gate", "BAD_GRANT")).toThrow(expect.objectContaining({ code: "BAD_GRANT" }));
});
