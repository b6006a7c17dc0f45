import { hash } from "node:crypto";
import { constants, createReadStream } from "node:fs";
import { join } from "node:path";
import { attemptOr } from "../base/attempt.ts";
import type { AuditLine } from "./audit.ts";
import { auditFiles, MAX_LINE, openLog } from "./chain.ts";

/** A line of the log, and its position. */
export interface Standing {
  line: AuditLine;
  /** `2026-01-31.jsonl:12` */
  at: string;
  /** SHA-256 of the line as it is written: what the next line has as `prev`. */
  hash: string;
  /** Why it does not follow the line before it, if so. */
  fault?: string;
}

/**
 * Reads a log from its first line to its last, and checks that each line follows the one before: that it has the next number,
 * and that its `prev` is the hash of the line before. A line that is not JSON makes the next line a fault.
 */
export async function* readAudit(folder: string): AsyncGenerator<Standing> {
  let before: { seq: number; hash: string } | undefined;
  let damage: string | undefined;
  for (const name of auditFiles(folder)) {
    let number = 0;
    for await (const text of linesOf(join(folder, name))) {
      const at = `${name}:${++number}`;
      const line = parseLine(text);
      if (!line) {
        damage ??= `${at} is no line of the log`;
        continue;
      }
      const fault = damage ?? faultOf(line, before);
      damage = undefined;
      before = { seq: line.seq, hash: hash("sha256", text) };
      yield { line, at, hash: before.hash, ...(fault === undefined ? {} : { fault }) };
    }
  }
  if (damage !== undefined) yield { line: END, at: "the end", hash: before?.hash ?? hash("sha256", ""), fault: damage };
}

/**
 * Only a newline ends a line: a value may contain characters that other readers take for the end of a line. A line that is longer
 * than any that Cordon writes comes as an empty one, which is no line of the log.
 */
async function* linesOf(path: string): AsyncGenerator<string> {
  let rest = "";
  for await (const chunk of createReadStream(path, { encoding: "utf8", fd: openLog(path, constants.O_RDONLY) })) {
    const lines = (rest + chunk).split("\n");
    rest = withinLimit(lines.pop() as string);
    for (const line of lines) yield line.length > MAX_LINE ? "" : line;
  }
  if (rest !== "") yield rest.length > MAX_LINE ? "" : rest;
}

/** Of the start of a line that is too long already, as much as shows that. */
const withinLimit = (rest: string): string => (rest.length > MAX_LINE ? rest.slice(0, MAX_LINE + 1) : rest);

/** Marks the end of a log whose last line is incomplete. */
const END: AuditLine = { seq: 0, time: "", hook: "", outcome: "", prev: "" };

/** Parses a line of the log; returns `undefined` for any other text. */
export function parseLine(text: string): AuditLine | undefined {
  const line = attemptOr(() => Object(JSON.parse(text)) as AuditLine, undefined);
  if (!line || !Number.isSafeInteger(line.seq)) return undefined;
  const { prev, hook, outcome, time, digest = "", event = "", capability = "", value = "" } = line;
  return [prev, hook, outcome, time, digest, event, capability, value].every(isText) ? line : undefined;
}

const isText = (value: unknown): boolean => typeof value === "string";

function faultOf(line: AuditLine, before: { seq: number; hash: string } | undefined): string | undefined {
  const isFirst = line.seq === 1 && line.prev === hash("sha256", "");
  if (!before) return isFirst ? undefined : `the log begins at number ${line.seq}: what was before is gone`;
  if (line.seq !== before.seq + 1) return `number ${line.seq} follows number ${before.seq}`;
  if (line.prev !== before.hash)
    return `the line before number ${line.seq} is not what it was when this one was written`;
  return undefined;
}
