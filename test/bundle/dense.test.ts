import { expect, test } from "vitest";
import { buildHook } from "../../src/bundle/build.ts";
import { temporaryFolder, writeFiles } from "../support/session.ts";

const built = async (files: Record<string, string>) => {
  const root = temporaryFolder();
  writeFiles(root, files);
  return buildHook(process.execPath, { root, entry: "hook.ts" });
};

test("a bundle over the limit is built without its spaces, and one that is still too large is refused", async () => {
  const spaced = "{\na: 1,\nb: 2,\nc: 3\n},".repeat(150_000);
  const { code } = await built({ "hook.ts": `const all = [${spaced}];\nexport default () => all;` });
  expect(code.length).toBeLessThan(5 * 1024 * 1024);
  expect(code).toContain("{a:1,b:2,c:3}");
  const full = `export const all = [${`"${"x".repeat(97)}",`.repeat(30_000)}];`;
  const files = {
    "a.ts": full,
    "b.ts": full,
    "hook.ts": 'import * as a from "./a"; import * as b from "./b"; export default () => [a.all, b.all];',
  };
  await expect(built(files)).rejects.toMatchObject({ code: "BUNDLE_TOO_LARGE" });
});
