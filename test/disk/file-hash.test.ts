import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { sha256OfFile } from "../../src/disk/file-hash.ts";

const folder = mkdtempSync(join(tmpdir(), "cordon-hash-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const PIECE = 64 * 1024;

test.each([0, 1, PIECE - 1, PIECE, PIECE + 1, 2 * PIECE, 5 * PIECE + 7])("the hash of a file of %i bytes", (bytes) => {
  const file = join(folder, String(bytes));
  const content = Buffer.from(Array.from({ length: bytes }, (_, at) => (at * 7 + (at >> 8)) & 255));
  writeFileSync(file, content);
  expect(sha256OfFile(file)).toBe(createHash("sha256").update(content).digest("hex"));
});

test("what is no file has none", () => {
  expect(() => sha256OfFile(join(folder, "none"))).toThrow("ENOENT");
});
