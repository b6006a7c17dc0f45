import { describe, expect, test } from "vitest";
import { needs } from "../../support/needs.ts";
import { temporaryFolder } from "../../support/session.ts";
import { lacksTmux } from "../screen.ts";
import { lacksNamespace, PI_VERSIONS } from "./install.ts";
import { contained } from "./scenes.ts";
import { PiTerminal } from "./terminal.ts";

const missing = lacksNamespace() ?? lacksTmux();

const HOOK = `
import { CustomEditor } from "@earendil-works/pi-coding-agent";
const lines = (make) => ({ render: make, invalidate() {} });
export default (pi) => {
  pi.on("session_start", (event, ctx) => {
    ctx.ui.setWidget("todo", (tui, theme) => lines((width) => [theme.fg("accent", "three things to do")]));
    ctx.ui.setFooter((tui, theme, data) => lines(() => ["on branch " + data.getGitBranch()]));
  });
  pi.registerMessageRenderer("note", (message, options, theme) => lines(() => ["drawn: " + message.content]));
  pi.registerTool({ name: "weigh", label: "Weigh", description: "Weighs", parameters: { type: "object", properties: {} },
    execute: async () => ({ content: [{ type: "text", text: "5 kg" }], details: { kg: 5 } }),
    renderCall: () => lines(() => ["weighing ..."]),
    renderResult: (result) => lines(() => ["it weighs " + result.details.kg]) });
  pi.registerCommand("note", { handler: async () => pi.sendMessage({ customType: "note", content: "remember", display: true }) });
  pi.registerCommand("pick", { handler: async (args, ctx) => {
    const picked = await ctx.ui.custom((tui, theme, kb, done) => ({
      at: 0, invalidate() {},
      render() { return ["first", "second"].map((name, at) => (at === this.at ? "> " : "  ") + name); },
      handleInput(data) {
        if (kb.matches(data, "tui.select.down")) this.at = 1;
        if (kb.matches(data, "tui.select.confirm")) done(this.at);
      },
    }), args === "over" ? { overlay: true, overlayOptions: { width: "50%" } } : {});
    ctx.ui.notify("picked " + picked);
  } });
  pi.registerCommand("grab", { handler: async (layout, ctx) => {
    let got = "";
    await ctx.ui.custom((tui, theme, kb, done) => ({ render: () => [got, "last line"], invalidate() {},
      handleInput(data) { got += data; if (got === "hi!") done(); } }),
      { overlay: true, overlayOptions: JSON.parse(layout) });
    ctx.ui.notify("got " + got);
  } });
  pi.registerCommand("cover", { handler: async (args, ctx) => {
    const over = (rows, row) => void ctx.ui.custom(() => lines(() => rows), { overlay: true, overlayOptions: { width: "100%", row, nonCapturing: true } });
    const full = (words) => [words, ...Array(60).fill("")];
    for (const row of ["0%", "50%", "100%"]) over(full("cover " + row), row);
    for (const key of ["a", "b", "c"]) ctx.ui.setWidget(key, () => lines(() => full("below " + key)), { placement: "belowEditor" });
    ctx.ui.setFooter(() => lines(() => full("foot")));
    await new Promise((done) => setTimeout(done, 500));
    await pi.exec("sh", ["-c", "true"]).catch(() => {});
  } });
  pi.registerCommand("lock", { handler: async (args, ctx) => {
    const again = async () => { for (let at = 0; at < 10; at++) await ctx.ui.custom(() => ({ render: () => ["mine"], invalidate() {} })); };
    await Promise.all([again(), again(), again()]);
    ctx.ui.notify("gave up");
  } });
  pi.registerCommand("edit", { handler: async (args, ctx) => {
    class Loud extends CustomEditor {
      handleInput(data) { super.handleInput(data === "z" ? "Z" : data); }
      render(width) { return [...super.render(width), "loud " + this.getText().length]; }
    }
    ctx.ui.setEditorComponent((tui, theme, kb) => new Loud(tui, theme, kb));
  } });
  pi.registerCommand("complete", { handler: async (args, ctx) => {
    ctx.ui.addAutocompleteProvider((current) => ({ triggerCharacters: ["%"], ...current,
      async getSuggestions(lines, row, col, options) {
        const word = lines[row].slice(0, col).match(/%(\\w*)$/);
        if (!word) return current.getSuggestions(lines, row, col, options);
        return { prefix: word[0], items: [{ value: "%percent", label: "a percentage" }, { value: "%other", label: "another" }] };
      } }));
  } });
  pi.registerCommand("keys", { handler: async (args, ctx) => {
    const stop = ctx.ui.onTerminalInput((data) => {
      if (data === "x") return { consume: true };
      if (data === "y") return { data: "Y!" };
      if (data === "s") { stop(); return { consume: true }; }
    });
  } });
  pi.registerCommand("hang", { handler: async (args, ctx) => {
    await ctx.ui.custom(() => ({ render: () => ["press x"], invalidate() {}, handleInput(data) { if (data === "x") for (;;); } }));
  } });
};`;

const CAPABILITIES = {
  events: { see: ["session"] },
  tools: ["weigh"],
  commands: ["*"],
  ui: ["draw", "notify", "typing"],
  send: { perMinute: 6 },
};

describe.each(PI_VERSIONS)("the terminal of pi %s", needs(missing), (version) => {
  const open = async (turns: object[] = []) => {
    const { extension, files } = contained({ painter: { source: HOOK, capabilities: CAPABILITIES } });
    const folder = temporaryFolder();
    const pi = await PiTerminal.open({ version, folder, extensions: { cordon: extension }, files, turns });
    await pi.shows("three things to do");
    return pi;
  };

  test("takes no keyboard again from a person who just left it", async () => {
    const pi = await open();
    await pi.submit("/lock");
    await pi.shows(/hook painter has the keyboard/);
    pi.press("C-c");
    await pi.shows(/gave up/);
    expect(pi.read()).not.toContain("has the keyboard");
    await pi.submit("hello");
    await pi.shows(/done/);
  });

  test("shows a question whole, whatever a hook puts over it or below it", async () => {
    const pi = await open();
    await pi.submit("/cover");
    await pi.shows(/Cordon asks: hook painter wants to use exec: sh[\s\S]*Deny[\s\S]*Allow always/);
    expect(pi.read()).not.toMatch(/cover \d|below [abc]|foot/);
    pi.press("Escape");
    await pi.shows(/cover 0%[\s\S]*cover 100%/);
  });

  test("shows widgets, footers, messages and tools as hooks draw them", async () => {
    const pi = await open([{ calls: [{ name: "weigh", args: {} }] }, { text: "All right." }]);
    await pi.shows(/┏ hook painter\s+┃ three things to do/);
    await pi.shows(/┏ hook painter\s+┃ on branch null/);
    await pi.submit("/note");
    await pi.shows(/┏ hook painter\s+┃ drawn: Message from hook painter.*: remember/);
    await pi.submit("go");
    await pi.shows(/┃ it weighs 5[\s\S]*All right\./);
    expect(pi.read()).toMatch(/┃ weighing \.\.\./);
  });

  test.each(["", "over"])("gives a component the keyboard, and takes it back (%s)", async (how) => {
    const pi = await open();
    await pi.submit(`/pick ${how}`);
    await pi.shows(/┏━ hook painter has the keyboard[\s\S]*┃ > first/);
    pi.press("Down");
    await pi.shows(/┃ > second/);
    pi.press("Enter");
    await pi.shows(/picked 1/);
    expect(pi.read()).not.toContain("has the keyboard");
    // The person's keys are pi's again.
    await pi.submit("hello");
    await pi.shows(/done/);
  });

  test.each([
    { width: 1, maxHeight: 1, anchor: "top-right" },
    { width: "0%", maxHeight: "1%" },
    { minWidth: "50%", maxHeight: 2, width: 3 },
    { offsetX: "x", offsetY: "9%", width: 25, maxHeight: "5%" },
    { row: 900, col: 900, width: 22 },
  ])("shows whose overlay has the keyboard, whatever its layout: %j", async (layout) => {
    const pi = await open();
    await pi.submit(`/grab ${JSON.stringify(layout)}`);
    await pi.shows(/┏━ hook painter [^\n]*┓[\s\S]*┃[^\n]*┃[\s\S]*┗━ hook painter [^\n]*┛/);
    pi.type("hi!");
    await pi.shows(/got hi!/);
  });

  test.each([["Escape", "Escape"], ["C-c"]])("lets the person leave by %s %s", async (...keys) => {
    const pi = await open();
    await pi.submit("/pick");
    await pi.shows(/> first/);
    for (const key of keys) pi.press(key);
    await pi.shows(/picked undefined/);
    expect(pi.read()).not.toContain("has the keyboard");
  });

  test("lets a hook's editor take the place of pi's, and sends what stands in it", async () => {
    const pi = await open();
    await pi.submit("/edit");
    await pi.shows(/hook painter reads what you type[\s\S]*loud 0/);
    pi.type("hi z there");
    await pi.shows(/hi Z there[\s\S]*loud 10/);
    pi.press("Enter");
    await pi.shows(/hi Z there[\s\S]*done[\s\S]*loud 0/);
    // pi's own commands complete in it, and Ctrl+C empties it.
    pi.type("/hotk");
    await pi.shows(/hotkeys[\s\S]*loud 5/);
    pi.press("C-c");
    await pi.shows(/loud 0/);
    pi.type("kept");
    await pi.shows(/kept[\s\S]*loud 4/);
    pi.press("Escape", "Escape");
    await pi.shows(/^(?![\s\S]*reads what you type)[\s\S]*kept/);
  });

  test("completes words with a hook, and what the hook leaves to pi", async () => {
    const pi = await open();
    await pi.submit("/complete");
    await pi.settled();
    pi.type("see %");
    await pi.shows(/a percentage[\s\S]*another/);
    pi.press("Tab");
    await pi.shows(/see %percent/);
    pi.press("C-c");
    pi.type("/hotk");
    await pi.shows(/→ hotkeys/);
  });

  test("hands keys to a hook first, says so, and goes on with those that it leaves", async () => {
    const pi = await open();
    await pi.submit("/keys");
    await pi.shows(/hook painter reads your keys/);
    pi.type("axyb");
    await pi.shows(/aY!b/);
    pi.press("C-c");
    await pi.shows(/^(?![\s\S]*aY!b)/);
    pi.type("s");
    await pi.shows(/^(?![\s\S]*reads your keys)/);
    pi.type("xyz");
    await pi.shows(/xyz/);
  });

  test("is whole after a hook that hangs on a key", async () => {
    const pi = await open();
    await pi.submit("/hang");
    await pi.shows(/press x/);
    pi.type("x");
    await pi.shows(/^(?![\s\S]*has the keyboard)/);
    await pi.submit("hello");
    await pi.shows(/done/);
  });
});
