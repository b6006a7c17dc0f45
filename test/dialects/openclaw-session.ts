import { wrapToolsWithHooks } from "../../src/host/wrap-tools.ts";
import { type Sources, sharedSession } from "../support/session.ts";

type Grant = NonNullable<Exclude<Sources[string], string>["grant"]>;
type Events = NonNullable<NonNullable<Grant["capabilities"]>["events"]>;

/** A grant over the events power; everything else as by default. */
export const may = (events: Partial<Events>, more: Partial<Grant> = {}): Grant => ({
  ...more,
  capabilities: { events: { see: ["*"], block: true, cancel: true, ...events }, ...more.capabilities },
});

/** May replace any tool's params. */
export const rewrites: Grant = may({ rewriteInput: ["*"] });

/**
 * One host for all tests of a file, with the plugins that the file names before its tests run. A plugin of `plugin` hears
 * only of the tool that is called as it is, so that none comes in the way of another.
 */
export function openclawSession() {
  const sources: Sources = {};
  const session = sharedSession(sources);
  const file = (name: string, source: string, grant?: Grant, manifest?: object): string => {
    sources[name] = { source, ...(grant ? { grant } : {}), ...(manifest ? { manifest } : {}) };
    return name;
  };
  const lines = (name: string) => session.log.filter((line) => line.hook === name);
  return {
    get host() {
      return session.host;
    },
    get audit() {
      return session.audit;
    },
    /** A hook from its whole source. Its name. */
    file,
    /** A plugin whose `register(api)` has this body, with `on(hookName, handler, options)` for this tool alone. Its name. */
    plugin: (name: string, body: string, grant?: Grant): string =>
      file(
        name,
        `export default { id: "${name}", register(api) {
          const on = (hookName, handler, options) =>
            api.on(hookName, (event, ctx) => (event.toolName === "${name}" ? handler(event, ctx) : undefined), options);
          ${body}
        } };`,
        grant,
      ),
    call: (toolName: string, input: Record<string, unknown> = { command: "ls" }) => session.call(input, toolName),
    /** Runs a tool with this name like an agent, wrapped by the hooks. */
    run: (name: string, params: object, execute: (params: never) => unknown) => {
      const tool = {
        name,
        execute: async (_id: string, given: never) => {
          const text = String(await execute(given));
          return { content: [{ type: "text" as const, text }], details: { size: text.length } };
        },
      };
      return wrapToolsWithHooks([tool], session.host)[0]?.execute("call-1", params as never);
    },
    lines,
    /** What a hook wrote to its console, each line as JSON. */
    said: (name: string): unknown[] =>
      lines(name).flatMap(({ level, text }) => (level === "info" ? [JSON.parse(text) as unknown] : [])),
    errorsOf: (name: string) => session.errors.filter(({ hookPath }) => hookPath.endsWith(`/${name}.ts`)),
    hook: (name: string) => session.host.hooks.find(({ id }) => id === name),
  };
}
