/** Files that pi's modules open, over the hook's `fs` power: one is read whole when it is opened, or written when it is closed. */
import { Buffer } from "../../node/buffer.ts";
import { unavailable } from "../../node/fault.ts";
import { readFileSync, writeFileSync as writeWhole } from "../../node/fs.ts";
import { readFile } from "../../node/fs-promises.ts";

export {
  appendFileSync,
  createReadStream,
  existsSync,
  mkdirSync,
  readdirSync,
  statSync,
} from "../../node/fs.ts";

interface Reading {
  readonly content: Uint8Array;
  position: number;
}

interface Writing {
  readonly path: string;
  text: string;
}

const open = new Map<number, Reading | Writing>();
let last = 2;

export function openSync(path: string, flags: string): number {
  if (flags === "r") {
    open.set(++last, { content: Buffer.from(readFileSync(path) as Uint8Array), position: 0 });
  } else if (flags === "w" || flags === "wx") {
    writeWhole(path, "", { flag: flags });
    open.set(++last, { path, text: "" });
  } else throw unavailable(`fs.openSync is not offered to hooks with "${flags}"`);
  return last;
}

/** Reads on from where the last read ended. */
export function readSync(file: number, into: Uint8Array, offset: number, length: number): number {
  const reading = open.get(file);
  if (!reading || !("content" in reading)) throw badDescriptor();
  const bytes = copy(reading.content, into, offset, length, reading.position);
  reading.position += bytes;
  return bytes;
}

export function writeFileSync(file: number | string, text: string, options?: "utf8"): void {
  if (typeof file === "string") {
    writeWhole(file, text, options);
    return;
  }
  const writing = open.get(file);
  if (!writing || !("text" in writing)) throw badDescriptor();
  writing.text += text;
}

export function closeSync(file: number): void {
  const closed = open.get(file);
  open.delete(file);
  if (closed && "text" in closed) writeWhole(closed.path, closed.text);
}

const badDescriptor = (): Error => Object.assign(new Error("EBADF: bad file descriptor"), { code: "EBADF" });

interface Opened {
  read(into: Uint8Array, offset: number, length: number, position: number): Promise<{ bytesRead: number }>;
  close(): Promise<void>;
}

async function openFile(path: string): Promise<Opened> {
  const content = Buffer.from((await readFile(path)) as Uint8Array);
  return {
    read: async (...part) => ({ bytesRead: copy(content, ...part) }),
    close: async () => {},
  };
}

export { openFile as open };

function copy(from: Uint8Array, into: Uint8Array, offset: number, length: number, position: number): number {
  const part = from.subarray(position, position + length);
  into.set(part, offset);
  return part.length;
}
