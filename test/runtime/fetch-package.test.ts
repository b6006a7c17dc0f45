import { createHash, randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { fetchPackage } from "../../src/runtime/fetch-package.ts";
import { temporaryFolder } from "../support/session.ts";

const TARBALL = randomBytes(300_000);
const sha512 = (bytes: Buffer): string => `sha512-${createHash("sha512").update(bytes).digest("base64")}`;
const PINNED = { spec: "runtime-part@1.0.0", integrity: sha512(TARBALL), bytes: TARBALL.length };

/** What a registry does with a request for the tarball. `sent`: bytes after which it cuts the connection. */
interface Manner {
  sent?: number;
  /** It answers no ranges. */
  whole?: true;
  /** It answers another range. */
  from?: number;
  bytes?: Buffer;
}

/** A registry on 127.0.0.1 with one package, and what was asked of it. */
async function registry(...manners: Manner[]) {
  const ranges: (string | undefined)[] = [];
  const server = createServer(({ url, headers }, response) => {
    if (!url?.endsWith(".tgz")) {
      const dist = { tarball: `${address()}runtime-part/-/runtime-part-1.0.0.tgz`, integrity: PINNED.integrity };
      const versions = { "1.0.0": { name: "runtime-part", version: "1.0.0", dist } };
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ name: "runtime-part", "dist-tags": { latest: "1.0.0" }, versions }));
      return;
    }
    const { sent, whole, from, bytes = TARBALL } = manners[ranges.length] ?? {};
    ranges.push(headers.range);
    const asked = /^bytes=(\d+)-$/.exec(headers.range ?? "")?.[1];
    const start = asked === undefined || whole ? 0 : (from ?? Number(asked));
    const about = { "content-length": bytes.length - start, "content-type": "application/octet-stream" };
    const range = { "content-range": `bytes ${start}-${bytes.length - 1}/${bytes.length}` };
    response.writeHead(start > 0 ? 206 : 200, start > 0 ? { ...about, ...range } : about);
    if (sent === undefined) response.end(bytes.subarray(start));
    else response.write(bytes.subarray(start, start + sent), () => setTimeout(() => response.destroy(), 50));
  });
  const address = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const file = join(temporaryFolder(), "cache", "part.tgz");
  const steps: [step: string, percent: number][] = [];
  const fetched = (): Promise<void> =>
    fetchPackage(PINNED, file, (...step) => steps.push(step), { registry: address(), fetchRetries: 0 });
  return { ranges, file, steps, fetched };
}

test("after a broken connection the second run fetches only the rest", async () => {
  const { ranges, file, steps, fetched } = await registry({ sent: 120_000 });
  await expect(fetched()).rejects.toMatchObject({
    code: "NO_RUNTIME",
    message: expect.stringMatching(
      /^runtime-part@1\.0\.0 could not be fetched: .*of it are kept: run the command again/,
    ),
  });
  const kept = readFileSync(file).length;
  expect(kept).toBeGreaterThan(0);
  expect(kept).toBeLessThanOrEqual(120_000);
  steps.length = 0;
  await fetched();
  expect(ranges).toEqual([undefined, `bytes=${kept}-`]);
  expect(readFileSync(file).equals(TARBALL)).toBe(true);
  // It begins where it was.
  const percents = steps.map(([, percent]) => percent);
  expect([percents[0], percents[1], percents.at(-1)]).toEqual([0, Math.floor((100 * kept) / TARBALL.length), 100]);
  // What is there whole takes no request.
  await fetched();
  expect(ranges).toHaveLength(2);
});

test.each<[what: string, left: Buffer, manners: Manner[], asked: (string | undefined)[]]>([
  ["a part that was changed on disk", Buffer.alloc(1000, 1), [], ["bytes=1000-", undefined]],
  ["a whole file that was changed on disk", Buffer.alloc(TARBALL.length, 1), [], [undefined]],
  ["a file that is too long", Buffer.alloc(TARBALL.length + 1, 1), [], [undefined]],
  ["a server without ranges", TARBALL.subarray(0, 1000), [{ whole: true }], ["bytes=1000-"]],
])("%s is detected, and the right bytes are fetched", async (_what, left, manners, asked) => {
  const { ranges, file, steps, fetched } = await registry(...manners);
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, left);
  await fetched();
  expect(ranges).toEqual(asked);
  expect(readFileSync(file).equals(TARBALL)).toBe(true);
  expect(steps.some(([step]) => step.endsWith("again: what was there was damaged"))).toBe(manners.length === 0);
});

test.each<[what: string, manner: Manner, code: string, left: boolean]>([
  ["other bytes", { bytes: Buffer.alloc(TARBALL.length, 7) }, "INTEGRITY_MISMATCH", false],
  ["more bytes", { bytes: Buffer.concat([TARBALL, Buffer.from("x")]) }, "INTEGRITY_MISMATCH", false],
  ["fewer bytes", { bytes: TARBALL.subarray(0, -1) }, "NO_RUNTIME", true],
])("a registry that sends %s is not believed", async (_what, manner, code, left) => {
  const { file, fetched } = await registry(manner, manner);
  await expect(fetched()).rejects.toMatchObject({ code });
  expect(existsSync(file)).toBe(left);
});

test("a registry that sends another part, and a link in the place of the file, change nothing else", async () => {
  const { file, fetched } = await registry({ from: 5 });
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, TARBALL.subarray(0, 1000));
  await expect(fetched()).rejects.toMatchObject({ message: expect.stringContaining("another part") });
  expect(readFileSync(file)).toHaveLength(1000);

  const other = await registry();
  const mine = join(temporaryFolder(), "mine.txt");
  writeFileSync(mine, "mine");
  mkdirSync(join(other.file, ".."), { recursive: true });
  symlinkSync(mine, other.file);
  await other.fetched();
  expect([readFileSync(mine, "utf8"), readFileSync(other.file).equals(TARBALL)]).toEqual(["mine", true]);
});
