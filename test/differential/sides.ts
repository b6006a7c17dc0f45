import { HookRunner, loadHooks, wrapToolsWithHooks } from "@mariozechner/pi-coding-agent/hooks";
import { onTestFinished } from "vitest";
import { type HookError, HookHost, type HookUIContext } from "../../src/index.ts";
import type { Decision, Event, Grant, Observed } from "./scenario.ts";

/** The same session in one of the two runners. */
export interface Side {
  emit(event: Event): Promise<unknown>;
  decide(tool: string, input: Record<string, unknown>): Promise<Decision>;
  setUI(ui: HookUIContext, hasUI: boolean): void;
  setSessionFile(path: string | null): void;
  paths(): string[];
  hears(type: string): boolean;
}

export interface Setting {
  cwd: string;
  home: string;
  paths: string[];
  grant: Grant;
  hookTimeout: number;
  /** Cordon only: the hooks run in process, with all rights. */
  trusted?: boolean;
  errors: Observed["errors"];
  sent: Observed["sent"];
}

const toldOf = ({
  hookPath,
  event,
  error,
}: Pick<HookError, "hookPath" | "event" | "error">): Observed["errors"][number] => ({ hookPath, event, error });

/** The package's own loader, runner and wrapper. */
export async function piSide({
  cwd,
  paths,
  hookTimeout,
  errors,
  sent,
}: Setting): Promise<Side & { runner: HookRunner }> {
  const loaded = await loadHooks(paths, cwd);
  errors.push(...loaded.errors.map(({ path, error }) => ({ hookPath: path, event: "load", error })));
  const runner = new HookRunner(loaded.hooks, cwd, hookTimeout);
  runner.onError((error) => errors.push(toldOf(error as never)));
  runner.setSendHandler((text, attachments) => sent.push({ text, attachments }));
  return {
    runner,
    emit: (event) => runner.emit(event as never),
    decide: (tool, input) => decideAsPi(runner, tool, input),
    setUI: (ui, hasUI) => runner.setUIContext(ui as never, hasUI),
    setSessionFile: (path) => runner.setSessionFile(path),
    paths: () => runner.getHookPaths(),
    hears: (type) => runner.hasHandlers(type),
  };
}

/** The result of pi's own wrapper for the hooks' verdict. `tool_result` has steps of its own. */
async function decideAsPi(runner: HookRunner, name: string, input: Record<string, unknown>): Promise<Decision> {
  const calls = {
    hasHandlers: (type: string) => type === "tool_call" && runner.hasHandlers(type),
    emitToolCall: (event: never) => runner.emitToolCall(event),
  };
  let ran: Record<string, unknown> = {};
  const tool = {
    name,
    execute: async (_id: string, params: Record<string, unknown>) => {
      ran = params;
      return { content: [], details: undefined };
    },
  };
  const [wrapped] = wrapToolsWithHooks([tool] as never, calls as never) as unknown as (typeof tool)[];
  try {
    await wrapped?.execute("call-1", input);
    return { runs: ran };
  } catch (error) {
    return { blocked: (error as Error).message };
  }
}

export async function cordonSide(setting: Setting): Promise<Side & { host: HookHost }> {
  const { cwd, home, paths, grant, hookTimeout, trusted, errors, sent } = setting;
  const host = await HookHost.start({
    spare: false,
    cwd,
    home,
    discover: false,
    hookTimeout,
    hooks: paths.map((path) => ({ path, id: nameOf(path), ...(trusted ? { trust: "full" } : { grant }) })),
    // A separate test checks the label of a message (its origin).
    onSend: (framed, attachments, origin) => sent.push({ text: origin?.text ?? framed, attachments }),
    log: () => {},
  });
  onTestFinished(() => host.close());
  host.onError((error) => errors.push(toldOf(error)));
  errors.push(
    ...host.hooks.flatMap(({ path, state, reason }) =>
      state === "failed" ? [{ hookPath: path, event: "load", error: reason ?? "" }] : [],
    ),
  );
  return {
    host,
    emit: (event) => host.emit(event as never),
    decide: async (toolName, input) => {
      const outcome = await host.emitToolCall({ type: "tool_call", toolName, toolCallId: "call-1", input });
      if (outcome && "block" in outcome) return { blocked: outcome.reason };
      return { runs: outcome?.input ?? input };
    },
    setUI: (ui, hasUI) => host.setUIContext(ui, hasUI),
    setSessionFile: (path) => host.setSessionFile(path),
    paths: () => host.getHookPaths(),
    hears: (type) => host.hasHandlers(type),
  };
}

/** The id a hook gets in these tests: its file's name. */
export const nameOf = (path: string): string => (path.split("/").at(-1) as string).replace(/\.ts$/, "");
