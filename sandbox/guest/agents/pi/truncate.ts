/** pi's limits on the output of tools: whole lines, as many as fit both a number of lines and of bytes. */
export const DEFAULT_MAX_LINES = 2000;
export const DEFAULT_MAX_BYTES = 50 * 1024;

interface Limits {
  maxLines?: number;
  maxBytes?: number;
}

export interface Truncation {
  content: string;
  truncated: boolean;
  truncatedBy: "lines" | "bytes" | null;
  totalLines: number;
  totalBytes: number;
  outputLines: number;
  outputBytes: number;
  lastLinePartial: boolean;
  firstLineExceedsLimit: boolean;
  maxLines: number;
  maxBytes: number;
}

const bytesOf = (text: string): number => new TextEncoder().encode(text).length;

export function formatSize(bytes: number): string {
  if (bytes < 1024) return `${bytes}B`;
  return bytes < 1024 * 1024 ? `${(bytes / 1024).toFixed(1)}KB` : `${(bytes / (1024 * 1024)).toFixed(1)}MB`;
}

/** The longest line of a search's result, in characters. */
export const GREP_MAX_LINE_LENGTH = 500;

/** A line of at most so many characters, and whether something was cut. Half of a character is never kept. */
export function truncateLine(line: string, most = GREP_MAX_LINE_LENGTH): { text: string; wasTruncated: boolean } {
  if (line.length <= most) return { text: line, wasTruncated: false };
  return { text: `${sliceHead(line, most)}... [truncated]`, wasTruncated: true };
}

/** The beginning of a text, in so many UTF-16 units, without half of a character. */
export function sliceHead(text: string, most: number): string {
  const end = Math.max(0, most);
  const isSplit = text.charCodeAt(end - 1) >> 10 === 0x36 && text.charCodeAt(end) >> 10 === 0x37;
  return text.slice(0, isSplit ? end - 1 : end);
}

/** Keeps the first lines. Empty if not even the first line fits. */
export const truncateHead = (content: string, limits: Limits = {}): Truncation => truncate(content, limits, false);

/** Keeps the last lines. If not even the last line fits, keeps its end. */
export const truncateTail = (content: string, limits: Limits = {}): Truncation => truncate(content, limits, true);

function truncate(content: string, limits: Limits, fromEnd: boolean): Truncation {
  const { maxLines = DEFAULT_MAX_LINES, maxBytes = DEFAULT_MAX_BYTES } = limits;
  const lines = content === "" ? [] : content.replace(/\n$/, "").split("\n");
  const totalBytes = bytesOf(content);
  const whole: Truncation = {
    content,
    truncated: false,
    truncatedBy: null,
    totalLines: lines.length,
    totalBytes,
    outputLines: lines.length,
    outputBytes: totalBytes,
    lastLinePartial: false,
    firstLineExceedsLimit: false,
    maxLines,
    maxBytes,
  };
  if (lines.length <= maxLines && totalBytes <= maxBytes) return whole;
  const kept: string[] = [];
  let bytes = 0;
  let isFull = false;
  for (const line of fromEnd ? lines.toReversed() : lines) {
    if (kept.length >= maxLines) break;
    const more = bytesOf(line) + (kept.length > 0 ? 1 : 0);
    isFull = bytes + more > maxBytes;
    if (isFull) break;
    kept.push(line);
    bytes += more;
  }
  const cut = { ...whole, truncated: true, truncatedBy: "bytes" as const };
  if (isFull && kept.length === 0 && !fromEnd)
    return { ...cut, content: "", outputLines: 0, outputBytes: 0, firstLineExceedsLimit: true };
  const lastLinePartial = isFull && kept.length === 0;
  if (lastLinePartial) kept.push(endOf(lines.at(-1) ?? "", maxBytes));
  const text = (fromEnd ? kept.toReversed() : kept).join("\n");
  const truncatedBy = isFull && kept.length < maxLines ? "bytes" : "lines";
  return { ...cut, truncatedBy, content: text, outputLines: kept.length, outputBytes: bytesOf(text), lastLinePartial };
}

/** The end of a text, in so many bytes, without half of a character. */
function endOf(text: string, most: number): string {
  let end = "";
  for (const character of [...text].toReversed()) {
    if (bytesOf(character + end) > most) break;
    end = character + end;
  }
  return end;
}
