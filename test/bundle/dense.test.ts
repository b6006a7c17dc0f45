import { expect, test } from "vitest";
import { MAX_BUNDLE_BYTES } from "../../sandbox/wire/messages.ts";
import { buildHook } from "../../src/bundle/build.ts";
import { temporaryFolder, writeFiles } from "../support/session.ts";

const built = async (files: Record<string, string>) => {
  const root = temporaryFolder();
  writeFiles(root, files);
  return buildHook(process.execPath, { root, entry: "hook.ts" });
};

test("a bundle over the limit is built without its spaces, and one that is still too large is refused", async () => {
  // Written with two spaces for each level.
  const spaced = `${"{\na:".repeat(80)}1${"}".repeat(80)},`.repeat(1500);
  const { code } = await built({ "hook.ts": `const all = [${spaced}];\nexport default () => all;` });
  expect(code.length).toBeLessThan(MAX_BUNDLE_BYTES);
  expect(code).toContain("{a:{a:{a:{");
  const full = `export const all = [${`"${"x".repeat(97)}",`.repeat(90_000)}];`;
  const files = {
    "a.ts": full,
    "b.ts": full,
    "hook.ts": 'import * as a from "./a"; import * as b from "./b"; export default () => [a.all, b.all];',
  };
  await expect(built(files)).rejects.toMatchObject({ code: "BUNDLE_TOO_LARGE" });
});
