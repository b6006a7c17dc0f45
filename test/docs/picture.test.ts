import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { PACKAGE_ROOT } from "../../src/base/package-root.ts";
import { drawPicture, type Picture } from "./draw-picture.ts";

const docs = (name: string): string => join(PACKAGE_ROOT, "docs", name);
const picture: Picture = JSON.parse(readFileSync(docs("picture.json"), "utf8"));

test("docs/picture.svg is drawn from docs/picture.json and the powers of the source; -u draws it", async () => {
  await expect(drawPicture(picture)).toMatchFileSnapshot(docs("picture.svg"));
});

test("it says in words what it shows, has colours for the dark, and loads nothing", () => {
  const svg = drawPicture(picture);
  expect(svg).toContain(`<title id="title">${picture.title}</title>`);
  expect(svg).toMatch(/<desc id="desc">.{100,}<\/desc>/);
  expect(svg).toContain("prefers-color-scheme: dark");
  expect(svg.replace('xmlns="http://www.w3.org/2000/svg"', "")).not.toMatch(/https?:|<script|<image|@import|url\(/);
});

const [first, ...others] = picture.boxes;
const withFirst = (more: object): Picture => ({
  ...picture,
  boxes: [{ ...first, ...more } as Picture["boxes"][0], ...others],
});

test.each([
  ["a text that does not fit its box", withFirst({ label: "x".repeat(80) }), "does not fit"],
  ["a box beyond the page", withFirst({ x: 900 }), "beyond the page"],
  [
    "an arrow from nowhere",
    { ...picture, arrows: [{ from: ["none", "left", 0], to: ["host", "left", 0], label: "" }] },
    "no box none",
  ],
] as [string, Picture, string][])("%s is found out", (_what, wrong, says) => {
  expect(() => drawPicture(wrong)).toThrow(says);
});
