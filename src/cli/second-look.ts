import { readJson } from "../../sandbox/wire/read-json.ts";
import type { HookEvent } from "../hook-api.ts";
import type { HookHost } from "../host/host.ts";
import { OtherStandIns } from "../recording/masks.ts";

/** What hooks say of a recorded event. */
export const judge = (host: HookHost, event: HookEvent): Promise<unknown> =>
  event.type === "tool_call" ? host.emitToolCall(event, { canRun: () => true }) : host.emit(event);

/** The same hooks in a session of their own, which judge the same events with other stand-ins. */
export class SecondLook {
  readonly #host: HookHost;
  readonly #others = new OtherStandIns();

  private constructor(host: HookHost) {
    this.#host = host;
    host.onError(() => {});
  }

  static async start(start: () => Promise<HookHost>): Promise<SecondLook> {
    return new SecondLook(await start());
  }

  /** What they say, with the stand-ins of the recording. */
  async judge(event: HookEvent): Promise<unknown> {
    const result = await judge(this.#host, readJson(this.#others.replace(JSON.stringify(event))));
    return readJson(this.#others.restore(JSON.stringify(result ?? null)));
  }

  close(): Promise<void> {
    return this.#host.close();
  }
}
