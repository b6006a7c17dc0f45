/** What `act` returns, or `otherwise` if it throws. */
export function attemptOr<T, Otherwise>(act: () => T, otherwise: Otherwise): T | Otherwise {
  try {
    return act();
  } catch {
    return otherwise;
  }
}
