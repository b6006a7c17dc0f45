import type { Native } from "./native.ts";

const PRLIMIT: Record<string, number> = { x64: 302, arm64: 261 };
const OPEN_FILES = 7;

/** Open descriptors stay open; no further ones can be opened. */
export function forbidDescriptors({ call, address }: Native, architecture: string): boolean {
  const number = PRLIMIT[architecture];
  return number !== undefined && call(number, 0, OPEN_FILES, address(new BigUint64Array([0n, 0n])), 0) === 0;
}
