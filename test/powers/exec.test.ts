import { chmodSync, existsSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { temporaryFolder } from "../support/session.ts";
import { SHELL, startRunner } from "./exec-facts.ts";

afterEach(() => vi.unstubAllEnvs());

const ok = (stdout: string) => ({ stdout, stderr: "", code: 0, killed: false });

test("a granted command runs in the working directory and gives all four fields", async () => {
  const { ask, folder, audit } = await startRunner([{ program: "pwd", args: [] }], { pwd: 'ctx.exec("pwd", [])' });
  expect(await ask("pwd")).toEqual(ok(`${join(folder, "work")}\n`));
  expect(audit).toContainEqual(
    expect.objectContaining({ hook: "teller", capability: "exec", value: "pwd", outcome: "allowed" }),
  );
});

test("a command without a grant is refused with power, value, hook and remedy, and reported once", async () => {
  const { ask, errors, audit } = await startRunner(undefined, { run: 'ctx.exec("git", ["status"])' });
  for (let time = 0; time < 2; time++) {
    const refused = (await ask("run")) as { threw: string; code: string };
    expect(refused.code).toBe("NOT_GRANTED");
    expect(refused.threw).toMatch(/hook teller .*exec: git status; add "exec": .* to the grant that its host gives it/);
  }
  expect(errors).toHaveLength(1);
  expect(errors[0]).toMatchObject({
    code: "NOT_GRANTED",
    event: "tool_call",
    hookPath: expect.stringContaining("teller.ts"),
  });
  // The second line is a count, after the minute ends.
  expect(audit.filter(({ outcome }) => outcome === "NOT_GRANTED")).toHaveLength(1);
});

const SHA = "0123456789abcdef0123456789abcdef01234567";
const ENTRY = [
  {
    program: "echo",
    args: [
      "say",
      { kind: "sha" as const },
      { kind: "int" as const, min: 1, max: 9 },
      { kind: "enum" as const, values: ["x", "-y"] },
      { kind: "text" as const, max: 10 },
    ],
  },
];
const LINES: { name: string; args: string[]; allowed: boolean }[] = [
  { name: "values of every kind", args: ["say", SHA, "5", "x", "some text"], allowed: true },
  { name: "the shortest sha, the bounds and an empty text", args: ["say", "0123456", "9", "x", ""], allowed: true },
  { name: "another literal", args: ["sag", SHA, "5", "x", "t"], allowed: false },
  { name: "one argument too many", args: ["say", SHA, "5", "x", "t", "u"], allowed: false },
  { name: "one argument too few", args: ["say", SHA, "5", "x"], allowed: false },
  { name: "a ref instead of a sha", args: ["say", "HEAD", "5", "x", "t"], allowed: false },
  { name: "a sha with a suffix", args: ["say", `${SHA}^{tree}`, "5", "x", "t"], allowed: false },
  { name: "a sha that is too short", args: ["say", "012345", "5", "x", "t"], allowed: false },
  { name: "a number out of bounds", args: ["say", SHA, "10", "x", "t"], allowed: false },
  { name: "a number below its bound", args: ["say", SHA, "0", "x", "t"], allowed: false },
  { name: "a number in another notation", args: ["say", SHA, "0x5", "x", "t"], allowed: false },
  { name: "a fraction", args: ["say", SHA, "5.0", "x", "t"], allowed: false },
  { name: "a value outside of the list", args: ["say", SHA, "5", "z", "t"], allowed: false },
  { name: "an option, though the list has it", args: ["say", SHA, "5", "-y", "t"], allowed: false },
  { name: "an option as text", args: ["say", SHA, "5", "x", "--help"], allowed: false },
  { name: "a file of options as text", args: ["say", SHA, "5", "x", "@file"], allowed: false },
  { name: "a text that is too long", args: ["say", SHA, "5", "x", "12345678901"], allowed: false },
  { name: "a text of two lines", args: ["say", SHA, "5", "x", "a\nb"], allowed: false },
  { name: "a text with a null character", args: ["say", SHA, "5", "x", "a\0b"], allowed: false },
];

test("the whole list of arguments must fit a granted entry", async () => {
  const { ask } = await startRunner(
    ENTRY,
    Object.fromEntries(LINES.map(({ name, args }) => [name, `ctx.exec("echo", ${JSON.stringify(args)})`])),
  );

  const wrong: string[] = [];
  for (const { name, args, allowed } of LINES) {
    const answer = (await ask(name)) as { stdout?: string; code: unknown };
    if (allowed ? answer.stdout !== `${args.join(" ")}\n` : answer.code !== "NOT_GRANTED")
      wrong.push(`${name}: ${JSON.stringify(answer)}`);
  }
  expect(wrong).toEqual([]);
});

test("a text may have several lines where the grant says so", async () => {
  const { ask } = await startRunner([{ program: "echo", args: [{ kind: "text", lines: true, max: 8 }] }], {
    lines: 'ctx.exec("echo", ["a\\nb"])',
    option: 'ctx.exec("echo", ["-x\\ny"])',
    nothing: 'ctx.exec("echo", ["a\\0b"])',
    limit: 'ctx.exec("echo", ["1234\\n678"])',
    longer: 'ctx.exec("echo", ["1234\\n6789"])',
  });
  expect(await ask("lines")).toEqual(ok("a\nb\n"));
  expect(await ask("limit")).toEqual(ok("1234\n678\n"));
  for (const refused of ["option", "nothing", "longer"])
    expect(await ask(refused)).toMatchObject({ code: "NOT_GRANTED" });
});

test("another program than the granted one is refused, also under the same name elsewhere", async () => {
  const { ask } = await startRunner([{ program: "echo", args: ["a"] }], {
    other: 'ctx.exec("cat", ["a"])',
    path: 'ctx.exec("/bin/echo", ["a"])',
  });
  expect(await ask("other")).toMatchObject({ code: "NOT_GRANTED" });
  expect(await ask("path")).toMatchObject({ code: "NOT_GRANTED" });
});

test("there is no shell: its characters are plain text", async () => {
  const mark = join(temporaryFolder(), "mark");
  const line = `$(touch ${mark}); touch ${mark} | cat`;
  const { ask } = await startRunner([{ program: "echo", args: [{ kind: "text" }] }], {
    echo: `ctx.exec("echo", [${JSON.stringify(line)}])`,
  });
  expect(await ask("echo")).toEqual(ok(`${line}\n`));
  expect(existsSync(mark)).toBe(false);
});

test("a missing program returns code 1, as in pi", async () => {
  const { ask } = await startRunner([{ program: "no-such-program-here", args: [], fullAccess: true }], {
    run: 'ctx.exec("no-such-program-here", [])',
  });
  expect(await ask("run")).toMatchObject({ code: 1, killed: false, stdout: "" });
});

test("a failing program returns its own code", async () => {
  const { ask } = await startRunner(SHELL, { run: 'ctx.exec("sh", ["-c", "echo out; echo err >&2; exit 7"])' });
  expect(await ask("run")).toEqual({ stdout: "out\n", stderr: "err\n", code: 7, killed: false });
});

/** Leaves a mark whenever it runs. */
function fake(file: string): () => boolean {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `#!/bin/sh\n: > '${file}.ran'\necho fake\n`);
  chmodSync(file, 0o755);
  return () => existsSync(`${file}.ran`);
}

test("a program inside the workspace is not run, whether by path, link or PATH", async () => {
  const outside = temporaryFolder();
  const { ask, folder } = await startRunner(
    [
      { program: "./tool", args: [], fullAccess: true },
      { program: `${outside}/link`, args: [], fullAccess: true },
      { program: "tool", args: [], fullAccess: true },
    ],
    {
      path: 'ctx.exec("./tool", [])',
      link: `ctx.exec(${JSON.stringify(`${outside}/link`)}, [])`,
      name: 'ctx.exec("tool", [])',
    },
  );
  const ran = fake(join(folder, "work", "tool"));
  symlinkSync(join(folder, "work", "tool"), join(outside, "link"));
  vi.stubEnv("PATH", `${join(folder, "work")}:${process.env.PATH}`);
  for (const way of ["path", "link", "name"]) expect(await ask(way)).toMatchObject({ code: 1 });
  expect(ran()).toBe(false);
});

test("a fake program earlier on PATH in the project's node_modules/.bin is skipped in favour of the real one", async () => {
  const { ask, folder } = await startRunner([{ program: "echo", args: ["real"] }], {
    run: 'ctx.exec("echo", ["real"])',
  });
  const bin = join(folder, "work", "node_modules", ".bin");
  const ran = fake(join(bin, "echo"));
  vi.stubEnv("PATH", `${bin}:${process.env.PATH}`);
  expect(await ask("run")).toEqual(ok("real\n"));
  expect(ran()).toBe(false);
});

test("the environment of a program is complete and free of secrets, loaders and workspace folders", async () => {
  const { ask, folder } = await startRunner(
    [{ program: "sh", args: ["-c", { kind: "text" }], fullAccess: true, env: { MY_OWN: "1" } }],
    {
      env: 'ctx.exec("sh", ["-c", "env | cut -d= -f1 | grep -v GIT_CONFIG_ | tr \\"\\\\n\\" \\" \\""])',
      path: 'ctx.exec("sh", ["-c", "echo $PATH"])',
    },
  );
  for (const name of ["SOME_API_KEY", "NODE_OPTIONS_X", "LD_PRELOAD_X", "AWS_SECRET_THING", "GIT_DIR", "NODE_OPTIONS"])
    vi.stubEnv(name, "");
  vi.stubEnv("SOME_API_KEY", "not-for-hooks");
  vi.stubEnv("PATH", `${join(folder, "work", "node_modules", ".bin")}:relative:${process.env.PATH}`);
  const names = ((await ask("env")) as { stdout: string }).stdout
    .trim()
    .split(" ")
    .filter((name) => name !== "_" && name !== "PWD" && name !== "SHLVL" && name !== "OLDPWD");
  const allowed =
    /^(HOME|USER|LOGNAME|LANG|LC_\w+|TZ|TMPDIR|TEMP|TMP|PATH|TERM|XDG_CONFIG_HOME|GIT_TERMINAL_PROMPT|GIT_OPTIONAL_LOCKS|MY_OWN)$/;
  expect(names.filter((name) => !allowed.test(name))).toEqual([]);
  expect(names).toEqual(expect.arrayContaining(["PATH", "MY_OWN"]));
  const { stdout } = (await ask("path")) as { stdout: string };
  for (const entry of stdout.trim().split(":")) expect(entry).toMatch(/^\//);
  expect(stdout).not.toContain("node_modules");
  expect(stdout).not.toContain(realpathSync(folder));
});

test("a key planted on Object.prototype does not reach a program's environment", async () => {
  const { ask } = await startRunner(SHELL, { run: 'ctx.exec("sh", ["-c", "echo [$PLANTED]"])' });
  Object.defineProperty(Object.prototype, "PLANTED", {
    value: "evil",
    enumerable: true,
    configurable: true,
    writable: true,
  });
  try {
    expect(await ask("run")).toEqual(ok("[]\n"));
  } finally {
    Reflect.deleteProperty(Object.prototype, "PLANTED");
  }
});
