import fc from "fast-check";
import { expect, test } from "vitest";
import { textOfResponse, withText, withTextOfServer } from "../../src/agents/command/response-text.ts";

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

const IMAGES = [{ type: "image", data: "AA==", mimeType: "image/png" }];

test.each<[what: string, response: object, shown: string]>([
  [
    "blocks beside a shell's",
    { stdout: "", stderr: "", structuredContent: [{ type: "text", text: "KEY" }] },
    '{"structuredContent":[{"type":"text","text":"KEY"}]}',
  ],
  [
    "structured content",
    { content: "fine", structuredContent: { key: 4111 } },
    'fine\n{"structuredContent":{"key":4111}}',
  ],
  [
    "a field beside the output",
    { stdout: "out", stderr: "err", result: "KEY", exitCode: 1 },
    'out\nerr\n{"result":"KEY"}',
  ],
  [
    "names of files",
    { mode: "content", content: "fine", filenames: ["/KEY"], numFiles: 1 },
    'fine\n{"filenames":["/KEY"]}',
  ],
  ["a field inside", { file: { filePath: "/a", content: "c", notes: [1] } }, 'c\n{"file":{"notes":[1]}}'],
  ["an object in the place of a status", { content: "c", status: { key: "KEY" } }, 'c\n{"status":{"key":"KEY"}}'],
  [
    "images",
    { resultType: "success", textResultForLlm: "fine", binaryResultsForLlm: IMAGES },
    `fine\n{"binaryResultsForLlm":${JSON.stringify(IMAGES)}}`,
  ],
  ["what only the screen shows", { llmContent: "fine", returnDisplay: "KEY" }, "fine"],
])("hooks are shown all that the model reads: %s", (_what, response, shown) => {
  expect(textOfResponse(response)).toBe(shown);
  // As it was, it stays; changed, nothing of it does.
  const kept = withText(response, shown);
  expect(textOfResponse(kept)).toBe(shown);
  expect(JSON.stringify(withText(response, "***"))).not.toMatch(/KEY|4111|AA==|\[1\]/);
  expect(textOfResponse(withText(response, "***"))).toBe("***");
});

test("of a server's response all is shown, and what a hook gives back stands alone", () => {
  const response = { stdout: "", rows: [{ card: 4111, KEY: "x" }] };
  expect(textOfResponse(response, true)).toBe(JSON.stringify(response));
  expect(withTextOfServer(response, '{"rows":[{"card":"***"}]}')).toEqual({ rows: [{ card: "***" }] });
  expect(withTextOfServer(response, "withheld")).toEqual({ content: [{ type: "text", text: "withheld" }] });
  expect(withTextOfServer([{ type: "KEY", n: 4111 }], "[1, withheld")).toEqual([
    { type: "text", text: "[1, withheld" },
  ]);
  expect(withTextOfServer([{ n: 4111 }], '{"n":0}')).toEqual([{ type: "text", text: '{"n":0}' }]);
  expect(withTextOfServer("KEY", "***")).toBe("***");
});

test("whatever a server's response, a withheld one has nothing of it", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (response) => {
      expect([
        "withheld",
        [{ type: "text", text: "withheld" }],
        { content: [{ type: "text", text: "withheld" }] },
      ]).toContainEqual(withTextOfServer(response, "withheld"));
    }),
  );
});

test("whatever is beside the text of an own tool's response, it is shown or says nothing, and is gone or as it was", () => {
  const name = fc.constantFrom("content", "file", "exitCode", "status", "type", "returnDisplay", "more", "stderr");
  const value = fc.oneof(
    fc.constantFrom("", "x", 1, true, null),
    fc.dictionary(name, fc.jsonValue()),
    fc.array(fc.jsonValue()),
  );
  fc.assert(
    fc.property(fc.dictionary(name, value), (beside) => {
      const response = { ...beside, stdout: "out" };
      const shown = textOfResponse(response);
      expect(textOfResponse(withText(response, shown))).toBe(shown);
      expect(textOfResponse(withText(response, "***"))).toBe("***");
    }),
  );
});
