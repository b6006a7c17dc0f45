const { apply } = Reflect;

/** The values of the hook's `AsyncLocalStorage` objects, as Node's async context frame. */
export type AsyncFrame = ReadonlyMap<object, unknown> | undefined;

let current: AsyncFrame;
let isFollowed = false;

/** The entry of the hook's realm: each begins with an empty frame. */
export const entry =
  (deliver: (text: string) => void) =>
  (text: string): void => {
    current = undefined;
    deliver(text);
  };

/** The frame that the hook's code runs in. No decision of Cordon's uses it. The object is frozen, since the hook has it, too. */
export const asyncFrames = Object.freeze({
  /** The bundle carries the frame on: it says so before its code runs. */
  follow(): void {
    isFollowed = true;
  },

  areFollowed: (): boolean => isFollowed,

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
