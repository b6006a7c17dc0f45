import type { HookAPI } from "@mariozechner/pi-coding-agent/hooks";

const REGISTRY = process.env.PI_REGISTRY ?? "https://registry.npmjs.org";
const known = new Map<string, boolean>();

async function isDeprecated(name: string): Promise<boolean> {
  const response = await fetch(`${REGISTRY}/${encodeURIComponent(name)}/latest`, {
    headers: { accept: "application/json" },
  });
  if (!response.ok) throw new Error(`${name}: ${response.status} ${response.statusText}`);
  const { deprecated } = (await response.json()) as { deprecated?: string };
  return deprecated !== undefined;
}

/** Nothing deprecated is installed. */
export default function (pi: HookAPI) {
  pi.on("tool_call", async (event) => {
    const name = /\bnpm (?:i|install|add) ([@\w][\w./-]*)/.exec(String(event.input.command))?.[1];
    if (event.toolName !== "bash" || !name) return undefined;
    if (!known.has(name)) known.set(name, await isDeprecated(name));
    return known.get(name) ? { block: true, reason: `${name} is deprecated` } : undefined;
  });
}
