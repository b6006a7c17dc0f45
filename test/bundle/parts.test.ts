import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { PACKAGE_ROOT } from "../../src/base/package-root.ts";
import { type Built, buildHook } from "../../src/bundle/build.ts";
import { exportedAgain, namespaceMembers } from "../../src/bundle/namespace-members.ts";
import { partsOf } from "../../src/bundle/offered-modules.ts";
import { temporaryFolder, writeFiles } from "../support/session.ts";

async function built(source: string): Promise<Built> {
  const root = temporaryFolder();
  writeFiles(root, { "hook.ts": source });
  return buildHook(process.execPath, { root, entry: "hook.ts" });
}

const TUI = "@earendil-works/pi-tui";
const AGENT = "@earendil-works/pi-coding-agent";
const bytes = async (source: string): Promise<number> => (await built(source)).code.length;

// biome-ignore format: a table
const SIZES: [claim: string, source: string, most: number][] = [
  ["a type costs nothing", `import type { Text } from "${TUI}"; export default (a: Text) => a;`, 1_000],
  ["an import that is not used costs nothing", `import { Text } from "${TUI}"; export default () => 1;`, 1_000],
  ["a helper is its own module", `import { truncateHead } from "${AGENT}"; export default truncateHead;`, 6_000],
  ["a component does not bring the others", `import { Text } from "${TUI}"; export default Text;`, 40_000],
  ["no global of Node costs nothing", "export default () => new ArrayBuffer(1);", 1_000],
  ["a global does not bring the others", "export default () => process.pid;", 50_000],
  ["a name of the hook's own that is a global's costs nothing", "const Buffer = 1; export default () => Buffer;", 1_000],
  ["a member of a namespace is one name", `import * as tui from "${TUI}"; export default tui.Spacer;`, 2_000],
];

test.each(SIZES)("%s", async (_claim, source, most) => {
  expect(await bytes(source)).toBeLessThan(most);
});

test("a component makes no expression of all emoji while its bundle loads, which takes V8 25 ms", async () => {
  const { code } = await built(`import { Text } from "${TUI}"; export default Text;`);
  expect(code).toMatch(/new RegExp\("\^\\\\p\{RGI_Emoji\}\$", "v"\)/);
  expect(code).not.toMatch(/\/\^\\p\{RGI_Emoji/);
});

test("the same names are the same whichever way they are imported", async () => {
  const named = await bytes(`import { Key, matchesKey } from "${TUI}"; export default [Key, matchesKey];`);
  const members = await bytes(`import * as tui from "${TUI}"; export default [tui.Key, tui.matchesKey];`);
  expect(Math.abs(named - members)).toBeLessThan(200);
});

// biome-ignore format: a table
const LACKS: [claim: string, source: string, lacks: string[]][] = [
  ["a name", `import { main } from "${AGENT}"; export default () => main();`, [`main of ${AGENT}`]],
  ["a member of a namespace", `import * as agent from "${AGENT}"; export default () => agent.main();`, [`main of ${AGENT}`]],
  ["names beside those that are there", `import { Text, ProcessTerminal } from "${TUI}"; export default () => [Text, ProcessTerminal];`, [`ProcessTerminal of ${TUI}`]],
  ["a member that no version has is undefined, as in pi", `import * as agent from "${AGENT}"; export default () => agent.fromTheFuture?.();`, []],
  ["all names, which are there", `import * as tui from "${TUI}"; export default () => Object.keys(tui);`, []],
];

test.each(LACKS)("what a bundle cannot have is found: %s", async (_claim, source, lacks) => {
  expect((await built(source)).lacks).toEqual(lacks);
});

describe("members of namespaces", () => {
  // biome-ignore format: a table
  const ROWS: [source: string, members: string[]][] = [
    [`import * as a from "m"; a.x(); a.y`, ["m x", "m y"]],
    [`import * as a from 'm'; f(a)`, ["m *"]],
    [`import * as a from "m"; const { x } = a; a.y`, ["m *", "m y"]],
    [`import * as a from "m"; a["x"]`, ["m *"]],
    [`import * as a from "m"; ab.x; b.a.y; $a.z`, []],
    [`import * as $a from "m"; $a.x`, ["m x"]],
    [`export * from "m"`, ["m *"]],
    [`import d, * as a from "m"; a.x`, ["m x"]],
    [`import { a } from "m"; a.x`, []],
    [`2 * from`, []],
  ];

  test.each(ROWS)("%s", (source, members) => {
    expect(namespaceMembers(source).map((one) => one.join(" "))).toEqual(members);
  });
});

describe("names that a source imports and exports again", () => {
  // biome-ignore format: a table
  const ROWS: [source: string, members: string[]][] = [
    [`import { a as b, c } from "m"; export { b };`, ["m a"]],
    [`import d, {\n  a, // a\n  b,\n} from "m"; export { b as x, other };`, ["m b"]],
    [`export { a as b } from "m"`, ["m a"]],
    [`import { a } from "m"; export { b } from "n"`, ["n b"]],
    [`import { a } from "m"; export const b = a;`, []],
    [`import type { a } from "m"; export { a };`, []],
  ];

  test.each(ROWS)("%s", (source, members) => {
    expect(exportedAgain(source).map((one) => one.join(" "))).toEqual(members);
  });

  test("are part of the bundle", async () => {
    const { code, lacks } = await built(
      `import { visibleWidth as width } from "${TUI}"; export { width }; export default () => width("ab");`,
    );
    expect([code.length > 500, lacks]).toEqual([true, []]);
    expect(await bytes(`export { type Component } from "${TUI}"; export default () => 1;`)).toBeLessThan(1000);
  });
});

test("every part of a large module is a file of Cordon's", () => {
  const modules = join(PACKAGE_ROOT, "dist", "sandbox", "modules");
  for (const name of ["pi-tui", "pi-hooks", "pi-ai", "pi-ai-compat"]) {
    const parts = [...(partsOf(join(modules, `${name}.js`)) ?? [])];
    expect(parts.length).toBeGreaterThan(40);
    expect(parts.filter(([, [file]]) => file.startsWith("./") && !existsSync(join(modules, file)))).toEqual([]);
  }
});
