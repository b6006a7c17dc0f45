/** Events whose hooks may be guards: without them, what the event is about is not done, or not shown. */
export const GUARDED: readonly string[] = ["tool_call", "tool_result", "permission_request", "user_bash"];

/** What a hook guarded before it was restarted, as the same bytes, and what it guards now. */
export class GuardMemory {
  /** The digest of an earlier instance that had handlers for these. */
  readonly #guarded = new Map<string, string | undefined>();
  /** What the latest instance has had handlers for, and its digest. */
  readonly #guards = new Set<string>();
  #digest: string | undefined;

  /** Notes the handlers of the latest instance. One that takes a handler away again has had it. */
  has(events: ReadonlyMap<string, number>): void {
    for (const type of GUARDED) if ((events.get(type) ?? 0) > 0) this.#guards.add(type);
  }

  /** An instance of this digest begins, without any handler. */
  begin(digest: string | undefined): void {
    for (const type of this.#guards) this.#guarded.set(type, this.#digest);
    this.#digest = digest;
    this.#guards.clear();
  }

  /** Notes that this digest guarded tool calls when a person accepted it. */
  expect(digest: string | undefined): void {
    this.#guarded.set("tool_call", digest);
  }

  /** True if this digest had handlers for these in an earlier instance, and has had none in the latest. */
  lacks(type: string, digest: string | undefined): boolean {
    const known = this.#guarded.get(type);
    return known !== undefined && known === digest && !this.#guards.has(type);
  }
}
