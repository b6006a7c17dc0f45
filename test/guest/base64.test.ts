import { readFileSync } from "node:fs";
import { join } from "node:path";
import { runInThisContext } from "node:vm";
import fc from "fast-check";
import { expect, test } from "vitest";
import { PACKAGE_ROOT } from "../../src/base/package-root.ts";
import { anyText } from "../support/any-text.ts";

/** As an isolate gets it. */
const base64 = readFileSync(join(PACKAGE_ROOT, "dist", "sandbox", "lazy-code", "base64.js"), "utf8");
const ours: Record<"atob" | "btoa", (data: unknown) => string> = runInThisContext(
  `(() => {${base64}\nreturn cordonLazyCode})()`,
);

/** What a function returns, or the name, the code and the class of what it throws. */
function outcome(act: (data: string) => string, data: unknown): unknown {
  try {
    return act(data as string);
  } catch (error) {
    const { name, code } = error as DOMException;
    return [name, code, error instanceof DOMException];
  }
}

const CHARACTERS = [..."ABCDYZabcdyz0189+/==-_*. \t\n\f\r\v\0é\u00a0\ufeff\u0100😀"];
const text = fc.oneof(
  fc.array(fc.constantFrom(...CHARACTERS), { maxLength: 12 }).map((all) => all.join("")),
  // Mostly right, in all lengths of padding and with spaces.
  fc
    .tuple(fc.uint8Array({ maxLength: 9 }), fc.nat(14), fc.constantFrom("", " ", "=", "\n", "*"))
    .map(([bytes, at, more]) => Buffer.from(bytes).toString("base64").slice(0, at) + more),
);

test("atob reads what Node's reads, and refuses what it refuses", () => {
  fc.assert(
    fc.property(text, (coded) => {
      expect(outcome(ours.atob, coded)).toEqual(outcome(atob, coded));
    }),
    { numRuns: 3000 },
  );
});

test("btoa writes what Node's writes, and refuses what it refuses", () => {
  fc.assert(
    fc.property(fc.oneof(text, anyText()), (plain) => {
      expect(outcome(ours.btoa, plain)).toEqual(outcome(btoa, plain));
    }),
    { numRuns: 3000 },
  );
});

test.each([8191, 8192, 8193, 100_000])("%i characters come back as they were", (length) => {
  const plain = Array.from({ length }, (_, at) => String.fromCharCode(at % 256)).join("");
  expect(ours.btoa(plain)).toBe(btoa(plain));
  expect(ours.atob(btoa(plain))).toBe(plain);
});

test.each([[null], [undefined], [12], [true], [["YQ"]]])("%j is taken as text", (value) => {
  expect(outcome(ours.atob, value)).toEqual(outcome(atob, value));
  expect(outcome(ours.btoa, value)).toEqual(outcome(btoa, value));
});

test("nothing at all is no text", () => {
  for (const act of [ours.atob, ours.btoa]) expect(act as () => string).toThrow(TypeError);
});
