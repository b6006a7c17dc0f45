/**
 * Unpacks a bomb in a process of its own, and tells what it cost: its own memory could not be told from a test's. With an
 * argument it only writes the bomb there.
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

// Packed once, many times over: gzip's parts may follow each other. A little worse than the best there is, which alone
// would give a bomb away.
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
