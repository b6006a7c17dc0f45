/** How much harm an entry of a grant can do, roughly. A person reads the highest first. */
export type Danger = number;

/** The rank of each power and part of a power. An entry adds up to 9, the wider it is. */
const RANKS: ReadonlyMap<string, Danger> = new Map([
  ["exec", 80],
  ["fs.write", 70],
  ["sqlite.write", 65],
  ["providers", 61],
  ["model", 60],
  ["agents", 58],
  ["calls", 45],
  ["net.connect", 50],
  ["fs.read", 40],
  ["sqlite.path", 38],
  ["limits.eval", 37],
  ["limits.wasm", 36],
  ["limits.jit", 36],
  ["env", 30],
  ["events.trustProject", 28],
  ["agent", 26],
  ["tools", 17],
  ["commands", 9],
  ["session", 25],
  ["events.rewriteUserInput", 24],
  ["events.rewritePrompt", 23],
  ["events.rewriteContext", 23],
  ["events.rewriteInput", 22],
  ["events.rewriteResult", 21],
  ["events.compact", 20],
  ["events.rewriteMessage", 19],
  ["events.rewriteParams", 18],
  ["net.listen", 15],
  ["send", 14],
  ["fs.watch", 13],
  ["bus", 12],
  ["events.cancel", 8],
  ["events.guardResult", 7],
  ["events.block", 6],
  ["events.see", 5],
  ["limits.cpuMs", 4],
  ["limits.memoryMb", 3],
  ["ui", 1],
]);

/** @param path a power, or a part of one, as in `fs.write` */
export function dangerOf(path: string, value: unknown): Danger {
  const known = RANKS.get(path);
  if (Array.isArray(value)) return Math.max(known ?? 0, ...value.map((item) => dangerOf(path, item)));
  if (path === "exec") return (known ?? 0) + widthOfCommand(value);
  if (path === "agents") return dangerOfTools(known ?? 0, (value as { tools?: unknown } | null)?.tools);
  if (path === "calls") return dangerOfTools(known ?? 0, [value]);
  if (typeof value === "object" && value !== null)
    return Math.max(known ?? 0, ...Object.entries(value).map(([key, part]) => dangerOf(`${path}.${key}`, part)));
  if (known === undefined) return 0;
  return known + (typeof value === "string" ? widthOfName(path, value) : 0);
}

function widthOfCommand(entry: unknown): Danger {
  const { fullAccess, args } = (entry ?? {}) as { fullAccess?: unknown; args?: unknown };
  if (fullAccess === true) return 9;
  return Array.isArray(args) && args.some((arg) => typeof arg === "object") ? 4 : 0;
}

/** A shell or an editor does what it is told as the person. */
function dangerOfTools(known: Danger, tools: unknown): Danger {
  const all: unknown[] = Array.isArray(tools) ? tools : [];
  if (all.includes("bash") || all.includes("powershell")) return (RANKS.get("exec") ?? 0) + 9;
  return all.some((name) => name === "write" || name === "edit") ? (RANKS.get("fs.write") ?? 0) + 9 : known;
}

/** Files outside of the project, and patterns with few fixed folders, are wider; so are names with a `*`. */
function widthOfName(path: string, name: string): Danger {
  if (!path.startsWith("fs.") && path !== "sqlite.path") return name.includes("*") ? 9 : 0;
  const [fixed = ""] = name.split(/[*?[]/, 1);
  const depth = Math.min(fixed.split("/").filter(Boolean).length, 4);
  const outside = !/^\$(CWD|TMP)(\/|$)/.test(name);
  return (outside ? 5 : 0) + (fixed === name ? 0 : 4 - depth);
}
