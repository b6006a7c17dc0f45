/**
 * Unpacks a bomb in a process of its own, and prints the memory that this needed, apart from the test's own memory. With an
 * argument it only writes the bomb to that path.
 */
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { unpack } from "../../src/market/archive.ts";
import { entry, MANIFEST } from "./hostile-tar.ts";

const MB = 1024 * 1024;
const BLOCK_MB = 32;
const BLOCKS = 40;

// Compressed once and repeated: gzip members may follow each other. The level is below the best, since the best ratio
// alone would reveal a bomb.
const block = Buffer.alloc(BLOCK_MB * MB);
randomBytes(16 * 1024).copy(block);
const part = gzipSync(block, { level: 9 });
const size = BLOCKS * BLOCK_MB * MB;
const head = gzipSync(Buffer.concat([MANIFEST, entry("package/x.ts", "", { size })]));
const bomb = Buffer.concat([head, ...Array.from({ length: BLOCKS }, () => part)]);
const [, , path] = process.argv;
if (path !== undefined) {
  writeFileSync(path, bomb);
  process.exit(0);
}
const place = mkdtempSync(join(tmpdir(), "cordon-bomb-"));
const message = await unpack(bomb, join(place, "package")).then(
  () => "unpacked",
  (error: Error) => error.message,
);
rmSync(place, { recursive: true, force: true });
const most = Math.round(process.resourceUsage().maxRSS / 1024);
process.stdout.write(JSON.stringify({ message, packed: Math.round(bomb.length / MB), most }));
