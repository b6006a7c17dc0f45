import { readFileSync } from "node:fs";
import { isAbsolute, join, relative, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { PACKAGE_ROOT } from "../base/package-root.ts";
import { RULES, type Rule, type Warning } from "./check-rules.ts";

/**
 * Warnings as a log of SARIF 2.1.0. Files below `folder` have paths relative to it, as code scanning expects them of the root of a
 * repository.
 */
export function sarifOf(warnings: readonly Warning[], folder: string): object {
  const { version } = JSON.parse(readFileSync(join(PACKAGE_ROOT, "package.json"), "utf8"));
  const ids = Object.keys(RULES) as Rule[];
  const rules = ids.map((id) => ({ id, shortDescription: { text: RULES[id] } }));
  const results = warnings.map(({ file, line, column, rule, level, message, remedy }) => ({
    ruleId: rule,
    ruleIndex: ids.indexOf(rule),
    level,
    message: { text: `${message}; ${remedy}` },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: uriOf(file, folder) },
          region: { startLine: line, startColumn: column },
        },
      },
    ],
  }));
  return {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [{ tool: { driver: { name: "cordon", version, rules } }, columnKind: "utf16CodeUnits", results }],
  };
}

function uriOf(file: string, folder: string): string {
  const path = relative(folder, file);
  if (path.startsWith("..") || isAbsolute(path)) return pathToFileURL(file).href;
  return path.split(sep).map(encodeURIComponent).join("/");
}
