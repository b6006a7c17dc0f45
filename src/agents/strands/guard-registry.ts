import { type Guard, guardedTool } from "./guarded-tool.ts";
import type { StrandsTool, ToolRegistry } from "./strands-api.ts";

/**
 * Has an agent's registry hand out guarded tools only, those that are added later among them. Returns what guards one tool:
 * `Guard.registry` goes on handing out the tools as they are.
 */
export function guardRegistry(
  registry: ToolRegistry,
  parts: Omit<Guard, "registry">,
): (tool: StrandsTool) => StrandsTool {
  const known = new WeakMap<StrandsTool, StrandsTool>();
  const own: ToolRegistry = {
    get: registry.get.bind(registry),
    resolve: registry.resolve.bind(registry),
    list: registry.list.bind(registry),
  };
  const guard = { ...parts, registry: own };
  const guarded = (tool: StrandsTool): StrandsTool => {
    const made = known.get(tool) ?? guardedTool(tool, guard);
    known.set(tool, made);
    // What is guarded already stays as it is.
    known.set(made, made);
    return made;
  };
  const handOut = {
    get: (name: string) => {
      const tool = own.get(name);
      return tool && guarded(tool);
    },
    resolve: (name: string) => guarded(own.resolve(name)),
    list: () => own.list().map(guarded),
  };
  for (const [name, value] of Object.entries(handOut)) Object.defineProperty(registry, name, { value });
  return guarded;
}
