import { describe, expect, test } from "vitest";
import { DIALECTS } from "../../sandbox/wire/messages.ts";
import { needs } from "../support/needs.ts";
import { startSession } from "../support/session.ts";
import { commandsOf, isShown, trimmed } from "./commands.ts";
import { compile } from "./compile.ts";
import { CONTEXTS } from "./contexts.ts";
import { type Block, NOT_RUN, notRun, pages } from "./pages.ts";
import { sharedMachine } from "./place.ts";
import { READERS } from "./readers.ts";

const shared = sharedMachine();
const all = pages();
const blocks = all.flatMap((page) => page.blocks);
/** `setsid`, and a terminal that answers by itself. */
const onLinux = needs(process.platform !== "linux" && "Linux");
const nameOf = ({ page, line }: Block): string => `${page}:${line}`;

/** What the tests know to do with a block, by its language. */
const KNOWN: Readonly<Record<string, readonly string[]>> = {
  ts: ["hook", "file", "with", "guard", "agent", "json"],
  json: ["file", ...READERS.keys()],
  console: ["not-run", "person"],
  sh: ["not-run", "with"],
  python: ["file"],
  text: [],
};

test.each(blocks.map((block) => ({ name: nameOf(block), block })))("$name says what it is", ({ block }) => {
  expect(KNOWN, block.language).toHaveProperty(block.language);
  for (const word of block.words.keys()) expect(KNOWN[block.language], word).toContain(word);
  if (block.language === "json") expect([...block.words.keys()].some((word) => READERS.has(word))).toBe(true);
  const why = notRun(block);
  if (why !== undefined) expect(NOT_RUN).toContain(why);
});

test("only these many blocks are not run", () => {
  const counts = NOT_RUN.map((why) => [why, blocks.filter((block) => notRun(block) === why).length]);
  expect(Object.fromEntries(counts)).toEqual({ network: 10, agent: 7 });
});

test("each block of TypeScript compiles, with what Cordon exports", async () => {
  const files = blocks
    .filter(({ language }) => language === "ts")
    .map((block): [string, string] => {
      const { words, code, page, line } = block;
      const name = words.get("hook") ?? words.get("file") ?? "block.ts";
      const before = CONTEXTS.get(words.get("with") ?? words.get("agent") ?? "") ?? "";
      return [`${page.replaceAll(/\W/g, "-")}/${line}/${name}`, `${before}\n${code}\n`];
    });
  expect(files.length).toBeGreaterThan(5);
  // Each beside the hook that it names.
  const hooks = files.map(([path]): [string, string] => [
    path.replace(/[^/]*$/, "gate.ts"),
    "export default () => {};",
  ]);
  expect(await compile(shared.machine, "compile", Object.fromEntries([...hooks, ...files]))).toBe("");
});

test.each(blocks.filter(({ language }) => language === "json").map((block) => ({ name: nameOf(block), block })))(
  "$name is read by what reads it",
  ({ block: { words, code } }) => {
    for (const word of words.keys()) READERS.get(word)?.(code);
  },
);

describe("each page, from its first block to its last", () => {
  test.for(all)("$path", { ...onLinux, timeout: 180_000 }, async ({ blocks }) => {
    const project = shared.machine.project();
    for (const block of blocks) {
      const { language, words, code } = block;
      const file = words.get("hook") ?? words.get("file");
      if (file) project.write(file, `${code}\n`);
      if (notRun(block) !== undefined || words.has("with")) continue;
      if (language === "sh") expect((await project.shell(["set -e", code])).code, nameOf(block)).toBe(0);
      if (language !== "console") continue;
      const commands = commandsOf(code);
      const { outputs } = await project.shell(
        commands.map(({ command }) => command),
        words.has("person"),
      );
      for (const [at, { command, output }] of commands.entries()) {
        const got = outputs[at] ?? "(it did not run)";
        if (!isShown(output, got)) expect(trimmed(got), `${nameOf(block)}: ${command}`).toBe(trimmed(output));
      }
    }
  });
});

const hooks = blocks.filter(({ words }) => words.has("hook"));

test("each hook loads", async () => {
  const sources = Object.fromEntries(hooks.map((block) => [nameOf(block), block.code]));
  const { host } = await startSession(
    Object.fromEntries(Object.values(sources).map((source, at) => [`hook-${at}`, source])),
  );
  expect(host.hooks.filter(({ state }) => state !== "active")).toEqual([]);
  expect(host.hooks.map(({ unsupported }) => unsupported).filter(Boolean)).toEqual([]);
});

const guards = hooks.filter(({ words }) => words.has("guard"));

test("one guard is written in each dialect", () => {
  expect(new Set(guards.map(({ words }) => words.get("guard")))).toEqual(new Set(DIALECTS));
});

test.each(guards.map((block) => ({ dialect: block.words.get("guard"), code: block.code })))(
  "the guard in $dialect is recognised as such, and guards",
  async ({ dialect, code }) => {
    const { host, call } = await startSession({ guard: code });
    expect(host.hooks).toMatchObject([{ state: "active", dialect, events: ["tool_call"] }]);
    expect(await call("rm -rf /")).toEqual({ block: true, reason: "not with rm -rf", hook: "guard" });
    expect(await call("ls")).toBeUndefined();
    expect(await call("rm -rf /", "read")).toBeUndefined();
  },
);

const unrun = blocks.filter((block) => notRun(block) !== undefined && ["sh", "console"].includes(block.language));

test("commands of blocks that are not run exist, with their flags", onLinux, async () => {
  const lines = unrun.flatMap(({ code }) => code.split("\n").map((line) => line.replace(/^\$ /, "")));
  const used = lines.flatMap((line) => {
    const [, command = "", rest = ""] = /^(?:npx )?cordon ((?:daemon |index |runtime )?[a-z]+)(.*)$/.exec(line) ?? [];
    return command === "" ? [] : [{ command, flags: rest.replace(/ -- .*|#.*/, "").match(/--[a-z-]+/g) ?? [] }];
  });
  const project = shared.machine.project();
  const names = [...new Set(used.map(({ command }) => command))];
  const { outputs } = await project.shell(names.map((name) => `cordon ${name} --help`));
  for (const { command, flags } of used) {
    const help = outputs[names.indexOf(command)] ?? "";
    expect(help, command).toContain(`Usage: cordon ${command}`);
    for (const flag of flags) expect(help, command).toContain(flag);
  }
});

test.each([
  ["a\nb\n", "a\nb\n", true],
  ["a …\n", "a long end\n", true],
  ["a\n…\nz\n", "a\nb\nc\nz\n", true],
  ["a\n…\nz\n", "a\nz\n", true],
  ["a\n", "a\nb\n", false],
  ["a.c\n", "abc\n", false],
  ["", "", true],
  ["", "something\n", false],
])("output %j shown for %j: %j", (shown, output, fits) => {
  expect(isShown(shown, output)).toBe(fits);
});

test.each([...READERS.keys()])("what is no %s is found out", (word) => {
  expect(() => READERS.get(word)?.(word === "text" ? "{" : '{"nonsense": 1, "cordon": {"nonsense": 1}}')).toThrow();
});
