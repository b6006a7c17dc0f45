import { globSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { PACKAGE_ROOT } from "../../src/base/package-root.ts";
import { tablesOf } from "./page-tables.ts";
import { pageAt } from "./pages.ts";

const tables = tablesOf(pageAt("docs/ids-and-files.md"));
const cellsOf = (heading: string, column: number): string[] =>
  (tables.find(({ of }) => of === heading)?.rows ?? []).map((row) => row[column] ?? "");

/** What the source names in a home. */
const NAMED = new Set(
  globSync("src/**/*.ts", { cwd: PACKAGE_ROOT }).flatMap((file) =>
    [...readFileSync(join(PACKAGE_ROOT, file), "utf8").matchAll(/join\((?:this\.#)?home, "([^"]+)"/g)].map(
      ([, name = ""]) => name,
    ),
  ),
);

/** What `cordon uninstall` takes away. The hooks there are a person's own. */
const REMOVED = readFileSync(join(PACKAGE_ROOT, "src", "cli", "uninstall-all.ts"), "utf8").match(
  /\/\^\((.*)\)\$\//,
)?.[1];

test("the page has each file and folder of Cordon's home, and cordon uninstall knows them", () => {
  const shown = cellsOf("Cordon's home", 0).map((cell) => cell.replace(/\/$/, ""));
  expect([...NAMED].sort()).toEqual(shown.sort());
  expect(shown.filter((name) => !new RegExp(`^(${REMOVED})$`).test(name))).toEqual(["hooks"]);
});

test("the page has each schema of the package", () => {
  const schemas = readdirSync(join(PACKAGE_ROOT, "dist", "schemas"));
  expect(cellsOf("Schemas", 1).sort()).toEqual(schemas.sort());
});
