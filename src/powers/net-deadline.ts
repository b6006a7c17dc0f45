/** As it settles, or rejects with the signal's reason before that. What it stands for may go on. */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => reject(signal.reason);
    if (signal.aborted) giveUp();
    signal.addEventListener("abort", giveUp, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", giveUp));
  });
}

/** Runs `work`, whose signal is aborted with `given`, or after `ms`. It rejects with `ETIMEDOUT` and `late` then. */
export async function within<T>(
  ms: number,
  given: AbortSignal,
  late: string,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), ms);
  // An agent does not live on for it.
  timer.unref();
  try {
    return await work(AbortSignal.any([given, limit.signal]));
  } catch (error) {
    if (!limit.signal.aborted || given.aborted) throw error;
    throw Object.assign(new Error(`${late} within ${ms / 1000} s`), { code: "ETIMEDOUT" });
  } finally {
    clearTimeout(timer);
  }
}
