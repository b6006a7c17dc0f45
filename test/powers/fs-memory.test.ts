/** What a hook reads is kept by the agent's own process until the hook's process takes it. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startFacts } from "../guest/facts.ts";

const BYTES = 5_000_000;

const start = async (facts: Record<string, string>) => {
  const grant = { capabilities: { fs: { read: ["$CWD/**"] } }, limits: { cpuMs: 60_000, memoryMb: 256 } };
  const session = await startFacts(facts, { grant, hookTimeout: 60_000 });
  writeFileSync(join(session.folder, "work", "large"), Buffer.alloc(BYTES, "x"));
  writeFileSync(join(session.folder, "work", "small"), "small");
  return session;
};

test("many large files that are read at once do not fill the host", async () => {
  const { ask } = await start({
    all: `const fs: any = await import("node:fs");
      let all = 0;
      const read = async () => { const { length } = await fs.promises.readFile("large", "utf8"); all += length; };
      await Promise.all(Array.from({ length: 40 }, read));
      return all;`,
  });
  const before = process.memoryUsage().rss;
  let most = 0;
  const timer = setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss - before);
  }, 5);
  expect(await ask("all")).toBe(40 * BYTES);
  clearInterval(timer);
  // It was 260 MB, and 1200 MB of three times as many.
  expect(most).toBeLessThan(150_000_000);
});

test.each([
  ["read", 'fs.readFileSync("small", "utf8")', "small"],
  ["large read", 'fs.readFileSync("large", "utf8").length', BYTES],
])("a blocking %s is answered while others wait until its process takes theirs", async (_name, read, expected) => {
  const { ask } = await start({
    both: `const fs: any = await import("node:fs");
      const large = Array.from({ length: 12 }, () => fs.promises.readFile("large", "utf8"));
      for (const end = Date.now() + 1000; Date.now() < end; );
      const blocking = ${read};
      return [blocking, (await Promise.all(large)).reduce((sum: number, { length }: any) => sum + length, 0)];`,
  });
  // It waited for half an hour.
  expect(await ask("both")).toEqual([expected, 12 * BYTES]);
});
