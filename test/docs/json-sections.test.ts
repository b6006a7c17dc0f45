import { expect, test } from "vitest";
import { cordon } from "../support/command.ts";
import { temporaryFolder } from "../support/session.ts";
import { tablesOf } from "./page-tables.ts";
import { pageAt } from "./pages.ts";

const { text, tokens } = pageAt("docs/commands.md");

/** Each command, without its arguments. */
const commands = (tablesOf({ tokens }).find(({ head }) => head[0] === "command")?.rows ?? []).map(([cell = ""]) =>
  cell.replace(/^cordon /, "").replace(/ [<[].*/, ""),
);

/** Those that take no `--json`, as the page says. */
const EXCEPT = [
  ...(/Every command takes `--json`. For (.*?) it changes nothing/.exec(text)?.[1] ?? "").matchAll(/`([^`]+)`/g),
].map(([, name]) => name);

/** The commands of each heading over a shape. */
function shown(page: string): string[] {
  const sections = page.split(/^#{2,3} /m);
  return sections
    .filter((section) => section.includes("```ts json="))
    .flatMap((section) =>
      [...(section.split("\n")[0] ?? "").matchAll(/`cordon ([^`]+)`/g)].map(([, name = ""]) => name),
    );
}

const lacking = (page: string): string[] =>
  commands.filter((name) => !EXCEPT.includes(name) && !shown(page).includes(name));

test("each command with --json has the shape of its output", () => {
  expect(commands).toHaveLength(new Set(commands).size);
  expect(commands).toEqual(expect.arrayContaining(EXCEPT));
  expect(lacking(text)).toEqual([]);
  // `index` alone does nothing, and the two share a section.
  expect(shown(text).filter((name) => !commands.includes(name))).toEqual([]);
});

test.each([...EXCEPT, "list", "daemon status", "run"])(
  "the help of %s says whether --json changes anything",
  async (name = "") => {
    const folder = temporaryFolder();
    const { stdout } = await cordon([...name.split(" "), "--help"], { cwd: folder, home: folder });
    const said = EXCEPT.includes(name) ? "changes nothing here" : "output for programs";
    expect(stdout.replace(/\s+/g, " ")).toContain(`--json ${said}`);
  },
);

test.each(["why", "record list", "enable"])("a page without %s is found out", (name) => {
  const heading = new RegExp(`^(### .*)\`cordon ${name}\``, "m");
  expect(lacking(text.replace(heading, "$1other"))).toContain(name);
});
