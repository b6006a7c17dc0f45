import { execFileSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { delimiter, dirname, join, normalize } from "node:path";
import { expect, test } from "vitest";
import { PACKAGE_ROOT } from "../../src/base/package-root.ts";
import { type Page, pageAt, pages } from "./pages.ts";

const others = ["CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "test/agents/pi/README.md"];
const all = [...pages(), ...others.map(pageAt)];
const known = new Map(all.map((page) => [page.path, page]));

/** What is wrong with a link, if anything. */
function faultOf(href: string, from: Page): string | undefined {
  if (/^[a-z]+:/.test(href)) return href.startsWith("https://") && URL.canParse(href) ? undefined : "no https address";
  const [path = "", anchor] = href.split("#");
  const target = path === "" ? from.path : normalize(join(dirname(from.path), path));
  if (!existsSync(join(PACKAGE_ROOT, target))) return "no such file";
  if (anchor === undefined) return undefined;
  const page = known.get(target);
  if (!page) return statSync(join(PACKAGE_ROOT, target)).isFile() ? "no page of ours" : "a folder has no anchors";
  return page.anchors.has(anchor) ? undefined : "no such heading";
}

test.each(all)("each link of $path leads somewhere", (page) => {
  const wrong = page.links.flatMap((href) => {
    const fault = faultOf(href, page);
    return fault === undefined ? [] : [`${href}: ${fault}`];
  });
  expect(wrong).toEqual([]);
});

/** Files of the package. The tests are in the repository alone, and links to them are its readers'. */
function packed(): Set<string> {
  const path = [dirname(process.execPath), process.env.PATH].join(delimiter);
  const args = ["pack", "--dry-run", "--json", "--ignore-scripts"];
  const env = { ...process.env, PATH: path };
  const [{ files }] = JSON.parse(execFileSync("npm", args, { cwd: PACKAGE_ROOT, env, encoding: "utf8" }));
  return new Set(files.map((file: { path: string }) => file.path));
}

test("a link in a page of the package leads to a file of the package, or to a test", { timeout: 120_000 }, () => {
  const files = packed();
  const own = all.filter(({ path }) => files.has(path));
  expect(own.length).toBeGreaterThan(20);
  const missing = own.flatMap(({ path, links }) =>
    links
      .filter((href) => !/^([a-z]+:|#)/.test(href))
      .map((href) => normalize(join(dirname(path), href.split("#")[0] ?? "")))
      .filter((target) => !files.has(target) && !target.startsWith(join("test", "/")))
      .map((target) => `${path}: ${target}`),
  );
  expect(missing).toEqual([]);
});

test.each([
  ["no-such-page.md", "no such file"],
  ["#no-such-heading", "no such heading"],
  ["docs/security.md#no-such-heading", "no such heading"],
  ["http://example.com", "no https address"],
  ["../README.md", "no such file"],
])("a link to %s is found out", (href, fault) => {
  expect(faultOf(href, pageAt("README.md"))).toBe(fault);
});

test("each page of docs is reached from the README", () => {
  const linked = new Set(pageAt("README.md").links.map((href) => href.split("#")[0]));
  const missing = [...known.keys()].filter((path) => path.startsWith("docs/") && !linked.has(path));
  expect(missing).toEqual([]);
});
