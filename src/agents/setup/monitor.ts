import { statSync } from "node:fs";
import { isInside } from "../../runtime/find-program.ts";
import { type InstalledAgent, readRecord, recordPath } from "./record.ts";

/** Which agents' hooks only monitor, as a person said when Cordon was entered. It stands in Cordon's home alone. */
export class Monitors {
  readonly #home: string;
  #known: { stamp: string; agents: readonly InstalledAgent[] } | undefined;

  constructor(home: string) {
    this.#home = home;
  }

  /** Names of agents for the person's own settings, and with the folder for those of a project. */
  get all(): string[] {
    return this.#agents()
      .filter(({ monitor }) => monitor)
      .map(({ agent, project }) => (project === undefined ? agent : `${agent} in ${project}`));
  }

  /** True if each entry of this agent that counts in a folder only monitors. A record that cannot be read says no. */
  isOn(agent: string, cwd: string): boolean {
    const here = this.#agents().filter(
      (one) => one.agent === agent && (one.project === undefined || isInside(cwd, one.project)),
    );
    return here.length > 0 && here.every(({ monitor }) => monitor === true);
  }

  /** The record is read again when it was written. */
  #agents(): readonly InstalledAgent[] {
    try {
      const status = statSync(recordPath(this.#home), { throwIfNoEntry: false, bigint: true });
      if (!status) return [];
      const stamp = [status.ino, status.size, status.mtimeNs, status.ctimeNs].join(" ");
      if (this.#known?.stamp !== stamp) this.#known = { stamp, agents: readRecord(this.#home) };
      return this.#known.agents;
    } catch {
      return [];
    }
  }
}
