import { join } from "node:path";
import { expect, test } from "vitest";
import { PACKAGE_ROOT } from "../../src/base/package-root.ts";
import { cordon } from "../support/command.ts";
import { temporaryFolder } from "../support/session.ts";
import { pages } from "./pages.ts";
import { TABLES } from "./tables.ts";

const MARKED = /(<!-- begin ([\w-]+) -->\n)[\s\S]*?(<!-- end \2 -->)/g;

test.each(pages())("the tables of $path are those of the source; -u writes them", async ({ path, text }) => {
  const now = text.replaceAll(MARKED, (_all, begin, name, end) => `${begin}\n${TABLES[name]?.()}\n\n${end}`);
  await expect(now).toMatchFileSnapshot(join(PACKAGE_ROOT, path));
});

test("the table of commands has each of them", async () => {
  const folder = temporaryFolder();
  const complete = async (...words: string[]): Promise<string[]> =>
    (await cordon(["complete", "--", ...words, ""], { cwd: folder, home: folder })).stdout.split("\n").filter(Boolean);
  const table = TABLES.commands?.() ?? "";
  for (const name of await complete()) expect(table).toMatch(new RegExp(`\`cordon ${name}[\` ]`));
  for (const name of await complete("policy")) expect(table).toContain(`\`cordon policy ${name} `);
});

test("each table has its place", () => {
  const places = pages().flatMap(({ text }) => [...text.matchAll(MARKED)].map(([, , name]) => name));
  expect(places.sort()).toEqual(Object.keys(TABLES).sort());
});
