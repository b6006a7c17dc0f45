import { expect, test } from "vitest";
import { buildHook } from "../../src/bundle/build.ts";
import { temporaryFolder, writeFiles } from "../support/session.ts";

/**
 * Code of a bundle, in characters: each isolate holds and parses all of it. Some hundreds of them are esbuild's names of
 * modules, which grow with the way from the hook's folder to Cordon's.
 */
async function sizeOf(source: string): Promise<number> {
  const root = temporaryFolder();
  writeFiles(root, { "hook.ts": source });
  return (await buildHook(process.execPath, { root, entry: "hook.ts" })).code.length;
}

test("the bundle of a hook without Node's modules and globals contains none of them", async () => {
  expect(await sizeOf("export default (pi: any) => pi.on('turn_start', () => {});")).toBeLessThan(1500);
});

test.each([
  ["process", "console.log(process.env.HOME);", 45_000],
  ["Buffer", "console.log(Buffer.from('a').toString('hex'));", 70_000],
  ["fetch", "void fetch('https://a.example/');", 165_000],
  ["streams of the web", "console.log(new ReadableStream());", 85_000],
  [
    "async_hooks",
    "import { AsyncLocalStorage } from 'node:async_hooks';\nconsole.log(new AsyncLocalStorage());",
    12_000,
  ],
  ["one function of zlib", "import { crc32 } from 'node:zlib';\nconsole.log(crc32('a'));", 70_500],
  ["gunzip", "import { gunzipSync } from 'node:zlib';\nconsole.log(gunzipSync);", 180_000],
  ["one function of fs", "import { existsSync } from 'node:fs';\nconsole.log(existsSync('a'));", 90_000],
  ["the whole of fs", "import fs from 'node:fs';\nconsole.log(fs.existsSync('a'));", 320_000],
])("a bundle contains only what its hook uses, and what that needs: %s", async (_name, source, most) => {
  const size = await sizeOf(`${source}\nexport default (pi: any) => pi;`);
  expect(size).toBeGreaterThan(1500);
  expect(size).toBeLessThan(most);
});
