import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { POWERS } from "../../../src/powers/powers.ts";
import { pageOf } from "../../../src/report/page/page.ts";
import { makeReport } from "../../../src/report/report.ts";
import { usualPage, writeRecord } from "../../report/home.ts";
import { HOSTILE } from "../../report/hostile.ts";
import { reportOf } from "../../report/hostile-home.ts";
import { needs } from "../../support/needs.ts";
import { findChromium } from "./browser.ts";

const found = await findChromium();
const browser = "browser" in found ? found.browser : undefined;
const folder = browser ? mkdtempSync(join(tmpdir(), "cordon-test-report-")) : "";

afterAll(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Opens a page, and tells what it ran, asked for and complained about. */
async function open(file: string, options: BrowserContextOptions = {}) {
  if (!browser) throw new Error("no browser");
  const context = await browser.newContext({ viewport: { width: 1600, height: 900 }, ...options });
  const page = await context.newPage();
  const requests: string[] = [];
  const said: string[] = [];
  page.on("request", (request) => requests.push(request.url()));
  page.on("console", (message) => said.push(message.text()));
  page.on("pageerror", (error) => said.push(String(error)));
  page.on("dialog", (dialog) => said.push(dialog.message()));
  await page.goto(pathToFileURL(file).href);
  return { page, requests, said, [Symbol.asyncDispose]: () => context.close() };
}

const fileOf = (name: string, page: string): string => {
  const file = join(folder, `${name}.html`);
  writeFileSync(file, page);
  return file;
};

/** The elements of a page and where its values stand, as a browser made them. */
const shapeOf = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll("*")]
      // A command is left out for a name that cannot be typed.
      .filter((one) => one.tagName !== "BR" && !one.closest("code"))
      .map((one) => [one.tagName, ...[...one.attributes].map(({ name, value }) => `${name}=${value}`)].join(" ")),
  );

const CHUNK = 8;
const chunks = Array.from({ length: Math.ceil(HOSTILE.length / CHUNK) }, (_, at) => ({
  at,
  texts: HOSTILE.slice(at * CHUNK, (at + 1) * CHUNK),
}));

describe("in a real Chromium", needs("lacks" in found && found.lacks), () => {
  test.each(chunks)("hostile texts $at run nothing, ask for nothing and add no element", async ({ at, texts }) => {
    const hostile = fileOf(`hostile-${at}`, pageOf(await reportOf(join(folder, `hostile-${at}`), texts)));
    const plain = fileOf(
      `plain-${at}`,
      pageOf(
        await reportOf(
          join(folder, `plain-${at}`),
          texts.map((_, index) => `plain${index}`),
        ),
      ),
    );
    await using one = await open(hostile);
    await using other = await open(plain);
    // Everything is opened, pointed at and focused.
    await one.page.evaluate(() => {
      for (const details of document.querySelectorAll("details")) details.open = true;
      for (const element of document.querySelectorAll<HTMLElement>("*")) {
        for (const type of ["mouseover", "focus", "click", "error", "load"]) element.dispatchEvent(new Event(type));
      }
    });
    await one.page.waitForTimeout(50);
    expect(
      await one.page.evaluate(() => [(globalThis as { ran?: unknown }).ran, document.title, location.hash]),
    ).toEqual([undefined, "Cordon report", ""]);
    expect(one.requests).toEqual([pathToFileURL(hostile).href]);
    expect(one.said).toEqual([]);
    await one.page.evaluate(() => {
      for (const details of document.querySelectorAll("details")) details.open = false;
    });
    await other.page.evaluate(() => {
      for (const details of document.querySelectorAll("details")) details.open = false;
    });
    expect(await shapeOf(one.page)).toEqual(await shapeOf(other.page));
  });

  test("where a value did break out, the page's policy still lets nothing run or load", async () => {
    const asked: (string | undefined)[] = [];
    const server = createServer(({ url }, response) => {
      asked.push(url);
      response.end();
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const bad = `<script>window.ran=1</script><script src="${address}/s.js"></script><img src="${address}/i.png" onerror="window.ran=1"><link rel="stylesheet" href="${address}/c.css"><style>h1{display:none}</style><iframe src="${address}/f"></iframe>`;
    const page = usualPage(mkdtempSync(join(folder, "broken-"))).replace("<main>", `<main>${bad}`);
    const outcome = async (name: string, text: string): Promise<unknown> => {
      asked.length = 0;
      await using one = await open(fileOf(name, text));
      await one.page.waitForTimeout(300);
      return await one.page.evaluate(() => [
        (globalThis as { ran?: unknown }).ran,
        getComputedStyle(document.querySelector("h1") as Element).display,
      ]);
    };
    expect([await outcome("broken", page), asked]).toEqual([[undefined, "block"], []]);
    const [policy = ""] = /<meta http-equiv="Content-Security-Policy"[^>]*>/.exec(page) ?? [];
    expect(await outcome("without-policy", page.replace(policy, ""))).toEqual([1, "none"]);
    expect(asked.toSorted()).toEqual(["/c.css", "/f", "/i.png", "/s.js"]);
    server.close();
  });

  test.each([320, 1153, 1280, 1600])(
    "%i px: every power in one matrix fits, however often it was used",
    async (width) => {
      const time = "2026-11-20T10:00:00.000Z";
      const powers = Object.keys(POWERS);
      for (const count of [6, powers.length]) {
        const home = mkdtempSync(join(folder, "powers-"));
        const lines = powers.slice(0, count).map((power) => ({ time, hook: "wide", capability: power }));
        writeRecord(
          home,
          lines.flatMap((line) => [
            { ...line, outcome: "allowed" },
            { ...line, outcome: "NOT_GRANTED (999999 times more)" },
          ]),
        );
        const { report } = await makeReport({ home, now: new Date(time), hooks: [], problems: [] });
        await using one = await open(fileOf(`powers-${width}-${count}`, pageOf(report)), {
          viewport: { width, height: 900 },
        });
        expect(await one.page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
        expect(await one.page.evaluate(outside)).toEqual([]);
        expect(await one.page.evaluate(overlaps)).toEqual([]);
      }
    },
  );

  describe("a page after two weeks of work", () => {
    let file: string;
    beforeAll(() => {
      file = fileOf("usual", usualPage(mkdtempSync(join(folder, "usual-"))));
    });

    const LOOKS = [320, 720, 1000, 1600].flatMap((width) =>
      (["light", "dark"] as const).map((colorScheme) => ({ width, colorScheme })),
    );

    test.each(LOOKS)(
      "$width px, $colorScheme: it fits, nothing overlaps, and every text can be read",
      async ({ width, colorScheme }) => {
        await using one = await open(file, { colorScheme, viewport: { width, height: 900 } });
        const { page } = one;
        await page.evaluate(() => {
          for (const details of document.querySelectorAll("details")) details.open = true;
        });
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
        expect(await page.evaluate(outside)).toEqual([]);
        expect(await page.evaluate(overlaps)).toEqual([]);
        expect(await page.evaluate(faint)).toEqual([]);
      },
    );

    /** A folder for pictures of the page, for a person to look at: `npm run screens`. */
    const pictures = process.env.CORDON_SCREENS;
    test.runIf(pictures).each([320, 1600].flatMap((width) => LOOKS.filter((look) => look.width === width)))(
      "a picture of it at $width px, $colorScheme",
      async ({ width, colorScheme }) => {
        await using one = await open(file, { colorScheme, viewport: { width, height: 900 } });
        mkdirSync(pictures ?? "", { recursive: true });
        const path = join(pictures ?? "", `report-${width}-${colorScheme}.png`);
        await one.page.screenshot({ path, fullPage: true });
        expect(statSync(path).size).toBeGreaterThan(10_000);
      },
    );

    test("by keyboard alone: every part is reached in the order of the page, and what has the focus is seen", async () => {
      await using one = await open(file);
      const { page } = one;
      const tops: number[] = [];
      const names: string[] = [];
      for (;;) {
        await page.keyboard.press("Tab");
        const now = await page.evaluate(() => {
          const at = document.activeElement;
          if (!at || at === document.body) return undefined;
          const { outlineStyle, outlineWidth } = getComputedStyle(at);
          const name = `${at.tagName} ${at.textContent?.trim().slice(0, 30)}`;
          return {
            name,
            order: [...document.querySelectorAll("*")].indexOf(at),
            isSeen: outlineStyle !== "none" && Number.parseFloat(outlineWidth) >= 2,
          };
        });
        if (!now || names.length > 200) break;
        expect([now.name, now.isSeen]).toEqual([now.name, true]);
        names.push(now.name);
        tops.push(now.order);
      }
      expect(tops).toEqual(tops.toSorted((a, b) => a - b));
      const controls = await page.evaluate(() => document.querySelectorAll("a, summary, select, input").length);
      expect(names.length).toBe(controls);
    });

    test("a key opens the part of a hook, and a link leads to it", async () => {
      await using one = await open(file);
      const { page } = one;
      await page.locator(".matrix a").first().focus();
      await page.keyboard.press("Enter");
      expect(
        await page.evaluate(() => document.querySelector<HTMLDetailsElement>("#hook-0")?.closest("details")?.open),
      ).toBe(true);
      const summary = page.locator("#timeline summary").nth(1);
      await summary.focus();
      await page.keyboard.press("Enter");
      expect(await page.locator("#timeline details").nth(1).getAttribute("open")).toBe("");
    });

    test("the filter shows the rows of one hook, of a word, and those that were not let pass", async () => {
      await using one = await open(file);
      const { page } = one;
      const rows = () => page.locator("#timeline tr[data-deed]:visible").count();
      await page.selectOption("select", { label: "chatty" });
      expect(await page.locator("#timeline tr[data-deed]:visible .who").allTextContents()).toSatisfy(
        (all: string[]) => all.length > 3 && all.every((who) => who.includes("chatty")),
      );
      await page.check("input[name=notable]");
      expect(await page.locator("#timeline tr[data-deed]:visible .badge").allTextContents()).toSatisfy(
        (all: string[]) => all.length === 2 && all.every((text) => /failed|refused/.test(text)),
      );
      await page.selectOption("select", { label: "all" });
      await page.fill("input[name=words]", "NAMES AN ISSUE");
      expect(await rows()).toBe(4);
      expect(await page.locator("output").textContent()).toMatch(/^4 of \d+ rows$/);
      expect(one.said).toEqual([]);
    });

    test("without JavaScript all of it is there, and the filter is not", async () => {
      await using one = await open(file, { javaScriptEnabled: false });
      const { page } = one;
      expect(await page.locator("form").isVisible()).toBe(false);
      expect(await page.locator("h2:visible").count()).toBe(6);
      await page.locator("#timeline summary").nth(1).click();
      expect(await page.locator("#timeline details").nth(1).locator("tr[data-deed]").first().isVisible()).toBe(true);
      await page.locator(".matrix a").first().click();
      expect(await page.locator("#hook-0").isVisible()).toBe(true);
    });

    test("what a screen reader hears: one heading of the page, parts in order, and tables as tables on a narrow screen", async () => {
      await using one = await open(file, { viewport: { width: 320, height: 900 } });
      const { page } = one;
      expect(await page.getByRole("heading", { level: 1 }).allTextContents()).toEqual(["Cordon report"]);
      expect(await page.getByRole("heading", { level: 2 }).allTextContents()).toEqual([
        "Nothing is broken; 3 things are for you to decide",
        ...["Since the last report", "Hooks and their powers", "What happened", "Powers over time", "The audit log"],
      ]);
      const matrix = page.getByRole("table", { name: "What each hook may do" });
      expect(await matrix.getByRole("columnheader").allTextContents()).toEqual([
        "hook",
        "blocked",
        "events",
        "ui",
        "exec",
        "send",
        "fs",
        "env",
        "net",
      ]);
      expect(await matrix.getByRole("rowheader").count()).toBe(4);
      expect(await page.getByRole("navigation").getByRole("link").count()).toBe(6);
    });
  });
});

/** Texts that stand outside of the window, or of the box that should hold them. */
function outside(): string[] {
  return [...document.querySelectorAll("main *, header *, footer *")].flatMap((one) => {
    const { left, right, width } = one.getBoundingClientRect();
    const isUnseen = one.closest(".unseen, thead") !== null || width === 0;
    const fits = left >= -0.5 && right <= document.documentElement.clientWidth + 0.5;
    return isUnseen || fits ? [] : [`${one.tagName}.${one.className} ${Math.round(left)}-${Math.round(right)}`];
  });
}

/** Pairs of texts whose lines stand on each other. */
function overlaps(): string[] {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const boxes: { text: string; box: DOMRect }[] = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (
      !parent?.checkVisibility({ contentVisibilityAuto: true }) ||
      parent.closest(".unseen, script, style, option, svg") ||
      node.textContent?.trim() === ""
    )
      continue;
    if (getComputedStyle(parent.closest("thead") ?? parent).clipPath !== "none") continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const box of range.getClientRects()) if (box.width > 1) boxes.push({ text: node.textContent ?? "", box });
  }
  boxes.sort((a, b) => a.box.top - b.box.top);
  const found: string[] = [];
  boxes.forEach((one, at) => {
    for (const other of boxes.slice(at + 1)) {
      if (other.box.top >= one.box.bottom) break;
      const wide = Math.min(one.box.right, other.box.right) - Math.max(one.box.left, other.box.left);
      const high = Math.min(one.box.bottom, other.box.bottom) - other.box.top;
      // The boxes of two lines share a few pixels above and below their letters.
      if (wide > 1 && high > 6) found.push(`${one.text.trim().slice(0, 40)} | ${other.text.trim().slice(0, 40)}`);
    }
  });
  return found.slice(0, 10);
}

/** Texts whose contrast with what is behind them is below 4.5 to 1 (WCAG 2.2, AA). */
function faint(): string[] {
  type Colour = [red: number, green: number, blue: number, alpha: number];
  const colourOf = (text: string): Colour => {
    const [red = 0, green = 0, blue = 0, alpha = 1] = (text.match(/[\d.]+/g) ?? []).map(Number);
    return [red, green, blue, alpha];
  };
  const light = ([red, green, blue]: Colour): number => {
    const [r = 0, g = 0, b = 0] = [red, green, blue].map((one) =>
      one / 255 <= 0.04045 ? one / 255 / 12.92 : ((one / 255 + 0.055) / 1.055) ** 2.4,
    );
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const found = new Set<string>();
  for (const one of document.querySelectorAll("main *, header *, footer *")) {
    if (![...one.childNodes].some((node) => node.nodeType === 3 && node.textContent?.trim())) continue;
    let behind: Element | null = one;
    while (behind && colourOf(getComputedStyle(behind).backgroundColor)[3] === 0) behind = behind.parentElement;
    const ground = colourOf(getComputedStyle(behind ?? document.body).backgroundColor);
    const [a, b] = [light(colourOf(getComputedStyle(one).color)), light(ground)];
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (contrast < 4.5) found.add(`${one.tagName}.${one.className} ${contrast.toFixed(2)}`);
  }
  return [...found];
}
