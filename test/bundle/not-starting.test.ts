import { build } from "esbuild";
import fc from "fast-check";
import { expect, test } from "vitest";
import { notStarting } from "../../src/bundle/not-starting.ts";

const PREFIXES = ["./cordon-part-", "/a b/c.d-e/x_1/", "C:\\Users\\(me) [x]^$|{2}\\", "/home/ö/", "a"];
/** A text that starts as this one does, in whole or in part. */
const near = (prefix: string): fc.Arbitrary<string> =>
  fc.tuple(fc.nat({ max: prefix.length }), fc.string()).map(([length, rest]) => prefix.slice(0, length) + rest);

test.each(PREFIXES)("texts that do not start with %s", (prefix) => {
  const pattern = notStarting(prefix);
  fc.assert(fc.property(near(prefix), (text) => pattern.test(text) === !text.startsWith(prefix)));
});

test.each(PREFIXES)("esbuild reads it as a filter, for %s", async (prefix) => {
  const texts = ["", ..."a./C", prefix.slice(0, -1), `${prefix.slice(0, -1)}\n`, `x${prefix}`, prefix, `${prefix}x`];
  const asked: string[] = [];
  const named = [...new Set(texts)].filter((text) => text !== "");
  await build({
    stdin: { contents: named.map((text) => `import ${JSON.stringify(text)};`).join("\n") },
    bundle: true,
    write: false,
    logLevel: "silent",
    plugins: [
      {
        name: "asked",
        setup({ onResolve }) {
          onResolve({ filter: notStarting(prefix) }, ({ path }) => {
            asked.push(path);
            return { path, external: true };
          });
          onResolve({ filter: /^/ }, ({ path }) => ({ path, external: true }));
        },
      },
    ],
  });
  expect(asked.sort()).toEqual(named.filter((text) => !text.startsWith(prefix)).sort());
});
