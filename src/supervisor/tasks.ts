import type { Task, TaskList } from "./task.ts";

/** The open tasks of one supervisor, by number. */
export class Tasks implements TaskList {
  // A list: a map that is empty after each event would be allocated anew for each.
  readonly #open: Task[] = [];
  #last = 0;
  /** Told when a task begins, and when the last one is over. */
  watch: { begin(): void; end(): void } | undefined;

  next(): number {
    this.#last = (this.#last % 0xffffffff) + 1;
    return this.#last;
  }

  begin(task: Task): void {
    this.#open.push(task);
    this.watch?.begin();
  }

  get(id: number): Task | undefined {
    return this.#open.find((task) => task.id === id);
  }

  all(): Task[] {
    return [...this.#open];
  }

  end(task: Task): void {
    if (this.#open.at(-1) === task) this.#open.pop();
    else {
      const at = this.#open.indexOf(task);
      if (at >= 0) this.#open.splice(at, 1);
    }
    if (this.#open.length === 0) this.watch?.end();
  }
}
