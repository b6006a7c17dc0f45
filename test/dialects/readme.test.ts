import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { DIALECTS } from "../../sandbox/wire/messages.ts";
import { PACKAGE_ROOT } from "../../src/base/package-root.ts";
import { startSession } from "../support/session.ts";

/** The guard that README.md shows in each dialect: code blocks that begin with the dialect's name. */
const readme = readFileSync(join(PACKAGE_ROOT, "README.md"), "utf8");
const blocks = [...readme.matchAll(/^```ts\n\/\/ (\w+)\n([\s\S]*?)^```$/gm)];

test("the same guard is written in each dialect", () => {
  expect(blocks.map(([, dialect]) => dialect)).toEqual([...DIALECTS]);
});

test.each(blocks.map(([, dialect = "", source = ""]) => ({ dialect, source })))(
  "the guard in $dialect is recognised as such, and guards",
  async ({ dialect, source }) => {
    const { host, call } = await startSession({ guard: source });
    expect(host.hooks).toMatchObject([{ state: "active", dialect, events: ["tool_call"] }]);
    expect(await call("rm -rf /")).toEqual({ block: true, reason: "not with rm -rf", hook: "guard" });
    expect(await call("ls")).toBeUndefined();
    expect(await call("rm -rf /", "read")).toBeUndefined();
  },
);
