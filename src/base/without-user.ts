import { attemptOr } from "./attempt.ts";

/** An address without its user and password; what is no address, as it is. */
export function withoutUser(address: string): string {
  const url = attemptOr(() => new URL(address), undefined);
  if (!url) return address;
  url.username = "";
  url.password = "";
  return url.href;
}
