import { join } from "node:path";
import { expect, test } from "vitest";
import { RpcAgent, startCordon } from "../support/command.ts";
import { temporaryFolder, writeFiles } from "../support/session.ts";

const EXTENSION = `
export default (pi) => {
  pi.registerMessageRenderer("note", (message, options) =>
    ({ render: () => [message.content + options.expanded], invalidate() {} }));
  pi.registerCommand("go", { handler: async (args, ctx) => {
    ctx.ui.setFooter((tui, theme, data) => ({ render: () => [String(data.getGitBranch())], invalidate() {} }));
    const said = await ctx.ui.custom((tui, theme, kb, done) => ({
      typed: "", invalidate() {},
      render(width) { return [theme.fg("accent", this.typed) + width]; },
      handleInput(data) { if (data === "q") done(this.typed); else this.typed += kb.matches(data, "up") ? "^" : data; },
    }), { overlay: true });
    ctx.ui.notify("said " + said);
  } });
  pi.registerCommand("write", { handler: async (args, ctx) => {
    ctx.ui.addAutocompleteProvider(() => ({ triggerCharacters: ["#"],
      getSuggestions: async (lines) => ({ prefix: "#", items: [{ value: lines[0] + "1", label: "one" }] }) }));
    ctx.ui.onTerminalInput((data) => (data === "x" ? { consume: true } : undefined));
    ctx.ui.setEditorComponent(() => ({ written: "", invalidate() {}, addToHistory(text) { this.sent = text; },
      getText() { return this.written; }, setText(text) { this.written = text; },
      handleInput(data) { if (data === "\\r") this.onSubmit(this.written); else this.written += data; },
      render() { return [this.written, "sent " + this.sent]; } }));
  } });
};`;

async function session(screens: boolean) {
  const folder = temporaryFolder();
  const hook = join(folder, "mine.ts");
  const grants = {
    version: 1,
    hooks: { [hook]: { capabilities: { commands: ["*"], ui: ["draw", "notify", "typing"] } } },
  };
  writeFiles(folder, { "mine.ts": EXTENSION, "grants.json": JSON.stringify(grants) });
  const flags = ["serve", "--no-discover", "--hook", hook, "--grants", join(folder, "grants.json")];
  const rpc = new RpcAgent(startCordon(flags, { cwd: folder, home: join(folder, "home") }));
  await rpc.request("initialize", { protocolVersion: 1, hasUI: true, agent: { screens } });
  const notified = async (method: string, fits: (params: Record<string, unknown>) => boolean) =>
    (await rpc.next((message) => message.method === method && fits(message.params as Record<string, unknown>))).params;
  return { rpc, hook, notified };
}

test("an agent in any language draws components and feeds them keys", async () => {
  const { rpc, hook, notified } = await session(true);
  await rpc.request("setTheme", { theme: { name: "mine", fg: { accent: "\u001b[36m" }, bg: {} } });
  const ran = rpc.request("runCommand", { kind: "command", name: "go" });
  const footer = await notified("screen/open", ({ where }) => where === "footer");
  const custom = await notified("screen/open", ({ where }) => where === "custom");
  expect([footer, custom]).toMatchObject([{ hook }, { hook, overlay: true }]);
  const { screen } = custom as { screen: number };
  const lines =
    (part: string) =>
    ({ lines }: Record<string, unknown>) =>
      String(lines).includes(part);

  expect((await rpc.request("drawScreen", { screen, width: 30, rows: 10 })).result).toMatchObject({
    lines: [expect.stringContaining("hook mine.ts"), expect.stringContaining("hook mine.ts")],
  });
  await notified("screen/lines", lines("\u001b[36m\u001b[39m26"));
  await rpc.request("screenInput", { screen, data: "x", actions: ["up"] });
  await rpc.request("screenInput", { screen, data: "y" });
  await notified("screen/lines", lines("^y"));

  const shown = { gitBranch: "main", statuses: {} };
  await rpc.request("drawScreen", { screen: (footer as { screen: number }).screen, width: 30, footer: shown });
  await notified("screen/lines", lines("main"));

  await rpc.request("screenInput", { screen, data: "q" });
  await notified("screen/ended", (params) => params.screen === screen);
  expect((await ran).result).toEqual({});
  await notified("ui/notify", ({ message }) => message === "said ^y");
  expect((await rpc.request("drawScreen", { screen, width: 30 })).result).toEqual({ lines: [] });

  const subject = { kind: "message", name: "note", value: { content: "hi" } };
  expect((await rpc.request("render", { subject, width: 20, options: { expanded: 1 } })).result).toEqual({
    lines: ["┏ hook mine.ts", "┃ hi1"],
  });
  const unknown = { ...subject, name: "other" };
  expect((await rpc.request("render", { subject: unknown, width: 20 })).result).toEqual({ lines: null });
  expect((await rpc.request("render", { subject, width: 0 })).error).toMatchObject({ code: -32602 });
  await rpc.request("shutdown");
});

test("the person leaves by closing, and an agent without screens shows none", async () => {
  const open = await session(true);
  const ran = open.rpc.request("runCommand", { kind: "command", name: "go" });
  const custom = await open.notified("screen/open", ({ where }) => where === "custom");
  await open.rpc.request("closeScreen", { screen: (custom as { screen: number }).screen });
  await open.notified("ui/notify", ({ message }) => message === "said undefined");
  expect((await ran).result).toEqual({});
  await open.rpc.request("shutdown");

  const plain = await session(false);
  await plain.rpc.request("runCommand", { kind: "command", name: "go" });
  await plain.notified("ui/notify", ({ message }) => message === "said undefined");
  expect(plain.rpc.received.map(({ method }) => method)).not.toContain("screen/open");
  await plain.rpc.request("shutdown");
});

test("an agent in any language shows editors, completes words and asks about keys", async () => {
  const { rpc, hook, notified } = await session(true);
  await rpc.request("runCommand", { kind: "command", name: "write" });
  const { screen } = (await notified("screen/open", ({ where }) => where === "editor")) as { screen: number };
  await rpc.request("drawScreen", { screen, width: 30, rows: 10 });
  await rpc.request("screenInput", { screen, data: "hi" });
  await notified("screen/lines", ({ text, lines }) => text === "hi" && String(lines).includes("hi"));
  await rpc.request("screenInput", { screen, data: "\r" });
  expect(await notified("screen/act", () => true)).toEqual({ screen, submit: "hi" });
  await rpc.request("setEditorText", { screen, text: "", sent: "hi" });
  await notified("screen/lines", ({ text, lines }) => text === "" && String(lines).includes("sent hi"));

  const { result } = await rpc.request("offers", {});
  expect(result).toMatchObject({ completers: [{ hook, name: "1", triggers: ["#"] }], keyListeners: [hook] });
  const where = { lines: ["see #"], row: 0, col: 5 };
  expect((await rpc.request("suggest", { hook, name: "1", ...where })).result).toEqual({
    prefix: "#",
    items: [{ value: "see #1", label: "one" }],
  });
  expect((await rpc.request("suggest", { hook, name: "2", ...where })).error).toMatchObject({
    data: { code: "CRASHED" },
  });
  expect((await rpc.request("pressKey", { data: "x" })).result).toEqual({ consume: true });
  expect((await rpc.request("pressKey", { data: "y" })).result).toEqual({});
  await rpc.request("shutdown");
});
