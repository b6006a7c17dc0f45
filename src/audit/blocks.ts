import { closeSync, constants, existsSync, fchmodSync, fstatSync } from "node:fs";
import { readJson } from "../../sandbox/wire/read-json.ts";
import { attemptOr } from "../base/attempt.ts";
import { readIfThere, writeAtomically } from "../disk/atomic-file.ts";
import { inHome } from "../disk/home.ts";
import { openLog } from "./log-files.ts";
import { writeWhole } from "./write-whole.ts";

/** What is kept of a blocked call beside the audit, for `cordon why`. */
export interface KeptBlock {
  /** As ISO 8601. */
  time: string;
  /** The hook's id. */
  hook: string;
  tool: string;
  reason: string;
  /** Where the handler that blocked was registered: file, line and column. */
  at?: string;
  /** What happened to the hook, if a failure of it blocked. */
  code?: string;
  /** The call's input; its JSON cut, as a text, if it is long; `undefined` if it is no JSON. */
  input: unknown;
}

/** Longest input that is kept, in characters of JSON. */
const MAX_INPUT = 4000;

/** The file's size in bytes at which its older half goes. */
const MAX_BYTES = 256 * 1024;

const pathIn = (home: string): string => inHome(home, "blocked.jsonl");

/** The last blocked calls of a home, with their input: only its owner can read the file. */
export class Blocks {
  readonly #path: string | undefined;
  last: KeptBlock | undefined;

  /** @param home `undefined`: only the last one is kept, and in no file */
  constructor(home: string | undefined) {
    this.#path = home && pathIn(home);
  }

  /** Keeps a block. A file that cannot be written changes no verdict. */
  keep(block: KeptBlock): void {
    // What is no JSON is a reason to block.
    const input = attemptOr((): string | undefined => JSON.stringify(block.input), undefined);
    if (input === undefined) this.last = { ...block, input: undefined };
    else if (input.length <= MAX_INPUT) this.last = block;
    else this.last = { ...block, input: `${input.slice(0, MAX_INPUT)}…`.toWellFormed() };
    const path = this.#path;
    if (path !== undefined) attemptOr(() => append(path, `${JSON.stringify(this.last)}\n`), undefined);
  }
}

function append(path: string, line: string): void {
  const file = openLog(path, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT);
  let size: number;
  try {
    if (process.platform !== "win32") fchmodSync(file, 0o600);
    size = writeWhole(file, fstatSync(file).size, line);
  } finally {
    closeSync(file);
  }
  if (size <= MAX_BYTES) return;
  const lines = (readIfThere(path) ?? "").trimEnd().split("\n");
  writeAtomically(path, `${lines.slice(Math.ceil(lines.length / 2)).join("\n")}\n`);
}

/** The blocked calls that are kept, oldest first. Lines that are damaged are left out. */
export function keptBlocks(home: string): KeptBlock[] {
  const path = pathIn(home);
  if (!existsSync(path)) return [];
  const read = (text: string): KeptBlock[] => {
    const { time, hook, tool, reason, at, code, input } = Object(readJson(text)) as Record<string, unknown>;
    if (![time, hook, tool, reason].every((one) => typeof one === "string")) return [];
    const [place, cause] = [at, code].map((one) => (typeof one === "string" ? one : undefined));
    const more = { ...(place === undefined ? {} : { at: place }), ...(cause === undefined ? {} : { code: cause }) };
    return [{ time, hook, tool, reason, ...more, input } as KeptBlock];
  };
  return (readIfThere(path) ?? "")
    .split("\n")
    .filter(Boolean)
    .flatMap((text) => attemptOr(() => read(text), []));
}
