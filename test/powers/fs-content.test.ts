import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { writeInParts } from "../../src/powers/fs-files.ts";
import { temporaryFolder } from "../support/session.ts";

/** Characters, or bytes, that are written at once. */
const PART = 255 * 1024;

function written(content: string | Buffer): Buffer {
  const path = join(temporaryFolder(), "file");
  const file = openSync(path, "w");
  for (const _ of writeInParts(file, content));
  closeSync(file);
  return readFileSync(path);
}

const ENDS = ["", "x", "é", "\u2800", "😀", "😀😀", "\ud83d", "\ude00", "\ud83d\ud83d\ude00"];

test.each([-3, -2, -1, 0, 1])(
  "a text is written whole, whatever stands where a part ends, %i characters from there",
  (offset) => {
    for (const end of ENDS)
      for (const parts of [1, 2]) {
        const text = `${"\u2800".repeat(parts * PART + offset)}${end}y`;
        expect(written(text).equals(Buffer.from(text)), `${JSON.stringify(end)} in part ${parts}`).toBe(true);
      }
  },
);

test.each([0, 1, PART - 1, PART, PART + 1, 2 * PART, 3 * PART + 1])("%i bytes are written whole", (length) => {
  const bytes = Buffer.alloc(length, "0123456789\xff", "latin1");
  expect(written(bytes).equals(bytes)).toBe(true);
});
