import { createHash } from "node:crypto";
import pacote, { type Download } from "pacote";

import { type Budget, MAX_PACKED_BYTES, refused, unpack } from "./archive.ts";
import type { NpmOptions } from "./registry.ts";

/**
 * Fetches a tarball and unpacks it into a folder. Resolves with the SHA-512 of the tarball; it equals `options.integrity`, if
 * that is given. Rejects with `LOAD_FAILED` for a tarball that is refused.
 */
export async function fetchTarball(spec: string, folder: string, options: NpmOptions, budget: Budget): Promise<string> {
  const packed = await download(spec, options);
  await unpack(packed, folder, budget);
  return `sha512-${createHash("sha512").update(packed).digest("base64")}`;
}

/** Fetches a tarball up to the size limit. */
function download(spec: string, options: NpmOptions): Promise<Buffer> {
  const collect = async (stream: Download): Promise<Buffer> => {
    // An aborted download reports its error twice, the second time after the loop below has ended.
    stream.on("error", () => {});
    const parts: Buffer[] = [];
    let bytes = 0;
    for await (const part of stream) {
      bytes += part.length;
      if (bytes > MAX_PACKED_BYTES) throw refused(`larger than ${MAX_PACKED_BYTES / 1024 / 1024} MB`);
      parts.push(part);
    }
    return Buffer.concat(parts);
  };
  return pacote.tarball.stream(spec, collect, options);
}
