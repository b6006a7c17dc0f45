import { ANY_TOOL, type Run } from "../../../wire/registrations.ts";
import type { Drawing } from "../../../wire/screens.ts";
import { apply, define, forHook, own } from "../../core/primordials.ts";
import { RENDERERS, type Registrations } from "../registrations.ts";
import { linesOf } from "./screens.ts";

/** What a renderer draws of a tool. */
interface ToolSubject {
  readonly part: "call" | "result";
  readonly args: unknown;
  readonly result?: unknown;
}

/** Lines of a message, an entry, or a tool's call or result; `undefined` if the agent is to draw it. */
export function render(registrations: Registrations, run: Run, drawing: Drawing, theme: object): string[] | undefined {
  const component = run.kind === "tool" || run.kind === "toolRenderer" ? ofTool : ofMessage;
  const drawn = component(registrations, run, drawing, theme);
  return typeof drawn === "object" && drawn !== null ? linesOf(drawn, drawing.width) : undefined;
}

type Component = typeof ofMessage;

function ofMessage(registrations: Registrations, run: Run, { subject, options }: Drawing, theme: object): unknown {
  const renderer = registrations.get(run.kind as "messageRenderer", run.name)?.render;
  return typeof renderer === "function" ? apply(renderer, undefined, [subject, options, theme]) : undefined;
}

const ofTool: Component = (registrations, run, { subject, options }, theme) => {
  const { part, args, result } = subject as ToolSubject;
  const renderers = run.kind === "tool" ? registrations.get("tool", run.name) : resolved(registrations, run.name);
  const renderer = renderers && own(renderers, RENDERERS[part]);
  if (typeof renderer !== "function") return undefined;
  const context = define(options ?? forHook({}), {
    args,
    state: forHook({}),
    invalidate: () => {},
    lastComponent: undefined,
  });
  const given = part === "call" ? [args, theme, context] : [result, options, theme, context];
  return apply(renderer, renderers, given);
};

/** What the bundle's renderer for all tools says of this one. The agent's own renderers are not among its choices. */
function resolved(registrations: Registrations, tool: string): object | undefined {
  const resolver = registrations.get("toolRenderer", ANY_TOOL)?.render;
  const found = typeof resolver === "function" ? apply(resolver, undefined, [tool, () => undefined]) : undefined;
  return typeof found === "object" && found !== null ? found : undefined;
}
