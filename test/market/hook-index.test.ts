import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type HookIndex, readIndex, signIndex } from "../../src/market/hook-index.ts";
import { offeredIn } from "../../src/market/indexes.ts";
import { temporaryFolder, writeFiles } from "../support/session.ts";

const KEY = generateKeyPairSync("ed25519");
const AT = "2026-11-30T10:00:00.000Z";

const list = (name: string): HookIndex => ({ version: 1, name, hooks: { gate: { spec: "npm:gate" } } });

/** A signed index whose text says when it was signed, or does not say it. */
function signedAt(time: string | undefined, name: string, key: KeyObject = KEY.privateKey): string {
  const index = JSON.stringify({ ...list(name), ...(time === undefined ? {} : { signedAt: time }) });
  const publicKey = KEY.publicKey.export({ type: "spki", format: "der" }).toString("base64");
  return JSON.stringify({ index, signature: sign(null, Buffer.from(index), key).toString("base64"), key: publicKey });
}

const SECONDS: [what: string, first: string | undefined, second: string | undefined, isTaken: boolean][] = [
  ["a millisecond later", AT, "2026-11-30T10:00:00.001Z", true],
  ["in the same millisecond", AT, AT, true],
  ["a millisecond earlier", AT, "2026-11-30T09:59:59.999Z", false],
  ["at no known time, after one that was", AT, undefined, false],
  ["after one of no known time", undefined, AT, true],
  ["at no known time, as the first", undefined, undefined, true],
];

test.each(SECONDS)(
  "an index that was signed %s is taken only if it is not older",
  async (_what, first, second, isTaken) => {
    const folder = temporaryFolder();
    const address = join(folder, "team.json");
    writeFiles(folder, { "team.json": signedAt(first, "first") });
    await readIndex(address, folder);
    writeFiles(folder, { "team.json": signedAt(second, "second") });
    const read = readIndex(address, folder);
    if (isTaken) expect((await read).name).toBe("second");
    else
      await expect(read).rejects.toMatchObject({
        code: "INTEGRITY_MISMATCH",
        message: expect.stringContaining("older"),
      });
    const notes: string[] = [];
    const offered = await offeredIn(folder, [], (text) => void notes.push(text));
    expect(offered.map(({ from }) => from)).toEqual([isTaken ? "second" : "first"]);
    expect(notes).toEqual(isTaken ? [] : [expect.stringMatching(/older .*: using the copy that was read last$/)]);
  },
);

test("an index that was signed says when", async () => {
  const folder = temporaryFolder();
  writeFiles(folder, { "team.json": signIndex(list("team"), KEY.privateKey) });
  const { signedAt: time = "" } = await readIndex(join(folder, "team.json"), folder);
  expect(Math.abs(Date.now() - Date.parse(time))).toBeLessThan(60_000);
});

test("of an index whose key is not the one that signed it, nothing is offered", async () => {
  const folder = temporaryFolder();
  const other = generateKeyPairSync("ed25519").privateKey;
  writeFiles(folder, { "team.json": signedAt(AT, "team", other) });
  await expect(offeredIn(folder, [join(folder, "team.json")], () => {})).rejects.toThrow("its signature is wrong");
});
