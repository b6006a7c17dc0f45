import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import {
  type AuditLine,
  type HookError,
  HookHost,
  type HookHostOptions,
  type LogLine,
  wrapToolsWithHooks,
} from "../../src/index.ts";
import { writeFiles } from "../support/session.ts";

type Option = Exclude<NonNullable<HookHostOptions["hooks"]>[number], string>;
type Grant = NonNullable<Option["grant"]>;
type Events = NonNullable<NonNullable<Grant["capabilities"]>["events"]>;

/** A grant over the events power; everything else as by default. */
export const may = (events: Partial<Events>, more: Partial<Grant> = {}): Grant => ({
  ...more,
  capabilities: { events: { see: ["*"], block: true, cancel: true, ...events }, ...more.capabilities },
});

/** May put other params in place of any tool's. */
export const rewrites: Grant = may({ rewriteInput: ["*"] });

/**
 * One host for all tests of a file, with the plugins that the file names before its tests run. A plugin of `plugin` hears
 * only of the tool that is called as it is, so that none comes in the way of another.
 */
export function openclawSession() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "cordon-test-")));
  const files: Record<string, string> = {};
  const hooks: Option[] = [];
  const errors: HookError[] = [];
  const log: LogLine[] = [];
  const audit: AuditLine[] = [];
  let host: HookHost;

  beforeAll(async () => {
    mkdirSync(join(folder, "work"));
    writeFiles(join(folder, "hooks"), files);
    host = await HookHost.start({
      cwd: join(folder, "work"),
      home: join(folder, "home"),
      agentDir: join(folder, "agent"),
      discover: false,
      hooks,
      log: (line) => log.push(line),
      onAudit: (line) => audit.push(line),
    });
    host.onError((error) => errors.push(error));
  });
  afterAll(async () => {
    await host?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const path = (name: string): string => join(folder, "hooks", `${name}.ts`);
  const file = (name: string, source: string, grant?: Grant, manifest?: object): string => {
    files[`${name}.ts`] = source;
    if (manifest) files[`${name}.hook.json`] = JSON.stringify(manifest);
    hooks.push({ path: path(name), id: name, ...(grant ? { grant } : {}) });
    return name;
  };
  return {
    get host() {
      return host;
    },
    audit,
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
    call: (toolName: string, input: Record<string, unknown> = { command: "ls" }) =>
      host.emitToolCall({ type: "tool_call", toolName, toolCallId: "call-1", input }),
    /** Runs a tool of this name as an agent does, with the hooks around it. */
    run: (name: string, params: object, execute: (params: never) => unknown) => {
      const tool = {
        name,
        execute: async (_id: string, given: never) => {
          const text = String(await execute(given));
          return { content: [{ type: "text" as const, text }], details: { size: text.length } };
        },
      };
      return wrapToolsWithHooks([tool], host)[0]?.execute("call-1", params as never);
    },
    /** What a hook wrote to its console, each line as JSON. */
    said: (name: string): unknown[] =>
      log.filter((line) => line.hook === name).map(({ text }) => JSON.parse(text) as unknown),
    lines: (name: string): LogLine[] => log.filter((line) => line.hook === name),
    errorsOf: (name: string): HookError[] => errors.filter((error) => error.hookPath === path(name)),
    hook: (name: string) => host.hooks.find(({ id }) => id === name),
  };
}
