import { readdirSync } from "node:fs";
import { childrenOf, inGroups, type ProcessFacts } from "../sandbox/proc.ts";

const isBuilder = ({ command }: ProcessFacts): boolean => /cordon-build|bundle\/worker\.js/.test(command.join(" "));

/** Children of this process without those that build hooks: these end two seconds after the last build. */
const ownChildren = (): ProcessFacts[] => childrenOf(process.pid).filter((facts) => !isBuilder(facts));

export const children = (): number[] => ownChildren().map(({ pid }) => pid);

/** Children of this process that run the sandbox program, spares among them. */
export const sandboxes = (): number[] =>
  ownChildren().flatMap(({ pid, command }) => (command.some((word) => word.includes("process.cjs")) ? pid : []));

export const openDescriptors = (): number => readdirSync("/proc/self/fd").length;

/** Follows every process group that this process starts but those that build: an orphan of a killed sandbox still carries its group. */
export class GroupWatch {
  readonly #before = new Set(children());
  readonly #groups = new Set<number>();
  readonly #timer = setInterval(() => this.#look(), 25);

  #look(): void {
    for (const pid of children()) if (!this.#before.has(pid)) this.#groups.add(pid);
  }

  /** Stops following. Resolves with the processes of the groups that remain after up to five seconds. */
  async left(): Promise<number[]> {
    this.#look();
    clearInterval(this.#timer);
    let left = this.#members();
    for (const end = Date.now() + 5000; left.length > 0 && Date.now() < end; left = this.#members()) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return left;
  }

  #members(): number[] {
    return [...inGroups([...this.#groups]), ...children().filter((pid) => !this.#before.has(pid))];
  }
}
