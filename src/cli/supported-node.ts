/** The lowest supported version of each line of Node. All later lines are supported. Same as `engines` in package.json. */
const LOWEST: [major: number, minor: number, patch: number][] = [
  [22, 22, 2],
  [24, 15, 0],
  [26, 0, 0],
];

/** This file imports nothing and runs on any Node with ES modules: an old Node must be able to say what is wrong. */
export function isSupported(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split(".").map((part) => Number.parseInt(part, 10));
  const [lowest] = LOWEST.slice(-1);
  if (lowest && major > lowest[0]) return true;
  return LOWEST.some((line) => line[0] === major && (minor > line[1] || (minor === line[1] && patch >= line[2])));
}

/** The message for an unsupported Node. */
export const wantedNode = (version: string): string =>
  `cordon: Node ${version} is too old: ${LOWEST.map((lowest) => lowest.join(".")).join(", ")} or later in one of these lines is needed; see https://nodejs.org`;
