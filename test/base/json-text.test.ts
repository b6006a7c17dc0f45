import { expect, test } from "vitest";
import { parseJson } from "../../src/base/json-text.ts";

test.each(["BAD_GRANT", "BAD_MANIFEST"] as const)("a byte order mark, which nothing shows, is named: %s", (code) => {
  expect(() => parseJson('\ufeff{"version":1}', "policy.json", code)).toThrow(
    expect.objectContaining({
      code,
      message: "policy.json: not JSON (it begins with a byte order mark; save it as UTF-8 without one)",
    }),
  );
});
