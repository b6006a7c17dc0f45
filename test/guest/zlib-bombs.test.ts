import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { sampled } from "../support/length.ts";
import { startFacts } from "./facts.ts";

const MB = 1024 * 1024;
/** The most that one result may have when the hook does not say. */
const DEFAULT_MB = 32;

const base64 = (bytes: Buffer): string => `Buffer.from("${bytes.toString("base64")}", "base64")`;
const zeros = (bytes: number): string => base64(deflateSync(Buffer.alloc(bytes)));
let many: string | undefined;
/** 300 MB of zeros, which take a second to write. */
const manyZeros = (): string => (many ??= zeros(300 * MB));
/** Gzip in gzip: 2 KB that become 2 MB that become 2 GB. */
const nested = (): string => base64(gzipSync(Buffer.concat(Array(1000).fill(gzipSync(Buffer.alloc(2 * MB))))));

const BOMBS: Record<string, () => string> = {
  "by its own limit, far too high": () =>
    `return zlib.inflateSync(${manyZeros()}, { maxOutputLength: 2 ** 30 }).length;`,
  "as a stream that keeps all":
    () => `const parts: any[] = []; const one = zlib.createInflate(); one.on("data", (p) => parts.push(p));
    await new Promise((done, failed) => { one.on("end", done); one.on("error", failed); one.end(${manyZeros()}); }); return parts.length;`,
  "nested members": () => `return zlib.gunzipSync(zlib.gunzipSync(${nested()}), { maxOutputLength: 2 ** 30 }).length;`,
  Brotli: () => `return zlib.brotliDecompressSync(${base64(brotliCompressSync(Buffer.alloc(600 * MB)))}).length;`,
};

const startBombs = (facts: Record<string, string>, limits: object) =>
  startFacts(
    Object.fromEntries(
      Object.entries(facts).map(([name, body]) => [
        name,
        `const { default: zlib } = await import("node:zlib"); ${body}`,
      ]),
    ),
    { grant: { capabilities: { events: { see: ["*"], block: true } }, limits } },
  );

test("without a limit of its own, a result has at most 32 MB", async () => {
  const size = (bytes: number): string => `return zlib.inflateSync(${zeros(bytes)}).length;`;
  const { ask } = await startBombs(
    {
      at: size(DEFAULT_MB * MB),
      over: size(DEFAULT_MB * MB + 1),
      far: `return zlib.inflateSync(${manyZeros()}).length;`,
    },
    // The limit is one of the result: without the JIT, 64 MB take seconds.
    { cpuMs: 60_000, memoryMb: 512, jit: true },
  );
  expect(await ask("at")).toBe(DEFAULT_MB * MB);
  expect(await ask("over")).toMatchObject({ code: "ERR_BUFFER_TOO_LARGE" });
  expect(await ask("far")).toMatchObject({ code: "ERR_BUFFER_TOO_LARGE" });
}, 60_000);

test.each(sampled(Object.entries(BOMBS), 2))(
  "a bomb ends as an error of its hook, or with its hook: %s",
  async (_name, body) => {
    const { call, host, log, ask } = await startBombs(
      { bomb: body(), fine: "return zlib.crc32('abc');" },
      { cpuMs: 5000 },
    );
    const verdict = await call({ fact: "bomb" });
    const told = log.find(({ text }) => text.startsWith("FACT "))?.text;
    if (verdict)
      expect(verdict).toMatchObject({
        block: true,
        reason: expect.stringMatching(/CPU_EXCEEDED|OUT_OF_MEMORY|CRASHED/),
      });
    else expect(told).toMatch(/RangeError: (Array buffer allocation failed|Cannot create a Buffer larger than)/);
    expect(process.memoryUsage().rss).toBeLessThan(1500 * MB);
    expect(await ask("fine")).toBe(891568578);
    expect(host.hooks[0]?.state).toBe("active");
  },
  60_000,
);
