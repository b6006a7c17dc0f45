import { readdirSync, readFileSync } from "node:fs";

/** Processes that descend from this one, as `pid starttime` to their command line (Linux). */
function descendants(): Map<string, string> {
  const parents = new Map<number, { parent: number; key: string; command: string }>();
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const fields = readFileSync(`/proc/${name}/stat`, "latin1")
        .replace(/^.*\) /s, "")
        .split(" ");
      if (fields[0] === "Z") continue;
      const command = readFileSync(`/proc/${name}/cmdline`, "latin1").replaceAll("\0", " ");
      parents.set(Number(name), { parent: Number(fields[1]), key: `${name} ${fields[19]}`, command });
    } catch {
      // The process ended meanwhile.
    }
  }
  const isOurs = (pid: number): boolean =>
    pid === process.pid || (parents.has(pid) && isOurs((parents.get(pid) as { parent: number }).parent));
  return new Map(
    [...parents]
      .filter(([pid, { parent }]) => pid !== process.pid && isOurs(parent))
      .map(([, { key, command }]) => [key, command]),
  );
}

/** Collects the descendants of this process during `work`, and returns those that remain afterwards. */
export async function watching<T>(
  work: () => Promise<T>,
): Promise<{ value: T; seen: Map<string, string>; left(): string[] }> {
  const seen = new Map<string, string>();
  const look = (): void => {
    for (const [key, command] of descendants()) seen.set(key, command);
  };
  const timer = setInterval(look, 20);
  try {
    const value = await work();
    look();
    return { value, seen, left: () => [...seen].filter(([key]) => isAlive(key)).map(([, command]) => command) };
  } finally {
    clearInterval(timer);
  }
}

function isAlive(key: string): boolean {
  const [pid, start] = key.split(" ");
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "latin1")
      .replace(/^.*\) /s, "")
      .split(" ");
    return fields[0] !== "Z" && fields[19] === start;
  } catch {
    return false;
  }
}
