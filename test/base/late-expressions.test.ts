import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Node, parse } from "acorn";
import { transformSync } from "esbuild";
import { expect, test } from "vitest";
import { PACKAGE_ROOT } from "../../src/base/package-root.ts";

const PROPERTY = /\\p\{/;

/** Parts of a program that run when it is loaded: all but the bodies of functions. */
function* runAtOnce(node: Node): Generator<Node> {
  if (/^(ArrowFunction|Function)/.test(node.type)) return;
  yield node;
  for (const part of Object.values(node).flat())
    if (typeof Object(part).type === "string") yield* runAtOnce(part as Node);
}

/** Texts and expressions that a file makes as it is loaded, with a property of Unicode in them. */
function madeAtOnce(source: string): string[] {
  const { code } = transformSync(source, { loader: "ts", target: "esnext" });
  const parts = [...runAtOnce(parse(code, { ecmaVersion: "latest", sourceType: "module" }))];
  return parts
    .filter(({ type }) => type === "Literal" || type === "TemplateElement")
    .map(({ start, end }) => code.slice(start, end))
    .filter((text) => PROPERTY.test(text));
}

test("an expression with a property of Unicode is found where a file makes it as it is loaded", () => {
  expect(madeAtOnce("const A = /\\p{L}/u;")).toHaveLength(1);
  expect(madeAtOnce("const B = `\\\\p{L}`; export const C = { d: [new RegExp(B, 'u')] };")).toHaveLength(1);
  expect(madeAtOnce("class E { static f = /\\p{L}/u; }")).toHaveLength(1);
  expect(madeAtOnce("export const g = () => /\\p{L}/u; function h() { return '\\\\p{L}'; }")).toEqual([]);
});

// V8 reads each in up to a millisecond, and most starts and most isolates need none.
test("Cordon makes expressions with properties of Unicode when they are wanted", () => {
  const files = globSync(["src/**/*.ts", "sandbox/**/*.ts"], { cwd: PACKAGE_ROOT }).filter(
    (path) => !path.endsWith(".d.ts"),
  );
  const made = files.flatMap((path) =>
    madeAtOnce(readFileSync(join(PACKAGE_ROOT, path), "utf8")).map((text) => `${path}: ${text}`),
  );
  expect(files.length).toBeGreaterThan(600);
  expect(made).toEqual([]);
});
