import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CordonError } from "../../src/base/errors.ts";
import { HookHost } from "../../src/host/host.ts";
import type { HookHostOptions } from "../../src/session/options.ts";
import { changeGrant } from "../../src/store/grants-file.ts";
import { hookFolder, startFolder } from "../bundle/hook-folder.ts";
import { temporaryFolder, writeFiles } from "../support/session.ts";

/** Reports which of the words it may pass to `echo`. */
const probing = `export default (pi: any) => pi.on("tool_call", async (_event: any, ctx: any) => {
  const may: string[] = [];
  for (const word of ["option", "file", "home", "send"]) {
    const ran = word === "send" ? false : await ctx.exec("echo", [word]).then(() => true, () => false);
    if (ran) may.push(word);
  }
  return { block: true, reason: may.join(" ") || "nothing" };
});`;

const echo = (word: string): object => ({ capabilities: { exec: [{ program: "echo", args: [word] }] } });
const grants = (hooks: object): string => JSON.stringify({ version: 1, hooks });

/** A hook with a grants file of the user's and one in Cordon's home. */
function project(
  own: string | undefined,
  home: string | undefined,
): { folder: string; path: string; options: Partial<HookHostOptions> } {
  const folder = hookFolder({ "index.ts": probing });
  const path = join(folder, "hook", "index.ts");
  const place = (text: string): string => text.replaceAll("HOOK_FILE", path);
  if (home !== undefined) writeFiles(folder, { "home/grants.json": place(home) });
  if (own !== undefined) writeFiles(folder, { "my/grants.json": place(own) });
  return { folder, path, options: own === undefined ? {} : { grantsFile: join(folder, "my/grants.json") } };
}

const option = echo("option") as NonNullable<Exclude<NonNullable<HookHostOptions["hooks"]>[number], string>["grant"]>;

const precedence = [
  {
    name: "the option before both files",
    own: grants({ HOOK_FILE: echo("file") }),
    home: grants({ HOOK_FILE: echo("home") }),
    grant: option,
    expected: "option",
  },
  {
    name: "the --grants file before grants.json",
    own: grants({ HOOK_FILE: echo("file") }),
    home: grants({ HOOK_FILE: echo("home") }),
    expected: "file",
  },
  { name: "grants.json when nothing precedes it", home: grants({ HOOK_FILE: echo("home") }), expected: "home" },
  {
    name: "grants.json when the --grants file has only other hooks",
    own: grants({ other: echo("file") }),
    home: grants({ HOOK_FILE: echo("home") }),
    expected: "home",
  },
  {
    name: "whole entries: an empty one in --grants hides all of grants.json",
    own: grants({ HOOK_FILE: { capabilities: {} } }),
    home: grants({ HOOK_FILE: echo("home") }),
    expected: "nothing",
  },
  {
    name: "whole entries: an option with other powers only",
    own: grants({ HOOK_FILE: echo("file") }),
    grant: { capabilities: { ui: ["notify" as const] } },
    expected: "nothing",
  },
  {
    name: "relative keys of a --grants file, relative to that file",
    own: grants({ "../hook/index.ts": echo("file") }),
    expected: "file",
  },
  { name: "relative keys with detours", own: grants({ "./x/../../hook/index.ts": echo("file") }), expected: "file" },
  { name: "no default power except events and ui", expected: "nothing" },
];

test.each(precedence)("grants count in order: $name", async ({ own, home, grant, expected }) => {
  const { folder, options } = project(own, home);
  const { reason } = await startFolder(folder, "index.ts", options, grant ? { grant } : {});
  expect(await reason()).toBe(expected);
});

test("an entry under a hook's id applies to the hook", async () => {
  const { folder, options } = project(grants({ mine: echo("file") }), undefined);
  const { reason } = await startFolder(folder, "index.ts", options, { id: "mine" });
  expect(await reason()).toBe("file");
});

test("a changed hook that the user named falls back to the default grant and says so", async () => {
  const { folder, path } = project(undefined, undefined);
  const first = await startFolder(folder);
  const digest = first.hook().digest as string;
  await first.host.close();
  writeFiles(folder, { "home/grants.json": grants({ [path]: { digest, ...echo("home") } }) });
  const granted = await startFolder(folder);
  expect(await granted.reason()).toBe("home");
  expect(granted.log).toEqual([]);
  await granted.host.close();
  writeFiles(folder, { "hook/index.ts": `${probing}\n// changed` });
  const changed = await startFolder(folder);
  expect(changed.hook().state).toBe("active");
  expect(await changed.reason()).toBe("nothing");
  expect(changed.log).toMatchObject([
    { level: "warn", text: expect.stringMatching(/index\.ts changed since its grant was made.*default grant/) },
  ]);
});

const entry = (more: object): string => grants({ HOOK_FILE: more });
const bad: { name: string; text: string; says: RegExp }[] = [
  { name: "invalid JSON", text: "{ version: 1", says: /not JSON/ },
  { name: "an empty file", text: "", says: /not JSON/ },
  { name: "not an object", text: "[]", says: /grants\.json: / },
  { name: "null", text: "null", says: /grants\.json: / },
  { name: "no version", text: '{ "hooks": {} }', says: /version/ },
  { name: "another version", text: '{ "version": 2, "hooks": {} }', says: /version/ },
  { name: "no hooks", text: '{ "version": 1 }', says: /hooks/ },
  { name: "hooks that are an array", text: '{ "version": 1, "hooks": [] }', says: /hooks/ },
  {
    name: "an unknown key of the file",
    text: '{ "version": 1, "hooks": {}, "extra": 1 }',
    says: /unknown key "extra"/,
  },
  { name: "an unknown key of an entry", text: entry({ capabilites: {} }), says: /unknown key "capabilites"/ },
  {
    name: "an unknown capability",
    text: entry({ capabilities: { shell: [] } }),
    says: /unknown key "shell" in capabilities/,
  },
  {
    name: "an endpoint without a port",
    text: entry({ capabilities: { net: { connect: ["example.org"] } } }),
    says: /net\.connect example\.org: no host:port/,
  },
  {
    name: "a URL instead of an endpoint",
    text: entry({ capabilities: { net: { connect: ["https://example.org:443"] } } }),
    says: /net\.connect https:\/\/example\.org:443: no host:port/,
  },
  {
    name: "an address in another spelling",
    text: entry({ capabilities: { net: { connect: ["0x7f.1:80"] } } }),
    says: /no host:port/,
  },
  {
    name: "an address that other machines can reach",
    text: entry({ capabilities: { net: { listen: ["0.0.0.0:3333"] } } }),
    says: /only 127\.0\.0\.1 and \[::1\]/,
  },
  {
    name: "a file pattern without a root",
    text: entry({ capabilities: { fs: { read: ["src/**"] } } }),
    says: /src\/\*\*: a file pattern starts with \$CWD/,
  },
  {
    name: "a file pattern with ..",
    text: entry({ capabilities: { fs: { write: ["$CWD/../x"] } } }),
    says: /\$CWD\/\.\.\/x: no \. or \.\./,
  },
  {
    name: "a variable with a star in the middle",
    text: entry({ capabilities: { env: ["A*B"] } }),
    says: /A\*B: neither a variable's name/,
  },
  {
    name: "an unknown right of events",
    text: entry({ capabilities: { events: { see: ["*"], veto: true } } }),
    says: /unknown key "veto" in capabilities\.events/,
  },
  { name: "events without see", text: entry({ capabilities: { events: { block: true } } }), says: /see/ },
  { name: "an unknown part of ui", text: entry({ capabilities: { ui: ["popup"] } }), says: /capabilities\.ui/ },
  { name: "an unknown limit", text: entry({ limits: { memory: 64 } }), says: /unknown key "memory" in limits/ },
  { name: "too little memory", text: entry({ limits: { memoryMb: 7 } }), says: /limits\.memoryMb/ },
  { name: "too much memory", text: entry({ limits: { memoryMb: 2049 } }), says: /limits\.memoryMb/ },
  { name: "CPU time as a string", text: entry({ limits: { cpuMs: "1000" } }), says: /limits\.cpuMs/ },
  { name: "an invalid digest", text: entry({ digest: "sha256-abc" }), says: /digest/ },
  { name: "a digest with another algorithm", text: entry({ digest: `sha512-${"a".repeat(64)}` }), says: /digest/ },
  { name: "an unknown failure policy", text: entry({ failure: "ajar" }), says: /failure/ },
  { name: "an entry that is an array", text: entry([]), says: /hooks\[/ },
  {
    name: "an unknown key of an exec entry",
    text: entry({ capabilities: { exec: [{ program: "git", args: ["status"], shell: true }] } }),
    says: /unknown key "shell" in capabilities\.exec\.0/,
  },
  { name: "an exec entry without args", text: entry({ capabilities: { exec: [{ program: "git" }] } }), says: /args/ },
  {
    name: "an unknown kind of argument",
    text: entry({ capabilities: { exec: [{ program: "git", args: ["show", { kind: "glob" }] }] } }),
    says: /exec/,
  },
  {
    name: "a misspelt bound of an argument",
    text: entry({ capabilities: { exec: [{ program: "git", args: ["log", { kind: "int", maximum: 3 }] }] } }),
    says: /exec/,
  },
  {
    name: "a rest that is not last",
    text: entry({ capabilities: { exec: [{ program: "git", args: ["log", { rest: "text" }, "x"] }] } }),
    says: /"rest" must be the last/,
  },
  {
    name: "__proto__ as a capability",
    text: '{ "version": 1, "hooks": { "HOOK_FILE": { "capabilities": { "__proto__": { "exec": [] } } } } }',
    says: /unknown key "__proto__"/,
  },
];

test.each(bad)("a bad grants file stops the start, naming file and key: $name", async ({ text, says }) => {
  for (const [own, home] of [
    [text, undefined],
    [undefined, text],
  ] as const) {
    const { folder, options } = project(own, home);
    const error = await startFolder(folder, "index.ts", options).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(CordonError);
    const { code, message } = error as CordonError;
    expect({ code, message }).toMatchObject({ code: "BAD_GRANT", message: expect.stringMatching(says) });
    expect(message).toContain(join(folder, own === undefined ? "home" : "my", "grants.json"));
    expect(message).not.toContain("\n");
  }
});

test("an entry in a file applies to the hook that it names", async () => {
  const { folder, options } = project(grants({ "my-gate": { limits: { x: 1 } } }), undefined);
  await expect(startFolder(folder, "index.ts", options)).rejects.toThrow(/"my-gate".*"x"/);
});

test("a missing --grants file stops the start, a missing grants.json does not", async () => {
  const { folder } = project(undefined, undefined);
  await expect(startFolder(folder, "index.ts", { grantsFile: join(folder, "none.json") })).rejects.toMatchObject({
    code: "BAD_GRANT",
    message: expect.stringContaining("none.json"),
  });
  const { hook } = await startFolder(folder);
  expect(hook().state).toBe("active");
  expect(existsSync(join(folder, "home/grants.json"))).toBe(false);
});

test("a folder instead of a grants file is a bad grant", async () => {
  const { folder } = project(undefined, undefined);
  mkdirSync(join(folder, "grants.json"));
  await expect(startFolder(folder, "index.ts", { grantsFile: join(folder, "grants.json") })).rejects.toMatchObject({
    code: "BAD_GRANT",
    message: expect.stringContaining("grants.json"),
  });
});

const fullAccess = ["npx", "sh", "node", "docker", "curl", "eslint", "make", "/bin/echo", "./git", "ssh"];

test.each(fullAccess)("a grant of %s needs the word fullAccess", async (program) => {
  const without = project(entry({ capabilities: { exec: [{ program, args: ["x"] }] } }), undefined);
  await expect(startFolder(without.folder, "index.ts", without.options)).rejects.toMatchObject({
    code: "BAD_GRANT",
    message: expect.stringMatching(new RegExp(`${program.replaceAll(".", "\\.")}.*fullAccess`)),
  });
  const said = project(entry({ capabilities: { exec: [{ program, args: ["x"], fullAccess: true }] } }), undefined);
  expect((await startFolder(said.folder, "index.ts", said.options)).hook().state).toBe("active");
});

test.each(["LD_PRELOAD", "DYLD_INSERT_LIBRARIES", "NODE_OPTIONS", "GIT_SSH_COMMAND", "PATH", "ld_preload"])(
  "a grant may not set %s for a program",
  async (name) => {
    const { folder, options } = project(
      entry({ capabilities: { exec: [{ program: "git", args: ["status"], env: { [name]: "x" } }] } }),
      undefined,
    );
    await expect(startFolder(folder, "index.ts", options)).rejects.toMatchObject({
      code: "BAD_GRANT",
      message: expect.stringContaining(name),
    });
  },
);

test.each([
  { program: "cat", args: [{ kind: "text" }] },
  { program: "head", args: ["-1", { rest: "text" }] },
  { program: "ls", args: [{ kind: "text", max: 10 }] },
  { program: "git", args: ["diff", { kind: "text" }, { kind: "text" }] },
  { program: "date", args: ["-f", { kind: "text" }] },
  { program: "date", args: ["-uf", { kind: "text" }] },
  { program: "date", args: ["--fil", { kind: "text" }] },
  { program: "date", args: ["-r", { rest: "text" }] },
  { program: "git", args: ["blame", "--contents", { kind: "text" }, { kind: "text" }] },
  { program: "git", args: ["blame", "--con", { kind: "text" }] },
  { program: "git", args: ["commit", "-aF", { kind: "text" }] },
  { program: "git", args: ["commit", "--file", { kind: "text" }] },
  { program: "git", args: ["ls-files", "-i", "-o", "-X", { rest: "text" }] },
  { program: "git", args: ["add", "--pathspec-from-file", { kind: "text" }] },
])("a program that reads any file in its arguments needs full access: %j", async (command) => {
  const folder = temporaryFolder();
  const start = (more: object) => {
    writeFiles(folder, { "grants.json": entry({ capabilities: { exec: [{ ...command, ...more }] } }) });
    return HookHost.start({ cwd: folder, home: folder, discover: false, hooks: [] }).then((host) => host.close());
  };
  await expect(start({})).rejects.toThrow(/with free text can read any file/);
  await expect(start({ fullAccess: true })).resolves.toBeUndefined();
  await expect(
    start({ args: command.args.map((arg) => (typeof arg === "string" ? arg : { kind: "relpath" })) }),
  ).resolves.toBeUndefined();
});

test("what the next session could not read is not written", () => {
  const path = join(temporaryFolder(), "grants.json");
  const giving = (pattern: string) => () => ({ capabilities: { fs: { write: [pattern] } } });
  changeGrant(path, "hook", giving("$CWD/*a*.txt"));
  const before = readFileSync(path, "utf8");
  expect(() => changeGrant(path, "hook", giving("$CWD/*a*b*.txt"))).toThrow("too many wildcards in a file pattern");
  expect(readFileSync(path, "utf8")).toBe(before);
});
