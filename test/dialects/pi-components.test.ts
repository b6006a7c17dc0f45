import { expect, test } from "vitest";
import { inHook, inPi, type Row } from "./pi-sides.ts";

const LIST_THEME = `{ selectedPrefix: (t) => "<" + t + ">", selectedText: (t) => "[" + t + "]", description: (t) => "(" + t + ")",
  scrollInfo: (t) => "{" + t + "}", noMatch: (t) => "!" + t }`;
const MARKDOWN_THEME = `Object.fromEntries(["heading", "link", "linkUrl", "code", "codeBlock", "codeBlockBorder", "quote",
  "quoteBorder", "hr", "listBullet", "bold", "italic", "strikethrough", "underline"].map((name) => [name, (t) => name + "(" + t + ")"]))`;
const SETTINGS_THEME = `{ label: (t, on) => (on ? "*" : "") + t, value: (t, on) => (on ? "*" : "") + t, description: (t) => t, cursor: "> ",
  hint: (t) => t }`;
const EDITOR = `new tui.Editor({ requestRender() {}, terminal: { rows: 24, columns: 40 } }, { borderColor: (t) => t, selectList: ${LIST_THEME} })`;
const TEXT = JSON.stringify(
  "# Title\n\nSome *text* with `code`, a [link](http://x.example) and 日本語.\n\n- one\n- two\n\n> quoted\n\n```js\nlet a = 1;\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n$\\alpha + 1$",
);

/** Types keys into what takes input, and renders it. */
const typed = (component: string, keys: readonly string[], width = 40): string =>
  `(() => { const component = ${component}; component.focused = true; for (const key of ${JSON.stringify(keys)}) component.handleInput(key); return component.render(${width}); })()`;

const DOWN = "\u001b[B";
const UP = "\u001b[A";

// biome-ignore format: a table
const ROWS: Row[] = [
  ["a terminal that can do little", "tui.setCapabilities({ images: null, trueColor: false, hyperlinks: false })"],
  ["text wraps and is padded", `new tui.Text("hello \\u001b[31mred\\u001b[0m world 日本語", 1, 1).render(12)`],
  ["text with a background", `new tui.Text("x", 1, 0, (t) => "\\u001b[44m" + t + "\\u001b[0m").render(8)`],
  ["text that was changed", `(() => { const text = new tui.Text("a"); text.render(9); text.setText("b"); return text.render(9); })()`],
  ["text is truncated", `new tui.TruncatedText("a long line of text", 1, 0).render(10)`],
  ["a box pads what is in it", `(() => { const box = new tui.Box(2, 1, (t) => "<" + t + ">"); box.addChild(new tui.Text("in", 0, 0)); return box.render(10); })()`],
  ["a container and a spacer", `(() => { const all = new tui.Container(); all.addChild(new tui.Text("a", 0, 0)); all.addChild(new tui.Spacer(2)); all.addChild(new tui.Text("b", 0, 0)); return all.render(5); })()`],
  ["stacks", `(() => { const row = new tui.HStack(); row.addChild(new tui.Text("a", 0, 0)); row.addChild(new tui.Text("b", 0, 0)); return row.render(10); })()`],
  ["markdown", `new tui.Markdown(${TEXT}, 1, 0, ${MARKDOWN_THEME}).render(40)`],
  ["a list", `new tui.SelectList([{ value: "a", label: "Alpha", description: "first" }, { value: "b", label: "Beta" }], 5, ${LIST_THEME}).render(40)`],
  ["a list after keys", typed(`new tui.SelectList(["a", "b", "c", "d"].map((value) => ({ value, label: value })), 2, ${LIST_THEME})`, [DOWN, DOWN, UP, DOWN, DOWN])],
  ["a list that is left, or chosen from", `(() => { const said = []; const list = new tui.SelectList([{ value: "a", label: "A" }, { value: "b", label: "B" }], 5, ${LIST_THEME}); list.onSelect = (item) => said.push(item.value); list.onCancel = () => said.push("left"); for (const key of [${JSON.stringify(DOWN)}, "\\r", "\\u001b"]) list.handleInput(key); return said; })()`],
  ["settings", typed(`new tui.SettingsList([{ id: "x", label: "X", currentValue: "on", values: ["on", "off"] }, { id: "y", label: "Why", currentValue: "1", values: ["1", "2"], description: "because" }], 5, ${SETTINGS_THEME}, () => {}, () => {})`, [" ", DOWN, "\r"])],
  ["an input line", typed("new tui.Input()", ["h", "é", "日", "o", "\u001b[D", "\u007f", "x"])],
  ["an input line that is pasted into", typed("new tui.Input()", ["\u001b[200~two\nlines\u001b[201~", "\u0001", "!"])],
  ["an editor", typed(EDITOR, ["a", "b", "\n", "c", UP, "X"])],
  ["an editor that undoes", typed(EDITOR, [..."some words", "\u0017", "\u001f"])],
  ["an image where there are none", `new tui.Image("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "image/png", { fallbackColor: (t) => t }, {}).render(40)`],
  ["a loader", `(() => { const loader = new tui.CancellableLoader({ requestRender() {} }, (t) => t, (t) => t, "working"); const lines = loader.render(20); loader.handleInput("\\u001b"); loader.stop(); return [lines, loader.aborted]; })()`],
  ["keys", `["\\u001b[A", "\\r", "\\u001b", "\\u0003", "a", "\\u001b[27;5;13~", "\\u001b[97;5u", "\\u001b[1;2P"].map((data) => [tui.parseKey(data), tui.matchesKey(data, "up"), tui.matchesKey(data, tui.Key.ctrl("c")), tui.isKeyRelease(data)])`],
  ["key bindings", `[tui.getKeybindings().matches("\\u001b[A", "tui.select.up"), tui.getKeybindings().getKeys("tui.input.submit")]`],
  ["searching", `[tui.fuzzyMatch("abc", "a_b_c"), tui.fuzzyFilter(["banana", "bandana", "can"], "bna", (t) => t)]`],
  ["widths", `[tui.visibleWidth("👩‍👩‍👧\\t日"), tui.truncateToWidth("日本語 text", 7), tui.wrapTextWithAnsi("\\u001b[1mbold words here\\u001b[0m", 6), tui.sliceByColumn("日本語", 1, 3)]`],
  ["formulas", String.raw`tui.renderLatex("\\frac{a}{b} + \\alpha^2")`],
  ["images' sizes", `tui.getPngDimensions("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")`],
  ["terminal's input in parts", `(() => { const said = []; const buffer = new tui.StdinBuffer({ timeout: 1 }); buffer.on("data", (data) => said.push(data)); buffer.process("a\\u001b[A\\u001b[1;5"); buffer.process("C"); return said; })()`],
];

test("components and helpers of pi-tui do in a hook what they do in pi", async () => {
  const expected = await inPi(ROWS);
  expect(await inHook(ROWS)).toEqual(expected);
  expect(Object.values(expected).join("")).not.toContain('"error"');
});

test("the keys of editors have their old names, too", async () => {
  const rows: Row[] = [
    ["by the old name", `tui.getEditorKeybindings().matches("\\u001b[A", "selectUp")`],
    ["by the new", `tui.getEditorKeybindings().matches("\\u001b[A", "tui.select.up")`],
    ["of an editor", `tui.getEditorKeybindings().matches("\\u0017", "deleteWordBackward")`],
    ["another key", `tui.getEditorKeybindings().matches("x", "selectUp")`],
  ];
  expect(Object.values(await inHook(rows))).toEqual(["true", "true", "true", "false"]);
});

test("what draws on the terminal throws, and says its name", async () => {
  const said = await inHook([["a terminal", "new tui.ProcessTerminal()"]]);
  expect(said["a terminal"]).toContain("ProcessTerminal of @earendil-works/pi-tui is not offered to hooks: it draws");
});
