import type { Task } from "./task.ts";

/** The open tasks of one supervisor, by number. */
export class Tasks {
  // A list: a map that is empty after each event would be allocated anew for each.
  readonly #open: Task[] = [];
  readonly #busy: () => void;
  readonly #idle: () => void;
  readonly #ended = (task: Task): void => this.#end(task);
  #last = 0;

  /** `busy` is called when a task begins, `idle` when the last one is over. */
  constructor(busy: () => void, idle: () => void) {
    this.#busy = busy;
    this.#idle = idle;
  }

  /** `make` receives the number of the task, and a function to call with the task when it is over. */
  begin<T extends Task>(make: (id: number, ended: (task: Task) => void) => T): T {
    this.#last = (this.#last % 0xffffffff) + 1;
    const task = make(this.#last, this.#ended);
    this.#open.push(task);
    this.#busy();
    return task;
  }

  get(id: number): Task | undefined {
    return this.#open.find((task) => task.id === id);
  }

  all(): Task[] {
    return [...this.#open];
  }

  #end(task: Task): void {
    if (this.#open.at(-1) === task) this.#open.pop();
    else {
      const at = this.#open.indexOf(task);
      if (at >= 0) this.#open.splice(at, 1);
    }
    if (this.#open.length === 0) this.#idle();
  }
}
