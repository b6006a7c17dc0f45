import { gzipSync } from "node:zlib";

const BLOCK = 512;
const LARGEST_OCTAL = 0o77777777777;

interface Facts {
  /** The type in the header: `0` file, `1` hard link, `2` link, `3` and `4` devices, `5` folder, `6` pipe, or any other. */
  type?: string;
  mode?: number;
  /** The target of a link. */
  link?: string;
  /** The size in the header, by default the body's length. */
  size?: number;
  /** Put before the name, with a slash between. */
  prefix?: string;
  /** A wrong checksum, if given. */
  checksum?: number;
}

/** One entry with exactly these bytes in its header: no library restricts the names. */
export function entry(path: string, body: string | Buffer = "", facts: Facts = {}): Buffer {
  const { type = "0", mode = 0o644, link = "", size = Buffer.byteLength(body), prefix = "" } = facts;
  const header = Buffer.alloc(BLOCK);
  header.write(path, 0, 100);
  header.write(`${mode.toString(8).padStart(7, "0")}\0`, 100);
  header.write("0000000\x000000000\0", 108);
  writeSize(header, size);
  header.write("00000000000\0", 136);
  header.write(type, 156);
  header.write(link, 157, 100);
  header.write("ustar\x0000", 257);
  header.write(prefix, 345, 155);
  header.fill(" ", 148, 156);
  const sum = facts.checksum ?? header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return Buffer.concat([header, padded(Buffer.from(body))]);
}

/** A size that is too large for octal digits, or negative, is written in binary. */
function writeSize(header: Buffer, size: number): void {
  if (size >= 0 && size <= LARGEST_OCTAL) {
    header.write(`${size.toString(8).padStart(11, "0")}\0`, 124);
    return;
  }
  header.fill(size < 0 ? 0xff : 0, 124, 136);
  header.writeBigInt64BE(BigInt(size), 128);
  header[124] = size < 0 ? 0xff : 0x80;
}

const padded = (body: Buffer): Buffer => Buffer.concat([body, Buffer.alloc((BLOCK - (body.length % BLOCK)) % BLOCK)]);

/** A pax header that overrides the next entry's own header; `g`: those of all later entries. */
export function pax(records: Record<string, string>, type: "x" | "g" = "x"): Buffer {
  const lines = Object.entries(records).map(([key, value]) => {
    const rest = ` ${key}=${value}\n`;
    // The length counts its own digits.
    let length = Buffer.byteLength(rest);
    while (Buffer.byteLength(`${length}${rest}`) !== length) length = Buffer.byteLength(`${length}${rest}`);
    return `${length}${rest}`;
  });
  return entry("PaxHeader/x", lines.join(""), { type });
}

/** GNU's form of a long name, or (`K`) of a long link target. */
export const gnuLong = (path: string, type: "L" | "K" = "L"): Buffer => entry("././@LongLink", `${path}\0`, { type });

/** An entry whose real name is in a pax header: any length, any character. */
export const named = (path: string, body = "", facts: Facts = {}): Buffer =>
  Buffer.concat([pax({ path }), entry("package/harmless.ts", body, facts)]);

export const folder = (path: string, mode = 0o755): Buffer => entry(path, "", { type: "5", mode });

export const END = Buffer.alloc(2 * BLOCK);

export const tar = (...parts: Buffer[]): Buffer => Buffer.concat([...parts, END]);

export const tgz = (...parts: Buffer[]): Buffer => gzipSync(tar(...parts));

/** The minimum of a hook package. */
export const manifestOf = (more: object = {}): string =>
  JSON.stringify({ name: "gate", version: "1.0.0", cordon: { hooks: ["./index.ts"] }, ...more });

export const HOOK =
  "export default function (pi: any) { pi.on('tool_call', async () => ({ block: true, reason: 'no' })); }\n";

export const MANIFEST = entry("package/package.json", manifestOf());
export const INDEX = entry("package/index.ts", HOOK);
