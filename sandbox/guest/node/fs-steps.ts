/** Operations one after the other, which may block the hook or not. */
import { wrongType } from "./fault.ts";
import { type Plan, run, runNow } from "./fs-plans.ts";

export type Steps<T> = Generator<Plan<unknown>, T, unknown>;

export function now<T>(steps: Steps<T>): T {
  for (let step = steps.next(); ; ) {
    if (step.done) return step.value;
    let answer: unknown;
    try {
      answer = runNow(step.value);
    } catch (error) {
      step = steps.throw(error);
      continue;
    }
    step = steps.next(answer);
  }
}

export async function soon<T>(steps: Steps<T>): Promise<T> {
  for (let step = steps.next(); ; ) {
    if (step.done) return step.value;
    let answer: unknown;
    try {
      answer = await run(step.value);
    } catch (error) {
      step = steps.throw(error);
      continue;
    }
    step = steps.next(answer);
  }
}

type Callback = (error: unknown, ...answers: unknown[]) => void;

/**
 * The version of a function that calls back. What `steps` throws before the first of them, it throws at once, as in Node.
 * @param failed what the callback gets after an error
 */
export const later =
  <Args extends unknown[], T>(
    steps: (...args: Args) => Steps<T>,
    answers: (answer: T, args: Args) => unknown[],
    failed: (args: Args) => unknown[] = none,
  ) =>
  (...args: unknown[]): void => {
    const callback = args.pop() as Callback;
    if (typeof callback !== "function") throw wrongType("cb", "of type function");
    soon(steps(...(args as Args))).then(
      (answer) => callback(null, ...answers(answer, args as Args)),
      (error) => callback(error, ...failed(args as Args)),
    );
  };

/** What a callback gets besides the error. */
export const one = (answer: unknown): unknown[] => [answer];
export const none = (): unknown[] => [];
