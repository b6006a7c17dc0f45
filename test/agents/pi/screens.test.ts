import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../support/session.ts";
import { lacksNamespace, PI_VERSIONS } from "./install.ts";
import { contained } from "./scenes.ts";
import { lacksTmux, PiTerminal } from "./terminal.ts";

const missing = lacksNamespace() ?? lacksTmux();

const HOOK = `
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
  pi.registerCommand("hang", { handler: async (args, ctx) => {
    await ctx.ui.custom(() => ({ render: () => ["press x"], invalidate() {}, handleInput(data) { if (data === "x") for (;;); } }));
  } });
};`;

const CAPABILITIES = {
  events: { see: ["session"] },
  tools: ["weigh"],
  commands: ["*"],
  ui: ["draw", "notify"],
  send: { perMinute: 6 },
};

describe.skipIf(missing).each(PI_VERSIONS)("the terminal of pi %s", (version) => {
  const open = async (turns: object[] = []) => {
    const { extension, files } = contained({ painter: { source: HOOK, capabilities: CAPABILITIES } });
    const folder = temporaryFolder();
    const pi = await PiTerminal.open({ version, folder, extensions: { cordon: extension }, files, turns });
    await pi.shows("three things to do");
    return pi;
  };

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

  test.each([["Escape", "Escape"], ["C-c"]])("lets the person leave by %s %s", async (...keys) => {
    const pi = await open();
    await pi.submit("/pick");
    await pi.shows(/> first/);
    for (const key of keys) pi.press(key);
    await pi.shows(/picked undefined/);
    expect(pi.read()).not.toContain("has the keyboard");
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
