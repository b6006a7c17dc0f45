/** What happens in an agent of the hook's own, event by event, as the host tells it. */
import { host } from "../../node/host.ts";

type AgentEvent = { type: string; [field: string]: unknown };

interface Reader {
  /** Takes the next event. The one after it waits. */
  event(event: AgentEvent): Promise<void> | void;
  /** There will be no more. */
  ended(why: string): void;
}

/** Reads until the agent is over. */
export class AgentPump {
  readonly #agent: number;
  readonly #reader: Reader;
  readonly #gone = new AbortController();
  #count = 0;
  #isOver = false;
  #waiting: { count: number; resolve: () => void }[] = [];

  constructor(agent: number, reader: Reader) {
    this.#agent = agent;
    this.#reader = reader;
    void this.#read();
  }

  /** Resolves when the reader had so many events, or there will be no more. */
  reached(count: number): Promise<void> {
    if (this.#isOver || this.#count >= count) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push({ count, resolve }));
  }

  /** Reads no more. */
  stop(): void {
    this.#gone.abort();
    this.#end("its hook ended it");
  }

  async #read(): Promise<void> {
    while (!this.#isOver)
      try {
        const { events, count, ended } = await host.call("agents.read", [this.#agent], this.#gone.signal);
        for (const event of events) if (!this.#isOver) await this.#reader.event(event as AgentEvent);
        this.#count = count;
        this.#settle();
        if (ended !== undefined) this.#end(ended);
      } catch (error) {
        this.#end((error as Error).message);
      }
  }

  #end(why: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#settle();
    this.#reader.ended(why);
  }

  #settle(): void {
    const due = this.#waiting.filter(({ count }) => this.#isOver || count <= this.#count);
    this.#waiting = this.#waiting.filter((one) => !due.includes(one));
    for (const { resolve } of due) resolve();
  }
}
