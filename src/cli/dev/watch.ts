import { type FSWatcher, statSync, watch } from "node:fs";
import { dirname, sep } from "node:path";

/** Editors write a file in several steps. */
const SETTLED_MS = 30;
/** How often it looks whether what it watches is still the same: a folder that is made anew tells nobody. */
const LOOK_MS = 500;
/** Folders in which nobody edits hooks. */
const IGNORED = new Set(["node_modules", ".git"]);

/** Watches files and folders, with all below them. They may come and go. */
export class Watch {
  readonly #changed: () => void;
  readonly #paths: ReadonlySet<string>;
  readonly #watchers = new Map<string, { watcher: FSWatcher; id: string }>();
  readonly #looking: NodeJS.Timeout;
  #settling: NodeJS.Timeout | undefined;

  /** `changed` is called once for each burst of changes. */
  constructor(paths: Iterable<string>, changed: () => void) {
    this.#paths = new Set([...paths].map((path) => (isFolder(path) ? path : dirname(path))));
    this.#changed = changed;
    this.#look();
    this.#looking = setInterval(() => this.#look() && this.#tell(), LOOK_MS);
  }

  close(): void {
    clearInterval(this.#looking);
    clearTimeout(this.#settling);
    for (const { watcher } of this.#watchers.values()) watcher.close();
  }

  /** Watches what is there now. True if that is something else than before. */
  #look(): boolean {
    let isOther = false;
    for (const path of this.#paths) {
      const id = identityOf(path);
      const known = this.#watchers.get(path);
      if (known?.id === id) continue;
      isOther ||= known !== undefined || id !== undefined;
      known?.watcher.close();
      this.#watchers.delete(path);
      if (id !== undefined) this.#watch(path, id);
    }
    return isOther;
  }

  #watch(path: string, id: string): void {
    try {
      const watcher = watch(path, { recursive: true }, (_kind, name) => {
        if (!(name ?? "").split(sep).some((part) => IGNORED.has(part))) this.#tell();
      });
      // It is looked for again, as one that is gone.
      watcher.on("error", () => {
        watcher.close();
        this.#watchers.delete(path);
      });
      this.#watchers.set(path, { watcher, id });
    } catch {
      // It went between the two looks.
    }
  }

  #tell(): void {
    clearTimeout(this.#settling);
    this.#settling = setTimeout(this.#changed, SETTLED_MS);
  }
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

function identityOf(path: string): string | undefined {
  const status = statSync(path, { throwIfNoEntry: false });
  return status?.isDirectory() ? `${status.dev} ${status.ino}` : undefined;
}
