import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Programs } from "../../src/powers/exec-pin.ts";
import { onToolCall, scriptedUi, startSession, temporaryFolder } from "../support/session.ts";

/** A folder on PATH that this user can write, as `~/.local/bin` is. */
let bin: string;

beforeEach(() => {
  bin = join(temporaryFolder(), "bin");
  mkdirSync(bin);
  vi.stubEnv("PATH", `${bin}${delimiter}${process.env.PATH}`);
});
afterEach(() => vi.unstubAllEnvs());

function program(name: string, text: string, folder = bin): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  chmodSync(path, 0o755);
  return path;
}

const script = (says: string, interpreter = "/bin/sh"): string => `#!${interpreter}\necho ${says}\n`;
const RUNS = onToolCall(`
  try { const { stdout, stderr } = await ctx.exec("tool", []); return { block: true, reason: (stdout + stderr).trim() }; }
  catch (e: any) { return { block: true, reason: e.code + " " + e.message }; }
`);

async function start(cwd?: string) {
  const entry = { program: "tool", args: [], fullAccess: true };
  const grant = { capabilities: { events: { see: ["*"], block: true }, exec: [entry] } };
  const session = await startSession({ runs: { source: RUNS, grant } }, cwd === undefined ? {} : { cwd });
  return { ...session, run: async () => ((await session.call()) as { reason: string }).reason };
}

test("a program runs as long as it does not change", async () => {
  const path = program("tool", script("honest"));
  const { run } = await start();
  expect(await run()).toBe("honest");
  // The same bytes with a newer date, or in a new file, are the same program.
  utimesSync(path, 1, 1);
  expect(await run()).toBe("honest");
  copyFileSync(path, `${path}.new`);
  renameSync(`${path}.new`, path);
  expect(await run()).toBe("honest");
});

const SWAPS: { name: string; swap(path: string): void }[] = [
  { name: "written over", swap: (path) => writeFileSync(path, script("forged")) },
  {
    name: "written over, with the old date",
    swap: (path) => {
      writeFileSync(path, script("forged"));
      utimesSync(path, 1_600_000_000, 1_600_000_000);
    },
  },
  {
    name: "replaced by another file",
    swap: (path) => {
      program("other", script("forged"));
      renameSync(join(bin, "other"), path);
    },
  },
  {
    name: "replaced by a link",
    swap: (path) => {
      rmSync(path);
      symlinkSync(program("other", script("forged")), path);
    },
  },
  { name: "removed", swap: (path) => rmSync(path) },
  {
    name: "moved away with its folder, and replaced by another",
    swap: () => {
      renameSync(bin, `${bin}.old`);
      mkdirSync(bin);
      program("tool", script("forged"));
    },
  },
];

test.each(SWAPS)("a program is not run once it is $name, even if it never ran before", async ({ swap }) => {
  const path = program("tool", script("honest"));
  utimesSync(path, 1_600_000_000, 1_600_000_000);
  const { run, audit } = await start();
  swap(path);
  expect(await run()).toMatch(
    /^NOT_GRANTED tool is not run: .*tool changed since it was granted; if that was you, start the session again$/,
  );
  expect(audit.some(({ capability }) => capability === "exec")).toBe(true);
});

test("a large program that was touched is not run, and no file of the kernel's is a program", async () => {
  const large = program("tool", script("honest"));
  truncateSync(large, 16 * 1024 * 1024 + 1);
  const { run } = await start();
  expect(await run()).toMatch(/^honest/);
  utimesSync(large, 1_600_000_000, 1_600_000_000);
  expect(await run()).toMatch(/^NOT_GRANTED tool is not run: .*changed since it was granted/);
  const programs = new Programs(bin, []);
  for (const path of ["/proc/self/pagemap", "/dev/zero", "/proc/self/exe"])
    expect(programs.find(path)).toEqual(path === "/proc/self/exe" ? { path } : { missing: true });
});

test("a later program of the same name earlier in PATH is ignored", async () => {
  const later = join(bin, "..", "later");
  mkdirSync(later);
  vi.stubEnv("PATH", `${bin}${delimiter}${later}${delimiter}${process.env.PATH}`);
  program("tool", script("honest"), later);
  const { run } = await start();
  program("tool", script("forged"));
  expect(await run()).toBe("honest");
});

test("a program inside the workspace is never found, by its name or through a link", async () => {
  const work = join(temporaryFolder(), "work");
  mkdirSync(join(work, "bin"), { recursive: true });
  vi.stubEnv("PATH", `${join(work, "bin")}${delimiter}${process.env.PATH}`);
  const inside = program("tool", script("forged"), join(work, "bin"));
  expect(await (await start(work)).run()).toContain("not found outside the workspace");
  symlinkSync(inside, join(bin, "tool"));
  expect(await (await start(work)).run()).toContain("not found outside the workspace");
  rmSync(join(bin, "tool"));
  program("tool", script("honest"));
  expect(await (await start(work)).run()).toBe("honest");
});

test("a script whose interpreter changed is not run", async () => {
  const shell = join(bin, "shell");
  copyFileSync("/bin/sh", shell);
  chmodSync(shell, 0o755);
  program("tool", script("honest", shell));
  const { run } = await start();
  expect(await run()).toBe("honest");
  program("shell", script("forged"));
  expect(await run()).toContain("shell changed since it was granted");
});

test("a script whose interpreter, found by env, changed is not run", async () => {
  const shell = join(bin, "mysh");
  copyFileSync("/bin/sh", shell);
  chmodSync(shell, 0o755);
  program("tool", script("honest", "/usr/bin/env mysh"));
  const { run } = await start();
  expect(await run()).toBe("honest");
  program("mysh", script("forged"));
  expect(await run()).toContain("mysh changed since it was granted");
});

test("a script whose interpreter is in the workspace is not run", async () => {
  const work = join(temporaryFolder(), "work");
  mkdirSync(work);
  const shell = join(work, "sh");
  copyFileSync("/bin/sh", shell);
  chmodSync(shell, 0o755);
  program("tool", script("forged", shell));
  expect(await (await start(work)).run()).toContain("not found outside the workspace");
});

test("what a person agrees to is the program as it was when they were asked", async () => {
  const path = program("tool", script("honest"));
  let swaps = true;
  const session = await startSession(
    { runs: { source: RUNS, grant: { capabilities: { events: { see: ["*"], block: true } } } } },
    {
      ui: scriptedUi(),
      consent: () => {
        if (swaps) writeFileSync(path, script("forged"));
        return "once";
      },
    },
  );
  expect(await session.call()).toMatchObject({
    reason: expect.stringMatching(/^NOT_GRANTED tool is not run: .* changed/),
  });
  writeFileSync(path, script("honest"));
  swaps = false;
  expect(await session.call()).toMatchObject({ reason: "honest" });
});
