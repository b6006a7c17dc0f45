import type * as globals from "../../sandbox/guest/interceptors/global.ts";
import type * as registries from "../../sandbox/guest/interceptors/registry.ts";
import type * as triggers from "../../sandbox/guest/interceptors/trigger.ts";
import type { AnyRegistration } from "../../sandbox/guest/interceptors/types.ts";

export type Library = typeof registries & typeof triggers & typeof globals;

/**
 * A claim about the library, a step that shows it, and its outcome as plain JSON. This file becomes part of a hook, too: it
 * has only type imports.
 */
export type Row = [claim: string, run: (library: Library) => unknown, expected: unknown];

const one = (id: string, more: object = {}): AnyRegistration =>
  ({ id, name: "tool.before", handler: () => {}, ...more }) as AnyRegistration;
const ids = (list: readonly { id: string }[]): string[] => list.map(({ id }) => id);

function registryOf(library: Library, ...registrations: AnyRegistration[]): registries.InterceptorRegistry {
  const registry = library.createInterceptorRegistry();
  for (const registration of registrations) registry.add(registration as never);
  return registry;
}

function fault(act: () => unknown): string {
  try {
    act();
    return "no fault";
  } catch (error) {
    return error instanceof Error ? error.message : "no error";
  }
}

const UNKNOWN =
  "does not match any known tool name. Known tools: read, write, edit, apply_patch, exec, process, memory_search, " +
  "memory_get, web_search, web_fetch, sessions_list, sessions_history, sessions_send, sessions_spawn, session_status, " +
  "browser, canvas, cron, gateway, message, nodes, agents_list, image, tts";
const NONE_OF = "is not one of tool.before, tool.after, message.before, params.before";

/** What `add` refuses, and why. */
// biome-ignore format: a table
const REFUSED: [registration: unknown, fault: string][] = [
  [null, "registry.add takes a registration"],
  ["text", "registry.add takes a registration"],
  [undefined, "registry.add takes a registration"],
  [one(""), "an interceptor needs an id"],
  [one(5 as never), "an interceptor needs an id"],
  [one("x", { name: "tool.during" }), `Interceptor "x": name tool.during ${NONE_OF}`],
  [one("x", { name: undefined }), `Interceptor "x": name undefined ${NONE_OF}`],
  [one("x", { name: "constructor" }), `Interceptor "x": name constructor ${NONE_OF}`],
  [one("x", { handler: undefined }), 'Interceptor "x": handler is not a function'],
  [one("x", { priority: Number.NaN }), 'Interceptor "x": priority is not a number'],
  [one("x", { priority: Number.POSITIVE_INFINITY }), 'Interceptor "x": priority is not a number'],
  [one("x", { priority: "10" }), 'Interceptor "x": priority is not a number'],
  [one("x", { toolMatcher: "exec" }), 'Interceptor "x": exec is not a RegExp'],
  [one("x", { agentMatcher: "coder" }), 'Interceptor "x": coder is not a RegExp'],
  ...[/^bash$/, /^EXEC$/, /^nonexistent_tool$/g, /^ exec/].map((toolMatcher): [unknown, string] =>
    [one("x", { toolMatcher }), `Interceptor "x": toolMatcher ${toolMatcher} ${UNKNOWN}`]),
  [one("x", { name: "message.before", toolMatcher: /^nobody$/ }), `Interceptor "x": toolMatcher /^nobody$/ ${UNKNOWN}`],
];

// biome-ignore format: a table
export const ROWS: Row[] = [
  ["list has all in the order of their registration, whatever their point and priority", (library) => {
      const more = [one("a"), one("b", { priority: 5 }), one("c", { name: "params.before" }), one("a")];
      return ids(registryOf(library, ...more).list());
    }, ["a", "b", "c", "a"]],
  ["list and get are copies", (library) => {
      const registry = registryOf(library, one("a"), one("b"));
      registry.list().length = 0;
      registry.get("tool.before").reverse().pop();
      return [ids(registry.list()), ids(registry.get("tool.before"))];
    }, [["a", "b"], ["a", "b"]]],
  ["remove takes the first of its id, then the next, then nothing", (library) => {
      const registry = registryOf(library, one("a", { priority: 1 }), one("b"), one("a", { priority: 2 }));
      return [0, 1, 2].map(() => {
        registry.remove("a");
        return registry.list().map(({ id, priority }) => `${id}${priority ?? ""}`);
      });
    }, [["b", "a2"], ["b"], ["b"]]],
  ["clear takes all, and the registry goes on", (library) => {
      const registry = registryOf(library, one("a"), one("b"));
      registry.clear();
      const cleared = [...registry.list(), ...registry.get("tool.before")];
      registry.add(one("c") as never);
      return [cleared, ids(registry.list())];
    }, [[], ["c"]]],
  ["get sorts by falling priority, 0 where none is given, ties by registration", (library) => {
      const priorities = [undefined, -1, 100, 0, 0.5, 100, undefined, -0.5];
      const registrations = priorities.map((priority, at) => one(String(at), { priority }));
      return ids(registryOf(library, ...registrations).get("tool.before", "exec")).join("");
    }, "25403671"],
  ["get has those of one point only", (library) => {
      const names = ["tool.before", "tool.after", "message.before", "params.before"] as const;
      const registry = registryOf(library, ...names.map((name) => one(`of ${name}`, { name })));
      return names.map((name) => ids(registry.get(name, "exec")));
    }, [["of tool.before"], ["of tool.after"], ["of message.before"], ["of params.before"]]],
  ["a tool's name is normalized before a matcher sees it", (library) => {
      const matchers = [/^exec$/, /^apply_patch$/, /^(exec|bash)$/];
      const registry = registryOf(library, ...matchers.map((toolMatcher, at) => one(String(at), { toolMatcher })));
      const names = ["bash", " EXEC ", "Apply-Patch", "apply_patch", "bash "];
      return names.map((name) => ids(registry.get("tool.before", name)).join(" "));
    }, ["0 2", "0 2", "1", "1", "0 2"]],
  ["an agent's id is taken as it is", (library) => {
      const registry = registryOf(library, one("a", { name: "params.before", agentMatcher: /^bash$/ }));
      return ["bash", "Bash", " bash", "exec", ""].map((id) => registry.get("params.before", id).length);
    }, [1, 0, 0, 0, 0]],
  ["agentMatcher is not asked about tools, and toolMatcher not about agents", (library) => {
      const both = { agentMatcher: /^coder$/, toolMatcher: /^exec$/ };
      const registry = registryOf(library, one("t", both), one("m", { name: "message.before", ...both }));
      return [registry.get("tool.before", "exec").length, registry.get("message.before", "coder").length];
    }, [1, 1]],
  ["get without context ignores matchers, of tools and of agents", (library) => {
      const ofAgents = one("m", { name: "message.before", agentMatcher: /^coder$/ });
      const registry = registryOf(library, one("t", { toolMatcher: /^exec$/ }), ofAgents);
      return [registry.get("tool.before").length, registry.get("message.before").length];
    }, [1, 1]],
  ["an expression with g or y answers alike each time, is left as it was, and keeps its other flags", (library) => {
      const expressions = [/exec/g, /exec/y, /xec/y, /EXEC/giu];
      const registry = registryOf(library, ...expressions.map((toolMatcher, at) => one(String(at), { toolMatcher })));
      for (const expression of expressions) expression.lastIndex = 2;
      const found = [0, 1, 2].map(() => registry.get("tool.before", "exec").length);
      return [found, expressions.map(({ lastIndex }) => lastIndex)];
    }, [[4, 4, 4], [2, 2, 2, 2]]],
  ["a matcher that fits any one known name is taken",
    (library) => [/.*/, /^web/, /t$/, /^(exec|no_such_tool)$/, /(?:)/].map((toolMatcher) =>
      fault(() => registryOf(library, one("x", { toolMatcher })))), Array(5).fill("no fault")],
  ...REFUSED.map(([registration, expected]): Row => [`add refuses it, and nothing is added: ${expected.slice(0, 75)}`, (library) => {
      const registry = library.createInterceptorRegistry();
      return [fault(() => registry.add(registration as never)), registry.list().length];
    }, [expected, 0]]),
  ["names are trimmed, in small letters, and known by one",
    ({ normalizeToolName }) =>
      ["bash", "BASH ", "apply-patch", "Read", "my-tool", "constructor", "__proto__", "tostring", ""].map(normalizeToolName),
    ["exec", "exec", "apply_patch", "read", "my-tool", "constructor", "__proto__", "tostring", ""]],
];
