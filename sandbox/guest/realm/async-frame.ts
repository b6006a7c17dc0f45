const { apply } = Reflect;

/** The values of the hook's `AsyncLocalStorage` objects, as Node's async context frame. */
export type AsyncFrame = ReadonlyMap<object, unknown> | undefined;

let current: AsyncFrame;

/**
 * The frame that the hook's code runs in. It is empty at the beginning of each entry. No decision of Cordon's uses it. The
 * object is frozen, since the hook has it, too.
 */
export const asyncFrames = Object.freeze({
  current: (): AsyncFrame => current,

  enter(frame: AsyncFrame): void {
    current = frame;
  },

  /** Calls `act` in `frame`, and returns to the present one. */
  run(frame: AsyncFrame, act: object, self: unknown, args: readonly unknown[]): unknown {
    const before = current;
    current = frame;
    try {
      return apply(act as () => unknown, self, args);
    } finally {
      current = before;
    }
  },
});
