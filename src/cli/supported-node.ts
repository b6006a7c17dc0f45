/** The lowest supported version of each line of Node. All later lines are supported. Same as `engines` in package.json. */
const LOWEST = [
  [22, 22, 2],
  [24, 15, 0],
  [26, 0, 0],
];

/** This file imports nothing and runs on any Node with ES modules: an old Node must be able to say what is wrong. */
export function isSupported(version: string): boolean {
  const parts = version.split(".").map((part) => Number.parseInt(part, 10));
  const last = LOWEST[LOWEST.length - 1];
  if (last && Number(parts[0]) > Number(last[0])) return true;
  return LOWEST.some((lowest) => lowest[0] === parts[0] && !isBelow(parts, lowest));
}

function isBelow(parts: number[], lowest: number[]): boolean {
  for (let at = 0; at < lowest.length; at++) {
    if (Number(parts[at]) !== Number(lowest[at])) return Number(parts[at]) < Number(lowest[at]);
  }
  return false;
}

/** The message for an unsupported Node. */
export const wantedNode = (version: string): string =>
  `cordon: Node ${version} is too old: ${LOWEST.map((lowest) => lowest.join(".")).join(", ")} or later in one of these lines is needed; see https://nodejs.org`;
