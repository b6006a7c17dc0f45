import type { Native } from "./native.ts";

/** The same numbers on every architecture. */
const CREATE_RULESET = 444;
const RESTRICT_SELF = 446;
const GET_VERSION = 1;

/** Rights over files, and over TCP ports, by the version of the interface that brought them. */
const FILE_RIGHTS = [
  [1, 13],
  [2, 14],
  [3, 15],
  [5, 16],
] as const;
const TCP_SINCE = 4;
const TCP_BIND_AND_CONNECT = 0b11n;
const SCOPES_SINCE = 6;
/** No abstract unix sockets, and no signals, beyond this process. */
const SCOPES = 0b11n;

const ADD_RULE = 445;
const PATH_BENEATH = 1;
const WRITE_FILE = 1n << 1n;
const READ = (1n << 2n) | (1n << 3n);
const REMOVE_FILE = 1n << 5n;
const MAKE_FILE = 1n << 8n;
const TRUNCATE = 1n << 14n;
const TRUNCATE_SINCE = 3;

/** A folder that stays in reach, by its descriptor. `writes`: its files can be changed, made and removed. */
export interface OpenFolder {
  readonly descriptor: number;
  readonly writes: boolean;
}

/**
 * Takes all rights over files, TCP, abstract sockets and signals that this kernel knows from the calling thread, for good,
 * but for files in `folder`. Returns the version of the interface, or `undefined` if the kernel has no landlock.
 */
export function landlock({ call, close, address }: Native, folder?: OpenFolder): number | undefined {
  const version = call(CREATE_RULESET, 0, 0, GET_VERSION);
  if (version < 1) return undefined;
  const bits = FILE_RIGHTS.reduce((most, [since, count]) => (version >= since ? count : most), 0);
  const rights = new BigUint64Array([
    (1n << BigInt(bits)) - 1n,
    version >= TCP_SINCE ? TCP_BIND_AND_CONNECT : 0n,
    version >= SCOPES_SINCE ? SCOPES : 0n,
  ]);
  const size = version >= SCOPES_SINCE ? 24 : version >= TCP_SINCE ? 16 : 8;
  const ruleset = call(CREATE_RULESET, address(rights), size, 0);
  if (ruleset < 0) return undefined;
  // Without a rule it refuses everything that it handles.
  const allowed = !folder || call(ADD_RULE, ruleset, PATH_BENEATH, address(ruleOf(folder, version)), 0) === 0;
  const restricted = allowed && call(RESTRICT_SELF, ruleset, 0) === 0;
  close(ruleset);
  return restricted ? version : undefined;
}

function ruleOf({ descriptor, writes }: OpenFolder, version: number): DataView {
  const changes = WRITE_FILE | REMOVE_FILE | MAKE_FILE | (version >= TRUNCATE_SINCE ? TRUNCATE : 0n);
  const rule = new DataView(new ArrayBuffer(12));
  rule.setBigUint64(0, READ | (writes ? changes : 0n), true);
  rule.setInt32(8, descriptor, true);
  return rule;
}
