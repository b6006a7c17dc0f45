import { readJson } from "../../wire/read-json.ts";
import { EventEmitter } from "./events.ts";
import { fault, unavailable, wrongType } from "./fault.ts";
import { Stats } from "./fs-objects.ts";
import { PLANS, type Plan, pathOf, plan, run, runNow } from "./fs-plans.ts";
import { host } from "./host.ts";

type Listener = (type: string, name: string) => void;
type Look = Record<string, string>;

const look = (path: string): Plan<string> => plan("fs.look", [path], "watch", (signature) => signature);
const changed = (path: string, before: string): Plan<string> => ({
  ...look(path),
  op: "fs.changed",
  later: (signal) => host.call("fs.changed", [path, before], signal),
});

/** Calls `report` after each change of a path, until the returned function is called. */
function follow(
  path: string,
  first: string,
  report: (before: Look, now: Look) => void,
  failed: (error: unknown) => void = () => {},
) {
  const over = new AbortController();
  const next = (before: string): void => {
    run(changed(path, before), over.signal).then(
      (now) => {
        if (over.signal.aborted) return;
        next(now);
        report(readJson(before), readJson(now));
      },
      (error) => {
        if (!over.signal.aborted) failed(error);
      },
    );
  };
  next(first);
  return () => over.abort();
}

/** `fs.FSWatcher`. The host checks the path ten times a second. */
export class FSWatcher extends EventEmitter {
  #stop: () => void;

  constructor(path: string, listener: Listener | undefined) {
    super();
    if (listener) this.on("change", listener);
    const first = runNow(look(path));
    if (readJson(first)[""] === "")
      throw fault(Error, "ENOENT", `ENOENT: no such file or directory, watch '${path}'`, {
        errno: -2,
        syscall: "watch",
        path,
      });
    this.#stop = follow(
      path,
      first,
      (before, now) => {
        for (const [type, name] of changes(before, now, path)) this.emit("change", type, name);
      },
      (error) => this.emit("error", error),
    );
  }

  close(): void {
    this.#stop();
    queueMicrotask(() => this.emit("close"));
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }
}

/** The changes, as Node reports them: `rename` for a name that appeared or disappeared, `change` for a changed file. */
function changes(before: Look, now: Look, path: string): [type: string, name: string][] {
  const own = path.replace(/\/+$/, "").split("/").at(-1) as string;
  if (!before[""]?.startsWith("folder") || !now[""]?.startsWith("folder"))
    return [[before[""] === "" || now[""] === "" ? "rename" : "change", own]];
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])].filter((name) => name !== "");
  return names
    .filter((name) => before[name] !== now[name])
    .map((name) => [before[name] === undefined || now[name] === undefined ? "rename" : "change", name]);
}

export function watch(path: unknown, options?: unknown, listener?: Listener): FSWatcher {
  const { recursive, signal } = (typeof options === "object" && options !== null ? options : {}) as {
    recursive?: boolean;
    signal?: AbortSignal;
  };
  if (recursive) throw unavailable("fs.watch: recursive is not offered to hooks: watch each folder");
  const watcher = new FSWatcher(pathOf(path), typeof options === "function" ? (options as Listener) : listener);
  if (signal?.aborted) watcher.close();
  else signal?.addEventListener("abort", () => watcher.close(), { once: true });
  return watcher;
}

type StatListener = (now: Stats, before: Stats) => void;
const watched = new Map<string, { stop: () => void; listeners: Set<StatListener> }>();

/** The return value of `watchFile`. `ref` has no effect: a hook ends with its session, whatever it watches. */
const WATCHER = { ref: () => WATCHER, unref: () => WATCHER };

const GONE = { type: "other", mode: 0, size: 0, atimeMs: 0, mtimeMs: 0, ctimeMs: 0, birthtimeMs: 0 };

const statOf = async (path: string): Promise<Stats> => {
  try {
    return await run(PLANS.stat(path));
  } catch {
    return new Stats(GONE);
  }
};

/** `fs.watchFile`: reports the old and new `Stats` of a file, also when it appears or disappears. */
export function watchFile(path: unknown, options?: unknown, listener?: StatListener): object {
  const named = pathOf(path);
  const heard = typeof options === "function" ? (options as StatListener) : listener;
  if (typeof heard !== "function") throw wrongType("listener", "of type function");
  const known = watched.get(named);
  if (known) {
    known.listeners.add(heard);
    return WATCHER;
  }
  const listeners = new Set([heard]);
  let before = statOf(named);
  const report = async (): Promise<void> => {
    const [old, now] = [await before, await statOf(named)];
    before = Promise.resolve(now);
    for (const one of listeners) one(now, old);
  };
  const first = runNow(look(named));
  // Node also reports a file that does not exist at the start.
  if (readJson(first)[""] === "") setTimeout(() => listeners.has(heard) && heard(new Stats(GONE), new Stats(GONE)), 0);
  const stop = follow(named, first, () => void report());
  watched.set(named, { stop, listeners });
  return WATCHER;
}

export function unwatchFile(path: unknown, listener?: StatListener): void {
  const named = pathOf(path);
  const known = watched.get(named);
  if (!known) return;
  if (listener) known.listeners.delete(listener);
  if (listener && known.listeners.size > 0) return;
  known.stop();
  watched.delete(named);
}
