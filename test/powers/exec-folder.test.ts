import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { coversFolder } from "../../src/powers/exec-folder.ts";
import { startFacts } from "../guest/facts.ts";
import { temporaryFolder } from "../support/session.ts";

// biome-ignore format: a table
const ROWS: readonly [granted: string | undefined, asked: string | undefined, folder: string | undefined][] = [
  [undefined, undefined, "$CWD"],
  [undefined, ".", "$CWD"],
  [undefined, "docs/..", "$CWD"],
  [undefined, "docs", undefined],
  ["$CWD/docs", undefined, "$CWD/docs"],
  ["$CWD/docs", "docs", "$CWD/docs"],
  ["$CWD/docs", "elsewhere/../docs/", "$CWD/docs"],
  ["$CWD/docs", "docs/deep", undefined],
  ["$CWD/docs/deep", "in", "$CWD/docs/deep"],
  // A link in the project is no folder of that name: whoever wrote the project says where it leads.
  ["$CWD/in", "in", undefined],
  ["$CWD/in", undefined, undefined],
  ["$CWD/folder/**", "folder/below", undefined],
  // However it is written.
  ["$CWD/docs/", "docs", "$CWD/docs"],
  ["$CWD/./docs/deep/../deep", "docs/deep", "$CWD/docs/deep"],
  ["$CWD/**", undefined, "$CWD"],
  ["$CWD/**", "docs/deep", "$CWD/docs/deep"],
  ["$CWD/**", "in", "$CWD/docs/deep"],
  ["$CWD/**", "..", undefined],
  ["$CWD/**", "docs/../..", undefined],
  ["$CWD/**", "folder", undefined],
  ["$CWD/**", "folder/below", undefined],
  ["$CWD/**", "OUTSIDE", undefined],
  ["$CWD/**", "p/self/cwd", undefined],
  ["$CWD/**", "/proc/self/cwd", undefined],
  ["$CWD/**", "loop", undefined],
  ["$CWD/**", ".ssh", undefined],
  // No program starts where no folder is.
  ["$CWD/**", "none", undefined],
  ["$CWD/docs/**", undefined, undefined],
  ["$CWD/docs/**", "docs/deep", "$CWD/docs/deep"],
  ["$CWD/docs/**", "elsewhere", undefined],
  ["OUTSIDE/**", "OUTSIDE/below", "OUTSIDE/below"],
  ["OUTSIDE/**", undefined, undefined],
];

/** What `pwd` says when a hook runs it in each folder, under an entry for `granted`. */
async function runsIn(granted: string | undefined, folders: readonly (string | undefined)[]): Promise<string[]> {
  const outside = temporaryFolder();
  mkdirSync(join(outside, "below"));
  const cwd = granted?.replace("OUTSIDE", outside);
  const calls = folders.flatMap((asked) => {
    const options = asked === undefined ? "{}" : JSON.stringify({ cwd: asked.replace("OUTSIDE", outside) });
    return [
      `const { execFileSync } = await import("node:child_process");
       return execFileSync("pwd", [], { encoding: "utf8", ...${options} });`,
      `return (await ctx.exec("pwd", [], ${options})).stdout;`,
    ];
  });
  const session = await startFacts(Object.fromEntries(calls.entries()), {
    grant: { capabilities: { exec: [{ program: "pwd", args: [], ...(cwd ? { cwd } : {}) }] } },
  });
  const work = join(session.folder, "work");
  for (const name of ["docs/deep", "elsewhere", ".ssh"]) mkdirSync(join(work, name), { recursive: true });
  symlinkSync(outside, join(work, "folder"));
  symlinkSync("docs/deep", join(work, "in"));
  symlinkSync("/proc", join(work, "p"));
  symlinkSync("loop", join(work, "loop"));
  const told: string[] = [];
  for (const name of calls.keys()) {
    const said = await session.ask(String(name));
    const text = typeof said === "string" ? said.trim() : JSON.stringify(said);
    told.push(text.replace(outside, "OUTSIDE").replace(work, "$CWD"));
  }
  return told;
}

test.each([...new Set(ROWS.map(([granted]) => granted))])("where a program runs under %s", async (granted) => {
  const rows = ROWS.filter(([one]) => one === granted);
  const told = await runsIn(
    granted,
    rows.map(([, asked]) => asked),
  );
  const expected = rows.flatMap(([, , folder]) => {
    const one = folder ?? expect.stringMatching(/NOT_GRANTED|"code":1|^$/);
    return [one, one];
  });
  expect(told).toEqual(expected);
});

// biome-ignore format: a table
test.each([
  [undefined, "$CWD", true], ["$CWD", undefined, true], [undefined, "$CWD/a", false], ["$CWD/a", "$CWD/a", true],
  ["$CWD/**", "$CWD", true], ["$CWD/**", undefined, true], ["$CWD/**", "$CWD/a/b", true], ["$CWD/**", "$CWD/a/**", true],
  ["$CWD/a/**", "$CWD/**", false], ["$CWD/a/**", "$CWD/ab", false], ["$CWD/**", "$CWD/../x", false], ["$CWD/a", "$CWD/a/**", false],
  ["/srv/**", "/srv/a", true], ["/srv/**", "/srv2", false], ["/**", "/anything", true],
])("%s covers %s: %s", (wide, narrow, covers) => {
  expect(coversFolder(wide, narrow)).toBe(covers);
});

test.each([
  ["docs", { cwd: "$CWD/docs" }],
  ["docs/**", undefined],
  ["**", undefined],
  ["/elsewhere/**", undefined],
])("a person who is asked about a program in %s is asked about no other folder", async (cwd, folder) => {
  const session = await startFacts({
    run: `return (await ctx.exec("pwd", [], { cwd: ${JSON.stringify(cwd)} })).stdout;`,
  });
  await session.ask("run");
  const grant = folder && [{ program: "pwd", args: [], ...folder }];
  expect(session.errors.map(({ wanted }) => wanted?.grant)).toEqual([grant]);
});

/** What a person is asked when a hook runs `pwd` in `sub`, and what it says. `meanwhile`: while the question is open. */
async function asksIn(sub: (work: string) => void, meanwhile: (work: string) => void = () => {}) {
  const texts: string[] = [];
  const session = await startFacts(
    { run: `return (await ctx.exec("pwd", ["-P"], { cwd: "sub" })).stdout.trim();` },
    {
      hasUI: true,
      consent: ({ text }) => {
        texts.push(text);
        meanwhile(work);
        return "session";
      },
    },
  );
  const work = join(session.folder, "work");
  mkdirSync(join(work, "docs"));
  mkdirSync(join(session.folder, "elsewhere"));
  sub(work);
  const ask = () => session.ask("run");
  return { said: await ask(), ask, texts, work, folder: session.folder };
}
const linked = (target: string) => (work: string) => {
  rmSync(join(work, "sub"), { recursive: true, force: true });
  symlinkSync(target, join(work, "sub"));
};
const NOT_GRANTED = expect.objectContaining({ code: "NOT_GRANTED" });

test("a person who is asked about a folder that is a link sees where it leads, and allows that alone", async () => {
  const { said, ask, texts, work, folder } = await asksIn(linked("../elsewhere"));
  const elsewhere = join(folder, "elsewhere");
  expect(said).toBe(elsewhere);
  expect(texts).toEqual([expect.stringContaining(`pwd -P (in sub), which leads to ${elsewhere}`)]);
  linked("docs")(work);
  expect(await ask()).toBe(join(work, "docs"));
  expect(texts).toHaveLength(2);
  linked("../elsewhere")(work);
  expect(await ask()).toBe(elsewhere);
  expect(texts).toHaveLength(2);
});

test("a folder that becomes a link gives nothing, while a question is open and after the answer", async () => {
  const folderOf = (work: string) => mkdirSync(join(work, "sub"));
  expect((await asksIn(folderOf, linked("../elsewhere"))).said).toEqual(NOT_GRANTED);
  const { said, ask, texts, work } = await asksIn(folderOf);
  expect(said).toBe(join(work, "sub"));
  linked("../elsewhere")(work);
  await ask();
  expect(texts).toEqual([expect.not.stringContaining("leads to"), expect.stringContaining("which leads to")]);
});

test("a folder elsewhere that becomes a link gives nothing: it is asked about anew", async () => {
  const outside = temporaryFolder();
  mkdirSync(join(outside, "sub"));
  mkdirSync(join(outside, "other"));
  const texts: string[] = [];
  const { ask } = await startFacts(
    { run: `return (await ctx.exec("pwd", ["-P"], { cwd: ${JSON.stringify(join(outside, "sub"))} })).stdout.trim();` },
    { hasUI: true, consent: ({ text }) => (texts.push(text) === 1 ? "session" : "deny") },
  );
  expect(await ask("run")).toBe(join(outside, "sub"));
  rmSync(join(outside, "sub"), { recursive: true });
  symlinkSync("other", join(outside, "sub"));
  expect(await ask("run")).toEqual(NOT_GRANTED);
  expect(texts).toEqual([
    expect.not.stringContaining("leads to"),
    expect.stringContaining(`which leads to ${join(outside, "other")}`),
  ]);
});
