const TICK_MS = 100;

/**
 * Calls `act` after `ms` in which this process really ran. Time does not count while the machine sleeps or is too busy to
 * run it. Returns a function that cancels the call.
 */
export function afterWaking(ms: number, act: () => void): () => void {
  let left = ms;
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    left -= Math.min(now - last, 2 * TICK_MS);
    last = now;
    if (left > 0) return;
    clearInterval(timer);
    act();
  }, TICK_MS);
  return () => clearInterval(timer);
}
