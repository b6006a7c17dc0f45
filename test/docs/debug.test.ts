import { expect, test } from "vitest";
import { starterFiles } from "../../src/cli/init-files.ts";
import { pageAt } from "./pages.ts";

test("the launch.json of the page is the one that cordon init writes", () => {
  const [shown] = pageAt("docs/testing.md").blocks.filter(({ code }) => code.includes('"Debug the hook"'));
  const written = starterFiles("gate", "pi").get(".vscode/launch.json") ?? "";
  expect(JSON.parse(shown?.code ?? "null")).toEqual(JSON.parse(written));
});
