import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { PACKAGE_ROOT } from "../../src/base/package-root.ts";
import { OWN_NAMES } from "../../src/disk/home.ts";
import { tablesOf } from "./page-tables.ts";
import { pageAt } from "./pages.ts";

const tables = tablesOf(pageAt("docs/ids-and-files.md"));
const cellsOf = (heading: string, column: number): string[] =>
  (tables.find(({ of }) => of === heading)?.rows ?? []).map((row) => row[column] ?? "");

test("the page has each file and folder of Cordon's home", () => {
  const shown = cellsOf("Cordon's home", 0).map((cell) => cell.replace(/\/$/, ""));
  // The hooks there are a person's own: no uninstall takes them.
  expect(shown.sort()).toEqual([...OWN_NAMES, "hooks"].sort());
});

test("the page has each schema of the package", () => {
  const schemas = readdirSync(join(PACKAGE_ROOT, "dist", "schemas"));
  expect(cellsOf("Schemas", 1).sort()).toEqual(schemas.sort());
});
