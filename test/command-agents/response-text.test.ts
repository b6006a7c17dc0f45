import fc from "fast-check";
import { expect, test } from "vitest";
import { textOfResponse, withText } from "../../src/agents/command/response-text.ts";

test.each([
  ["a text", "a KEY", "a KEY", "a ***"],
  [
    "a shell's",
    { stdout: "a KEY", stderr: "an error", interrupted: false, isImage: false },
    "a KEY\nan error",
    { stdout: "a ***\nan error", stderr: "", interrupted: false, isImage: false },
  ],
  [
    "a file's",
    { type: "text", file: { filePath: "/a", content: "KEY", numLines: 1 } },
    "KEY",
    { type: "text", file: { filePath: "", content: "***", numLines: 1 } },
  ],
  [
    "a server's",
    [
      { type: "text", text: "KEY" },
      { type: "text", text: "and more" },
    ],
    '[{"type":"text","text":"KEY"},{"type":"text","text":"and more"}]',
    [
      { type: "text", text: "***" },
      { type: "text", text: "and more" },
    ],
  ],
  ["nothing", undefined, "", undefined],
])("%s response is read, and takes another text in its own shape", (_what, response, text, changed) => {
  expect(textOfResponse(response)).toBe(text);
  expect(withText(response, text.replace("KEY", "***"))).toEqual(changed);
});

test("a text that has not the shape of the response stands alone in it", () => {
  const response = [
    { type: "image", data: "SECRET", n: 1 },
    { type: "text", text: "SECRET" },
  ];
  expect(withText(response, "withheld")).toEqual([
    { type: "image", data: "withheld", n: 1 },
    { type: "text", text: "" },
  ]);
});

/** Texts of a value, but those that say of what kind it is. */
const texts = (value: unknown): string[] =>
  typeof value === "string"
    ? [value]
    : typeof value === "object" && value !== null
      ? Object.entries(value).flatMap(([name, part]) =>
          ["type", "mimeType", "media_type", "resultType", "result_type"].includes(name) && typeof part === "string"
            ? []
            : texts(part),
        )
      : [];

test("whatever the response, no text of it is left beside the new one", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (response) => {
      const left = texts(withText(response, "withheld")).filter((text) => text !== "");
      expect(left.length <= 1 && left.every((text) => text === "withheld")).toBe(true);
    }),
  );
});
