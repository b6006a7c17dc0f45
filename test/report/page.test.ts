import { createHash } from "node:crypto";
import { join } from "node:path";
import { expect, test } from "vitest";
import { visibleLine } from "../../src/base/text.ts";
import { html, Markup, type Part } from "../../src/report/page/html.ts";
import { MARK, pageOf } from "../../src/report/page/page.ts";
import { makeReport } from "../../src/report/report.ts";
import { temporaryFolder } from "../support/session.ts";
import { HOSTILE } from "./hostile.ts";
import { reportOf } from "./hostile-home.ts";
import { attribute, parsed, skeleton } from "./structure.ts";

const ELEMENTS = new Set(
  "html head meta title style script body header main footer section nav h1 h2 h3 p ul li dl dt dd div span a bdi code br time strong details summary table caption thead tbody tr th td form label select option input output svg rect".split(
    " ",
  ),
);
const ATTRIBUTES = new Set(
  "lang charset http-equiv content name class id href aria-labelledby aria-label aria-hidden aria-live role scope datetime hidden open value type autocomplete data-deed data-hooks viewbox preserveaspectratio focusable x y width height".split(
    " ",
  ),
);

/** As many as fit a page without being left out. */
const CHUNK = 8;
const chunks = Array.from({ length: Math.ceil(HOSTILE.length / CHUNK) }, (_, at) =>
  HOSTILE.slice(at * CHUNK, (at + 1) * CHUNK),
);

test("the table has its fifty, each once", () => {
  expect(new Set(HOSTILE).size).toBe(HOSTILE.length);
  expect(HOSTILE.length).toBeGreaterThanOrEqual(50);
});

test.each(chunks.map((texts, at) => ({ at, texts })))(
  "hostile texts $at stay texts, wherever they come from",
  async ({ texts }) => {
    const folder = temporaryFolder();
    const page = parsed(pageOf(await reportOf(join(folder, "hostile"), texts)));
    const plain = parsed(
      pageOf(
        await reportOf(
          join(folder, "plain"),
          texts.map((_, at) => `plain${at}`),
        ),
      ),
    );
    expect(page.errors).toEqual([]);
    expect(skeleton(page)).toEqual(skeleton(plain));
    expect(page.elements.length).toBeGreaterThan(500);
    expect(page.comments).toEqual([" A report of Cordon "]);
    const unknown = page.elements.filter(
      (one) =>
        !ELEMENTS.has(one.tagName) ||
        one.attrs.some(({ name }) => !ATTRIBUTES.has(name.toLowerCase())) ||
        !/^#[\w-]*$/.test(attribute(one, "href") ?? "#"),
    );
    expect(unknown.map(({ tagName, attrs }) => [tagName, attrs])).toEqual([]);
    const [root] = page.elements;
    const text = root === undefined ? "" : page.textOf(root);
    expect(text).not.toMatch(/[\p{Bidi_Control}\u0000\u001b\u2028]/u);
    for (const one of texts) expect(text).toContain(visibleLine(one.slice(0, 60), 60));
  },
);

test("nothing runs and nothing is loaded but the style and script with the hashes that the page names", async () => {
  const { report } = await makeReport({ home: temporaryFolder(), now: new Date(), hooks: [], problems: [] });
  const page = parsed(pageOf(report));
  const policy = page.elements.find((one) => attribute(one, "http-equiv") === "Content-Security-Policy");
  const hashes = ["style", "script"].map((tag) => {
    const [only, ...more] = page.elements.filter(({ tagName }) => tagName === tag);
    expect(more).toEqual([]);
    const text = only === undefined ? "" : page.textOf(only);
    return `${tag}-src 'sha256-${createHash("sha256").update(text).digest("base64")}'`;
  });
  const [first, ...rest] = (attribute(policy as never, "content") ?? "").split("; ");
  expect(first).toBe("default-src 'none'");
  expect(rest).toEqual([
    ...hashes,
    ...["base-uri 'none'", "form-action 'none'", "require-trusted-types-for 'script'", "trusted-types 'none'"],
  ]);
  // Before it, nothing could be loaded.
  const at = (name: string) => page.elements.findIndex((one) => one === policy || one.tagName === name);
  expect(page.elements.slice(0, at("policy")).map(({ tagName }) => tagName)).toEqual(["html", "head", "meta"]);
  expect(pageOf(report).startsWith(MARK)).toBe(true);
});

test("headings go down one level at a time, and tables have captions, and heads with a scope", async () => {
  const page = parsed(pageOf(await reportOf(join(temporaryFolder(), "home"), ["a", "b", "c"])));
  const levels = page.elements.flatMap(({ tagName }) => (/^h\d$/.test(tagName) ? [Number(tagName[1])] : []));
  expect(levels[0]).toBe(1);
  expect(levels.filter((level) => level === 1)).toHaveLength(1);
  levels.slice(1).forEach((level, at) => {
    expect(level - (levels[at] as number)).toBeLessThanOrEqual(1);
  });
  const tables = page.elements.filter(({ tagName }) => tagName === "table");
  expect(tables.length).toBeGreaterThan(4);
  for (const table of tables)
    expect(table.childNodes.flatMap((node) => ("tagName" in node ? [node.tagName] : []))).toEqual([
      "caption",
      "thead",
      "tbody",
    ]);
  for (const head of page.elements.filter(({ tagName }) => tagName === "th"))
    expect(attribute(head, "scope")).toMatch(/^(col|row)$/);
  const ids = page.elements.flatMap((one) => attribute(one, "id") ?? []);
  expect(new Set(ids).size).toBe(ids.length);
  for (const link of page.elements.filter(({ tagName }) => tagName === "a"))
    expect(ids).toContain(attribute(link, "href")?.slice(1));
});

test.each<[string, Part, string]>([
  ["a tag", "<b>", "&lt;b&gt;"],
  ["quotes", `"'\``, "&quot;&#39;&#96;"],
  ["an entity", "&lt;", "&amp;lt;"],
  ["a NUL", "a\u0000b", "a\\u0000b"],
  ["a bidirectional control", "\u202e", "\\u202e"],
  ["lines", "a\r\nb\tc", "a ↵ b c"],
  ["half a character", "\ud800", "\ufffd"],
  ["a number", 7, "7"],
  ["nothing", undefined, ""],
  ["no", false, ""],
  ["markup", html`<i>`, "<i>"],
  ["a list", ["<", html`<i>`, [1]], "&lt;<i>1"],
])("a value is escaped: %s", (_name, value, text) => {
  expect(Markup.text(html`<p>${value}</p>`)).toBe(`<p>${text}</p>`);
  if (typeof value === "string") expect(Markup.text(html`<p id="${value}">`)).toBe(`<p id="${text}">`);
});

test("a value without quotes in a tag is a mistake, and so is markup in quotes", () => {
  expect(() => html`<p id=${"a"}>`).toThrow("not in quotes");
  expect(() => html`<p ${"a"}>`).toThrow("not in quotes");
  expect(() => html`<${"a"}>`).toThrow("not in quotes");
  expect(() => html`<p id="${html`<i>`}">`).toThrow("markup stands in quotes");
  expect(Markup.text(html`<p id="a"${html` hidden`}>${"b"}</p>`)).toBe('<p id="a" hidden>b</p>');
});
