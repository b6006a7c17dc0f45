import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CordonError } from "../../src/base/errors.ts";
import { HookHost } from "../../src/host/host.ts";
import type { HookHostOptions } from "../../src/session/options.ts";
import { answering, hookFolder } from "../bundle/hook-folder.ts";

type Wrong = Record<string, unknown> | null | undefined;

/** Valid options, overridden by others. */
function start(folder: string, options: Wrong): Promise<HookHost> {
  const sound = {
    cwd: join(folder, "work"),
    home: join(folder, "home"),
    agentDir: join(folder, "agent"),
    discover: false,
    log: () => {},
  };
  return HookHost.start((options ? { ...sound, ...options } : options) as unknown as HookHostOptions);
}

const wrong: { name: string; options: Wrong; says: RegExp }[] = [
  { name: "none", options: undefined, says: /cwd/ },
  { name: "null", options: null, says: /cwd/ },
  { name: "no cwd", options: { cwd: undefined }, says: /cwd/ },
  { name: "a relative cwd", options: { cwd: "work" }, says: /cwd must be absolute/ },
  { name: "a relative folder of pi", options: { agentDir: ".pi/agent" }, says: /agentDir must be absolute, not \.pi/ },
  { name: "a relative home", options: { home: ".cordon" }, says: /home must be absolute, not \.cordon/ },
  { name: "a cwd that is not a string", options: { cwd: 1 }, says: /cwd/ },
  { name: "a misspelt option", options: { hookTimout: 5 }, says: /unknown key "hookTimout"/ },
  { name: "hooks that are not an array", options: { hooks: "./gate.ts" }, says: /hooks/ },
  { name: "an empty path", options: { hooks: [""] }, says: /hooks/ },
  { name: "a hook without a path", options: { hooks: [{ id: "x" }] }, says: /hooks/ },
  { name: "a hook with a misspelt key", options: { hooks: [{ path: "/x.ts", trusted: "full" }] }, says: /hooks/ },
  { name: "an unknown trust", options: { hooks: [{ path: "/x.ts", trust: "half" }] }, says: /hooks/ },
  { name: "an empty id", options: { hooks: [{ path: "/x.ts", id: "" }] }, says: /hooks/ },
  { name: "a timeout of zero", options: { hookTimeout: 0 }, says: /hookTimeout/ },
  { name: "a negative timeout", options: { hookTimeout: -1 }, says: /hookTimeout/ },
  { name: "a timeout of NaN", options: { hookTimeout: Number.NaN }, says: /hookTimeout/ },
  { name: "a timeout that is a string", options: { hookTimeout: "5" }, says: /hookTimeout/ },
  { name: "discover that is not a boolean", options: { discover: "no" }, says: /discover/ },
  { name: "hasUI that is not a boolean", options: { hasUI: 1 }, says: /hasUI/ },
  { name: "a ui that is not an object", options: { ui: "yes" }, says: /ui/ },
  { name: "a ui without its methods", options: { ui: {} }, says: /ui/ },
  { name: "a log that is not a function", options: { log: {} }, says: /log/ },
  { name: "an onAudit that is not a function", options: { onAudit: 5 }, says: /onAudit/ },
  { name: "an onSend that is not a function", options: { onSend: "x" }, says: /onSend/ },
  { name: "a consent that is not a function", options: { consent: true }, says: /consent/ },
  { name: "a session file that is not a path", options: { sessionFile: 1 }, says: /sessionFile/ },
  {
    name: "a grant with an unknown key",
    options: { hooks: [{ path: "/x.ts", id: "x", grant: { capabilites: {} } }] },
    says: /hook x: grant: unknown key "capabilites"/,
  },
  {
    name: "a grant of an unknown capability",
    options: { hooks: [{ path: "/x.ts", grant: { capabilities: { shell: [] } } }] },
    says: /unknown key "shell"/,
  },
  { name: "a grant that is not an object", options: { hooks: [{ path: "/x.ts", grant: "all" }] }, says: /grant/ },
  {
    name: "a grant of exec without fullAccess",
    options: { hooks: [{ path: "/x.ts", grant: { capabilities: { exec: [{ program: "sh", args: [] }] } } }] },
    says: /fullAccess/,
  },
];

test.each(wrong)("wrong options stop the start with BAD_GRANT: $name", async ({ options, says }) => {
  const error = await start(hookFolder({}), options).then(
    (host) => host.close(),
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(CordonError);
  expect(error).toMatchObject({ code: "BAD_GRANT", message: expect.stringMatching(says) });
});

test("options that are undefined count as absent", async () => {
  const host = await start(hookFolder({}), {
    hooks: undefined,
    ui: undefined,
    grantsFile: undefined,
    hookTimeout: undefined,
    sessionFile: null,
  });
  expect(host.hooks).toEqual([]);
  await host.close();
});

test("two hooks with the same id are a BAD_GRANT that names both", async () => {
  const folder = hookFolder({ "one.ts": answering("1"), "two.ts": answering("2") });
  const hooks = ["one", "two"].map((name) => ({ path: join(folder, "hook", `${name}.ts`), id: "gate" }));
  const error = await start(folder, { hooks }).catch((thrown: unknown) => thrown);
  const message = expect.stringMatching(/gate.*one\.ts.*two\.ts; give one of them another id: \{ path, id \}$/);
  expect(error).toMatchObject({ code: "BAD_GRANT", message });
});

test("a named hook does not put one of the same id out of force, and the error says how to run it alone", async () => {
  const folder = hookFolder({ "one.ts": answering("1") });
  const guard = join(folder, "home", "hooks", "guard.ts");
  mkdirSync(join(folder, "home", "hooks"), { recursive: true });
  writeFileSync(guard, answering("2"));
  const hooks = [{ path: join(folder, "hook", "one.ts"), id: realpathSync(guard) }];
  await expect(start(folder, { hooks, discover: "own" })).rejects.toMatchObject({
    code: "BAD_GRANT",
    message: expect.stringMatching(/to run the named one alone: --no-discover, or the option discover: false$/),
  });
  const host = await start(folder, { hooks });
  expect(host.hooks).toMatchObject([{ state: "active" }]);
  await host.close();
});

test("an id that is another hook's path is a BAD_GRANT", async () => {
  const folder = hookFolder({ "one.ts": answering("1"), "two.ts": answering("2") });
  const [one, two] = ["one", "two"].map((name) => join(folder, "hook", `${name}.ts`)) as [string, string];
  await expect(start(folder, { hooks: [one, { path: two, id: one }] })).rejects.toMatchObject({ code: "BAD_GRANT" });
});

test("a file that is named twice under two ids or paths is one hook", async () => {
  const folder = hookFolder({ "one.ts": answering("1") });
  mkdirSync(join(folder, "links"));
  symlinkSync(join(folder, "hook/one.ts"), join(folder, "links/one.ts"));
  const host = await start(folder, { hooks: [join(folder, "hook/one.ts"), join(folder, "links/one.ts")] });
  expect(host.hooks).toHaveLength(1);
  await host.close();
});

test("the default id is the real path", async () => {
  const folder = hookFolder({ "one.ts": answering("1") });
  mkdirSync(join(folder, "links"));
  symlinkSync(join(folder, "hook/one.ts"), join(folder, "links/one.ts"));
  const host = await start(folder, { hooks: ["../links/one.ts"] });
  expect(host.hooks).toMatchObject([{ id: join(folder, "hook/one.ts"), path: "../links/one.ts" }]);
  await host.close();
});

test("a package's hook has the package's name as its id, followed by the file's name if there are several hooks", async () => {
  const one = hookFolder({
    "src/index.ts": answering("1"),
    "package.json": '{ "name": "my-gate", "cordon": { "hooks": ["./src/index.ts"] } }',
  });
  const single = await start(one, { hooks: [join(one, "hook/src/index.ts")] });
  expect(single.hooks.map(({ id }) => id)).toEqual(["my-gate"]);
  await single.close();
  const two = hookFolder({
    "a.ts": answering("1"),
    "b.ts": answering("2"),
    "package.json": '{ "name": "my-gates", "cordon": { "hooks": ["./a.ts", "./b.ts"] } }',
  });
  const several = await start(two, { hooks: [join(two, "hook/a.ts"), join(two, "hook/b.ts")] });
  expect(several.hooks.map(({ id }) => id)).toEqual([
    expect.stringMatching(/^my-gates#.*\ba\b/),
    expect.stringMatching(/^my-gates#.*\bb\b/),
  ]);
  await several.close();
});
