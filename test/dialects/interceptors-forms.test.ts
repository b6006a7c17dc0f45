import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { startSession, temporaryFolder, writeFiles } from "../support/session.ts";
import { REGISTRY } from "./interceptors-agent.ts";

const registration = (id: string) =>
  `{ id: "${id}", name: "tool.before" as const, toolMatcher: /^exec$/, handler: () => console.log("${id}") }`;
const added = (from: string) => `import { getGlobalInterceptorRegistry } from "${from}";
getGlobalInterceptorRegistry()!.add(${registration("added")});`;

/** All forms of a hook of interceptors, each with one handler that logs its name. */
const FORMS: Record<string, string> = {
  "a registration": `export default ${registration("exported")};`,
  "a registration under module.exports": `module.exports = ${registration("exported").replace(" as const", "")};`,
  "a list of registrations": `export default [${registration("first")}, ${registration("second")}];`,
  "an instance of a class": `class Gate { id = "gate"; name = "tool.before"; handler() { console.log("instance"); } }
export default new Gate();`,
  "a registry of its own": `import { createInterceptorRegistry } from "../interceptors/registry.js";
const own = createInterceptorRegistry();
own.add(${registration("of its own")});
export default own;`,
  "the global registry": `${REGISTRY}registry.add(${registration("global")});\nexport default registry;`,
  "a registry of its own beside the global one, by priority over both": `${REGISTRY}
import { createInterceptorRegistry } from "../interceptors/registry.js";
const own = createInterceptorRegistry();
own.add({ ...${registration("own 1")}, priority: 1 });
own.add({ ...${registration("own -1")}, priority: -1 });
registry.add(${registration("global 0")});
export default own;`,
  "a function of the registry, async": `import "cordon/interceptors";
export default async (registry: any) => {
  await null;
  registry.add(${registration("by function")});
};`,
  ...Object.fromEntries(
    [
      "cordon/interceptors",
      "../interceptors/index.js",
      "../interceptors/global.js",
      "../interceptors/global.ts",
      "../interceptors/global",
      "../../../interceptors/index",
    ].map((specifier) => [`an addition to the registry from ${specifier}`, added(specifier)]),
  ),
};
const SAYS: Record<string, string[]> = {
  "a list of registrations": ["first", "second"],
  "an instance of a class": ["instance"],
  "a registry of its own": ["of its own"],
  "the global registry": ["global"],
  "a registry of its own beside the global one, by priority over both": ["own 1", "global 0", "own -1"],
  "a function of the registry, async": ["by function"],
};

test("every form of a hook is recognised by its imports or exports, and runs", async () => {
  const names = Object.keys(FORMS);
  const session = await startSession(
    Object.fromEntries(names.map((name, at) => [`form-${at}`, FORMS[name] as string])),
  );
  expect(session.host.hooks.map(({ dialect, state, reason }) => ({ dialect, state, reason }))).toEqual(
    names.map(() => ({ dialect: "interceptors", state: "active", reason: undefined })),
  );
  await session.call();
  const said = Object.fromEntries(
    names.map((name, at) => [name, session.log.flatMap(({ hook, text }) => (hook === `form-${at}` ? [text] : []))]),
  );
  const expected = names.map((name) => [name, SAYS[name] ?? [name.startsWith("an addition") ? "added" : "exported"]]);
  expect(said).toEqual(Object.fromEntries(expected));
});

test("a function gets the registry if the hook's manifest says so, and is pi's otherwise", async () => {
  const folder = temporaryFolder();
  const source = `export default (registry: any) => { registry.add(${registration("by manifest")}); };`;
  const manifest = JSON.stringify({ dialect: "interceptors", capabilities: {} });
  writeFiles(folder, { "named.ts": source, "named.hook.json": manifest });
  const { host, call, log } = await startSession({}, { hooks: [{ id: "named", path: join(folder, "named.ts") }] });
  expect(host.hooks).toMatchObject([{ dialect: "interceptors", state: "active" }]);
  await call();
  expect(log.map(({ text }) => text)).toEqual(["by manifest"]);

  const unnamed = await startSession({ unnamed: source });
  const reason = expect.stringContaining("registry.add is not a function");
  expect(unnamed.host.hooks).toMatchObject([{ dialect: "pi", state: "failed", reason }]);
});

describe("a hook with no registration or an impossible one does not load, and closes the gate", () => {
  const NOTHING = "the hook registers no interceptor";
  test("each with its reason", async () => {
    const cases: [source: string, reason: string][] = [
      [REGISTRY, NOTHING],
      [`${REGISTRY}export default () => {};`, NOTHING],
      [`${REGISTRY}export default [];`, NOTHING],
      [
        `import { createInterceptorRegistry } from "cordon/interceptors";\ncreateInterceptorRegistry().add(${registration("lost")});`,
        NOTHING,
      ],
      [
        `${REGISTRY}registry.add({ id: "bad", name: "tool.before", toolMatcher: /^bsh$/, handler: () => {} });`,
        'Interceptor "bad": toolMatcher /^bsh$/ does not match any known tool name. Known tools: read, write,',
      ],
      [
        `export default { id: "bad", name: "tool.after", toolMatcher: /^bash$/, handler: () => {} };`,
        'Interceptor "bad": toolMatcher /^bash$/ does not match',
      ],
      [`export default { id: "", name: "tool.after", handler: () => {} };`, "an interceptor needs an id"],
      [`${REGISTRY}export default () => { throw new Error("not today"); };`, "not today"],
    ];
    const hooks = cases.map(([source], at) => [`bad-${at}`, source] as const);
    const session = await startSession(Object.fromEntries(hooks));
    expect(session.host.hooks.map(({ state, reason }) => [state, reason])).toEqual(
      cases.map(([, reason]) => ["failed", expect.stringContaining(reason)]),
    );
    expect(session.errors).toEqual([]);
    expect(await session.call()).toMatchObject({
      block: true,
      hook: "bad-0",
      reason: expect.stringContaining(NOTHING),
    });
  });
});
