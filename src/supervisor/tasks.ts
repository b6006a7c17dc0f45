import type { Task } from "./task.ts";

/** The open tasks of one supervisor, by number. */
export class Tasks {
  readonly #open = new Map<number, Task>();
  readonly #busy: () => void;
  readonly #idle: () => void;
  #last = 0;

  /** `busy` is called when a task begins, `idle` when the last one is over. */
  constructor(busy: () => void, idle: () => void) {
    this.#busy = busy;
    this.#idle = idle;
  }

  /** `make` receives the number of the task, and a function to call when the task is over. */
  begin<T extends Task>(make: (id: number, ended: () => void) => T): T {
    this.#last = (this.#last % 0xffffffff) + 1;
    const task = make(this.#last, () => {
      this.#open.delete(task.id);
      if (this.#open.size === 0) this.#idle();
    });
    this.#open.set(task.id, task);
    this.#busy();
    return task;
  }

  get(id: number): Task | undefined {
    return this.#open.get(id);
  }

  all(): Task[] {
    return [...this.#open.values()];
  }
}
