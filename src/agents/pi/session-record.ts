import type { AuditLine } from "../../audit/line.ts";
import { cleanLine } from "../../base/text.ts";
import type { Block } from "./tool-events.ts";

/** Most lines that a person reads. */
const SHOWN_LINES = 20;

/** What hooks did in this session, as far as a person may ask for it within pi. The whole of it is in the audit log. */
export class SessionRecord {
  readonly #lines: string[] = [];
  lastBlock: Block | undefined;
  /** How many tool calls were blocked. */
  blocked = 0;

  readonly audit = ({ time, hook, event, capability, value, outcome }: AuditLine): void => {
    const what = [event, capability, value].filter(Boolean).join(" ");
    this.#lines.push(cleanLine(`${time.slice(11, 19)} ${outcome} ${hook} ${what}`, 300));
    if (this.#lines.length > SHOWN_LINES) this.#lines.shift();
  };

  /** The latest lines, oldest first. */
  get lines(): readonly string[] {
    return this.#lines;
  }

  block(block: Block): void {
    this.lastBlock = block;
    this.blocked++;
  }
}
