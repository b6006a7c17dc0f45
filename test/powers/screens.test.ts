import { setTimeout as delay } from "node:timers/promises";
import stringWidth from "string-width";
import { describe, expect, test, vi } from "vitest";
import type { CustomOptions, HookScreen, MountOptions, Terminal } from "../../src/hook-screen.ts";
import { ComponentScreen } from "../../src/powers/component-screen.ts";
import type { HookHostOptions } from "../../src/session/options.ts";
import { eventually } from "../support/eventually.ts";
import { onToolCall, scriptedUi, startSession } from "../support/session.ts";

const TERMINAL = { width: 40, rows: 20 };

/** An agent that shows components, and the hooks' notices. */
function drawingUi() {
  const customs: { screen: HookScreen; options: CustomOptions }[] = [];
  const mounts: { screen: HookScreen; options: MountOptions }[] = [];
  const shows: unknown[] = [];
  const notices: string[] = [];
  return {
    customs,
    mounts,
    shows,
    notices,
    ...scriptedUi(),
    custom: (screen: HookScreen, options: CustomOptions) => void customs.push({ screen, options }),
    mount: (screen: HookScreen, options: MountOptions) => void mounts.push({ screen, options }),
    show: (what: string, args: readonly unknown[]) => void shows.push([what, ...args]),
    notify: (message: string) => void notices.push(message),
    theme: () => ({
      name: "dark",
      fg: { accent: "\u001b[36m", mdHeading: "\u001b[35m" },
      bg: { pending: "\u001b[44m" },
    }),
  };
}

type UiPart = "draw" | "notify" | "show";

interface Given {
  ui?: readonly UiPart[];
  top?: string;
  trust?: "full";
  options?: Partial<HookHostOptions>;
}

/** A session of one hook whose command `go` does this. */
async function withCommand(body: string, { ui: granted = ["draw", "notify", "show"], top = "", ...given }: Given = {}) {
  const ui = drawingUi();
  const session = await startSession(
    {
      painter: {
        source: `${top}\nexport default (pi: any) => {
          pi.registerCommand("go", { handler: async (args: string, ctx: any) => { ${body} } }); };`,
        ...(given.trust ? { trust: given.trust } : { grant: { capabilities: { commands: ["*"], ui: [...granted] } } }),
      },
    },
    { ui, hasUI: true, agent: { state: () => ({ mode: "tui", theme: "dark" }) }, ...given.options },
  );
  return { ui, session, go: () => session.host.offers.runCommand("command", "go", "") };
}

/** What `ctx.ui.custom` with this component is told to the person. */
const customOf = (make: string, options = "{}"): string =>
  `try { const said = await ctx.ui.custom((tui: any, theme: any, kb: any, done: any) => (${make}), ${options});
     ctx.ui.notify("said " + String(said)); } catch (e: any) { ctx.ui.notify("failed " + e.message); }`;

/** Shows a component, and returns what the agent was given. */
async function customShown(make: string, given: Given & { custom?: string } = {}) {
  const started = await withCommand(customOf(make, given.custom), given);
  const run = started.go();
  await eventually(() => expect(started.ui.customs).toHaveLength(1));
  const { screen } = started.ui.customs[0] as { screen: HookScreen };
  return { ...started, screen, run };
}

/** Lines once the component has drawn itself. */
async function drawn(screen: HookScreen, terminal: Terminal = TERMINAL): Promise<string[]> {
  const changed = Promise.withResolvers<void>();
  const stop = screen.onChange(() => changed.resolve());
  screen.render(terminal);
  await changed.promise;
  stop();
  return screen.render(terminal);
}

const COUNTER = `class Counter {
  [name: string]: any;
  constructor(tui: any, theme: any, done: any) { Object.assign(this, { tui, theme, done, keys: "" }); }
  render(width: number) { return ["width " + width, this.theme.fg("accent", "keys") + " " + this.keys]; }
  handleInput(data: string) { if (data === "q") this.done(this.keys); else this.keys += data; }
  invalidate() {}
}`;
const counter = "new Counter(tui, theme, done)";

/** A component that draws these lines, an expression. */
const component = (lines: string, more = ""): string =>
  `({ render: (width: number) => ${lines}, invalidate() {}, ${more} })`;
const thrown = `(() => { throw new Error("no paint"); })()`;
const hang = "(() => { for (;;); })()";

describe("ctx.ui.custom", () => {
  test.each([
    { how: "contained", accent: "\u001b[36mkeys\u001b[39m" },
    { how: "trusted", accent: "keys" },
  ])("draws in a frame, takes keys, and resolves with what done() got ($how)", async ({ how, accent }) => {
    const trust = how === "trusted" ? { trust: "full" as const } : {};
    const { ui, run, screen } = await customShown(counter, { top: COUNTER, ...trust });
    const lines = await drawn(screen);
    expect(lines[0]).toBe("┏━ hook painter has the keyboard, Esc ━┓");
    expect(lines[1]).toBe(`┃ width 36${" ".repeat(28)} ┃`);
    expect(lines[2]).toContain(accent);
    expect(lines[3]).toBe(`┗━ hook painter ${"━".repeat(23)}┛`);
    expect(lines.map((line) => stringWidth(line))).toEqual([40, 40, 40, 40]);
    screen.handleInput("a");
    screen.handleInput("b");
    await eventually(() => expect(screen.render(TERMINAL)[2]).toContain("ab"));
    screen.handleInput("q");
    expect(await run).toEqual({});
    await screen.ended;
    expect(screen.render(TERMINAL)).toEqual([]);
    await eventually(() => expect(ui.notices.join()).toContain("said ab"));
  });

  test("may be over before it is drawn for the first time, and nothing is wrong", async () => {
    const { ui, run, screen, session } = await customShown(
      `(queueMicrotask(() => done("early")), ${component('["never"]')})`,
    );
    screen.render(TERMINAL);
    expect(await run).toEqual({});
    await eventually(() => expect(ui.notices.join()).toContain("said early"));
    expect(session.errors).toEqual([]);
  });

  test("is drawn again for another width, and keeps its old lines until then, cut", async () => {
    const { screen } = await customShown(counter, { top: COUNTER });
    await drawn(screen);
    expect(screen.render({ width: 12 })[1]).toBe("┃ width 36 ┃");
    await eventually(() => expect(screen.render({ width: 12 })[1]).toBe("┃ width 8  ┃"));
  });

  test("has no more rows than the terminal, so that its frame stays in sight", async () => {
    const { screen } = await customShown(component("Array.from({ length: 400 }, (_, at) => 'row ' + at)"));
    expect(await drawn(screen, { width: 30, rows: 10 })).toHaveLength(10);
  });

  test("knows the terminal, the agent's actions for a key, and that it has the focus", async () => {
    const { screen } = await customShown(
      `{ focused: false, seen: "", invalidate() {},
         render() { return [tui.terminal.columns + "x" + tui.terminal.rows + " " + this.focused, this.seen]; },
         handleInput(data: string) { this.seen += kb.matches(data, "tui.select.up") ? "up" : "-"; } } as any`,
    );
    expect((await drawn(screen))[1]).toContain("36x18 true");
    screen.handleInput("\u001b[A", ["tui.select.up"]);
    screen.handleInput("x");
    await eventually(() => expect(screen.render(TERMINAL)[2]).toContain("up-"));
  });

  test("knows which keys are bound to the agent's actions, from the first time that it is drawn", async () => {
    const made = `(() => { const hint = [kb.getKeys("tui.select.cancel"), kb.getKeys("none"), kb.getKeys("constructor"), kb.getResolvedBindings()];
      let refused; try { kb.setUserBindings({ "tui.select.up": "x" }); } catch (error: any) { refused = error.message; }
      hint.push([kb.getDefinition("tui.select.up"), kb.getDefinition("constructor"), kb.getConflicts(), kb.getUserBindings()], refused);
      return { invalidate() {}, handleInput() {}, render: () => [...hint, kb.getKeys("tui.select.up")].map((one) => JSON.stringify(one)) }; })() as any`;
    const { screen } = await customShown(made);
    const bindings = { "tui.select.cancel": ["escape", "ctrl+c"], "tui.select.up": ["up"] };
    const lines = (await drawn(screen, { width: 90, bindings })).join("\n");
    for (const told of [
      '["escape","ctrl+c"]',
      "[]",
      '{"tui.select.cancel":["escape","ctrl+c"],"tui.select.up":"up"}',
      '["up"]',
      '[{"defaultKeys":["up"],"description":"tui.select.up"},null,[],{}]',
      "setUserBindings is not offered to hooks",
    ])
      expect(lines).toContain(told);
    await eventually(() => {
      const now = screen.render({ width: 90, bindings: { ...bindings, "tui.select.up": ["k"] } }).join();
      screen.invalidate();
      expect(now).toContain('["k"]');
    });
  });

  test("has pi's own components in the agent's colours", async () => {
    const { screen } = await customShown("new Text(getMarkdownTheme().heading('Title'), 0, 0)", {
      top: `import { getMarkdownTheme } from "@earendil-works/pi-coding-agent";
            import { Text } from "@earendil-works/pi-tui";`,
    });
    expect((await drawn(screen))[1]).toContain("\u001b[35mTitle\u001b[39m");
  });

  test("may be made asynchronously", async () => {
    const { screen } = await customShown(`Promise.resolve(${component("['late']")})`);
    expect((await drawn(screen))[1]).toContain("late");
  });

  test("requestRender() draws again, at most 30 times a second", async () => {
    const { screen } = await customShown(
      `(() => { let count = 0; setInterval(() => { for (let at = 0; at < 100; at++) tui.requestRender(); }, 1);
         return ${component("['drawn ' + ++count]")}; })()`,
    );
    let changes = 0;
    screen.onChange(() => {
      changes++;
      screen.render(TERMINAL);
    });
    const began = performance.now();
    await drawn(screen);
    await eventually(() => expect(changes).toBeGreaterThan(20));
    expect(changes).toBeLessThanOrEqual((performance.now() - began) / 33 + 2);
  });

  test.each([
    ["Escape twice", ["\u001b", "\u001b"]],
    ["Escape twice at once", ["\u001b\u001b"]],
    ["Escape twice as kitty writes it", ["\u001b[27u", "\u001b[27;1:3u", "\u001b[27;1u"]],
    ["Escape twice as xterm writes it", ["\u001b[27;1;27~", "\u001b[27;1;27~"]],
    ["Ctrl+C", ["\u0003"]],
    ["Ctrl+C as kitty writes it", ["\u001b[99;5u"]],
    ["Ctrl+C as xterm writes it", ["\u001b[27;5;99~"]],
  ])("%s gets the person out of a component that keeps all keys", async (_name, keys) => {
    const { ui, run, screen } = await customShown(component(`["x"]`, "handleInput() {}"));
    await drawn(screen);
    for (const key of keys) screen.handleInput(key);
    await screen.ended;
    expect(await run).toEqual({});
    await eventually(() => expect(ui.notices.join()).toContain("said undefined"));
  });

  test.each([[["\u001b", "a", "\u001b"]], [["\u001b[27u", "\u001b[27;1:3u"]], [["\u001b[99;1u", "c"]]])(
    "%j does not end it",
    async (keys) => {
      const { screen } = await customShown(counter, { top: COUNTER });
      await drawn(screen);
      for (const key of [...keys, "!"]) screen.handleInput(key);
      await eventually(() => expect(screen.render(TERMINAL)[2]).toContain("!"));
    },
  );

  test.each([[["\u0003"]], [["\u001b", "\u001b"]]])(
    "its hook takes no keys again for five seconds after %j, also with another one",
    async (keys) => {
      const { ui, session, go } = await withCommand(
        `const shown = () => ctx.ui.custom(() => ({ render: () => ["mine"], invalidate() {} }));
         await Promise.all([shown(), shown()]); await shown(); ctx.ui.notify("left");`,
      );
      const clock = vi.spyOn(performance, "now");
      const first = go();
      await eventually(() => expect(ui.customs).toHaveLength(2));
      for (const key of keys) ui.customs[1]?.screen.handleInput(key);
      expect(await first).toEqual({});
      expect(ui.customs).toHaveLength(2);
      const now = performance.now();
      clock.mockImplementation(() => now + 5001);
      const second = go();
      await eventually(() => expect(ui.customs).toHaveLength(4));
      clock.mockRestore();
      await session.host.close();
      await second;
    },
  );

  test.each([
    ["throws while it draws", component(thrown)],
    ["throws while it is made", thrown],
    ["draws something else than lines", component("42")],
    ["draws a line that is too long", component("['x'.repeat(10_001)]")],
    ["is nothing", "null"],
  ])("a component that %s is taken away, and the hook hears why", async (_name, make) => {
    const { screen, run, ui } = await customShown(make);
    screen.render(TERMINAL);
    await screen.ended;
    expect(screen.render(TERMINAL)).toEqual([]);
    expect(await run).toEqual({});
    await eventually(() => expect(ui.notices.join()).toContain("failed the component could not be drawn"));
  });

  test.each([
    ["draws", component(hang), []],
    ["takes a key", component(`["x"]`, `handleInput() { ${hang} }`), ["a"]],
  ])("a hook that hangs while it %s is killed, and its component goes", async (_name, make, keys) => {
    const { screen, run } = await customShown(make);
    screen.render(TERMINAL);
    for (const key of keys) screen.handleInput(key);
    await screen.ended;
    expect((await run).error).toMatch(/CPU_EXCEEDED|TIMEOUT/);
  });

  test("needs `draw`, and the refusal names it", async () => {
    const refused: unknown[] = [];
    const { ui, go } = await withCommand(customOf(component("[]")), {
      ui: ["notify"],
      options: { onRefused: (refusal) => refused.push(refusal) },
    });
    await go();
    expect(ui.customs).toEqual([]);
    await eventually(() => expect(ui.notices.join()).toContain("failed hook painter was not granted ui"));
    expect(refused).toMatchObject([{ wanted: { capability: "ui", grant: ["draw"] } }]);
  });

  test.each([
    ["without a person", { hasUI: false }],
    ["that draws no components", { ui: { ...scriptedUi(), notify: () => {} } }],
  ])("resolves with nothing in an agent %s", async (_name, options) => {
    const { go, ui } = await withCommand(
      `const said = await ctx.ui.custom(() => { throw new Error("made"); }); if (said !== undefined) throw new Error("said");`,
      { options },
    );
    expect(await go()).toEqual({});
    expect(ui.customs).toEqual([]);
  });

  test("sixteen at once, and no more", async () => {
    const { ui, go } = await withCommand(
      `for (let at = 0; at < 17; at++) try { void ctx.ui.custom(() => (${component("[]")})); }
         catch (e: any) { ctx.ui.notify(at + " " + e.message); }`,
    );
    await go();
    await eventually(() => expect(ui.notices.join()).toMatch(/16 a hook may show 16 components at once/));
    expect(ui.customs).toHaveLength(16);
  });

  test("an overlay says where it stands, and can be hidden", async () => {
    const { ui, screen, session } = await customShown(
      component(
        "['x']",
        `handleInput(data: string) {
           console.log("key " + data);
           if (data === "h") { handle.setHidden(true); setTimeout(() => handle.setHidden(false), 300); }
         }`,
      ),
      {
        top: "let handle: any;",
        custom: `{ overlay: true, overlayOptions: { width: "50%", row: 2, anchor: "top-center", visible: () => true },
                 onHandle: (given: any) => { handle = given; } }`,
      },
    );
    expect(ui.customs[0]?.options).toEqual({
      overlay: true,
      layout: { width: "50%", row: "2", anchor: "top-center" },
    });
    await drawn(screen);
    expect(screen.hidden).toBe(false);
    screen.handleInput("h");
    await eventually(() => expect(screen.hidden).toBe(true));
    // What nobody sees gets no keys.
    screen.handleInput("s");
    await eventually(() => expect(screen.hidden).toBe(false));
    screen.handleInput("z");
    const keys = () => session.log.map(({ text }) => text);
    await eventually(() => expect(keys()).toContain("key z"));
    expect(keys()).toEqual(["key h", "key z"]);
  });

  test("what is no overlay is not hidden, whatever its hook's process says", () => {
    for (const [hides, change, hidden] of [
      [true, "hidden", true],
      [false, "hidden", false],
      [false, "visible", false],
    ] as const) {
      const screen = new ComponentScreen({
        ...{ hook: { id: "a", name: "a" }, hasFocus: true, hides },
        draw: async () => ["x"],
      });
      screen.change(change);
      expect(screen.hidden).toBe(hidden);
    }
  });

  test.each([
    ["nobody sees", "onHandle: (handle: any) => handle.setHidden(true)", "ends in time"],
    [
      "is hidden after it was seen",
      "onHandle: (handle: any) => setTimeout(() => handle.setHidden(true), 50)",
      "ends in time",
    ],
    ["is seen", "", "waits"],
    ["is seen again", "onHandle: (handle: any) => { handle.setHidden(true); handle.setHidden(false); }", "waits"],
  ])("a guard that waits for a person with an overlay that %s", async (_what, handle, then) => {
    const ui = drawingUi();
    const { call } = await startSession(
      {
        gate: {
          source: onToolCall(
            `await ctx.ui.custom(() => (${component("['x']")}), { overlay: true, ${handle} }); return { block: true, reason: "answered" };`,
          ),
          grant: { capabilities: { events: { see: ["*"], block: true }, ui: ["draw"] } },
        },
      },
      { ui, hasUI: true, hookTimeout: 400 },
    );
    const verdict = call("ls");
    await eventually(() => expect(ui.customs).toHaveLength(1));
    const first = await Promise.race([verdict, delay(3000, "waits")]);
    if (then === "waits") {
      expect(first).toBe("waits");
      ui.customs[0]?.screen.close();
    } else expect(first).toMatchObject({ block: true, reason: expect.stringContaining("TIMEOUT") });
    expect(await verdict).toMatchObject({ block: true });
  });

  test("a component may show another over itself, without keys, and draws it with itself", async () => {
    const { ui, screen } = await customShown(
      `(() => { let count = 0;
         const handle = tui.showOverlay({ render: () => ["count " + count], invalidate() {} }, { nonCapturing: true, width: 20 });
         return ${component("['x']", `handleInput(data: string) { if (data === "h") handle.hide(); else { count++; tui.requestRender(); } }`)}; })()`,
    );
    await drawn(screen);
    await eventually(() => expect(ui.customs).toHaveLength(2));
    const over = ui.customs[1] as (typeof ui.customs)[0];
    expect(over.options).toEqual({ overlay: true, layout: { width: "20", nonCapturing: true } });
    expect(await drawn(over.screen)).toEqual(["┏ hook painter", "┃ count 0"]);
    over.screen.handleInput("a");
    screen.handleInput("b");
    await eventually(() => expect(over.screen.render(TERMINAL)[1]).toBe("┃ count 1"));
    screen.handleInput("h");
    await over.screen.ended;
  });

  test("hears that the agent's colours changed", async () => {
    const { screen } = await customShown(
      "({ count: 0, render() { return ['recoloured ' + this.count]; }, invalidate() { this.count++; } }) as any",
    );
    await drawn(screen);
    screen.invalidate();
    await eventually(() => expect(screen.render(TERMINAL)[1]).toContain("recoloured 1"));
  });

  test("a gate may ask with a component, and its time stands still", async () => {
    const ui = drawingUi();
    const session = await startSession(
      {
        gate: {
          source: `export default (pi: any) => { pi.on("tool_call", async (event: any, ctx: any) => {
            const yes = await ctx.ui.custom((tui: any, theme: any, kb: any, done: any) =>
              (${component(`["run " + event.input.command + "?"]`, `handleInput(data: string) { done(data === "y"); }`)}));
            if (!yes) return { block: true, reason: "no" };
          }); };`,
          grant: { capabilities: { events: { see: ["tool_call"] }, ui: ["draw"] } },
        },
      },
      { ui, hasUI: true, hookTimeout: 300 },
    );
    for (const [key, verdict] of [
      ["y", undefined],
      ["n", { block: true, reason: "no", hook: "gate" }],
      ["\u0003", { block: true, reason: "no", hook: "gate" }],
    ] as const) {
      const called = session.call("ls");
      await eventually(() => expect(ui.customs).toHaveLength(1));
      const { screen } = ui.customs.pop() as { screen: HookScreen };
      expect((await drawn(screen))[1]).toContain("run ls?");
      await new Promise((resolve) => setTimeout(resolve, 500));
      screen.handleInput(key);
      expect(await called).toEqual(verdict);
    }
  });
});

describe("widgets, footers and headers", () => {
  test("are shown under a bar with the hook's name, without keys, until they are replaced", async () => {
    const { ui, go } = await withCommand(
      `ctx.ui.setWidget("todo", () => (${component("['at ' + width]", `handleInput() { ${thrown} }`)}), { placement: "belowEditor" });
       ctx.ui.setWidget("todo", () => (${component("['second']")}));
       ctx.ui.setWidget("other", () => (${component("['third']")}));
       ctx.ui.setWidget("other", ["lines"]);`,
    );
    await go();
    await eventually(() => expect(ui.shows).toHaveLength(1));
    const [first, second, third] = ui.mounts as [(typeof ui.mounts)[0], (typeof ui.mounts)[0], (typeof ui.mounts)[0]];
    expect(ui.mounts.map(({ options }) => options)).toEqual([
      { where: "widget", key: "todo", placement: "belowEditor" },
      { where: "widget", key: "todo", placement: "aboveEditor" },
      { where: "widget", key: "other", placement: "aboveEditor" },
    ]);
    await first.screen.ended;
    await third.screen.ended;
    expect(await drawn(second.screen)).toEqual(["┏ hook painter", "┃ second"]);
    second.screen.handleInput("x");
    second.screen.close();
    expect(second.screen.render(TERMINAL)).toEqual([]);
  });

  test.each([
    [2, 2],
    [10, 5],
    [24, 12],
    [undefined, 12],
  ])("of a terminal with %s rows have %i at the most, so that their name stays in sight", async (rows, most) => {
    const { ui, go } = await withCommand(
      `ctx.ui.setWidget("tall", () => (${component("Array.from({ length: 400 }, (_, at) => 'row ' + at)")}));`,
    );
    await go();
    await eventually(() => expect(ui.mounts).toHaveLength(1));
    const { screen } = ui.mounts[0] as (typeof ui.mounts)[0];
    const lines = await drawn(screen, { width: 30, ...(rows ? { rows } : {}) });
    expect(lines).toHaveLength(most);
    expect(lines[0]).toBe("┏ hook painter");
    expect(screen.render({ width: 30, rows: 6 })).toHaveLength(3);
  });

  test("a footer has what the agent says of its branch and statuses", async () => {
    const { ui, go } = await withCommand(
      `ctx.ui.setFooter((tui: any, theme: any, data: any) =>
         ({ render: () => [data.getGitBranch() + " " + [...data.getExtensionStatuses().values()].join()], invalidate() {} }));
       ctx.ui.setHeader((tui: any, theme: any) => (${component(`[theme.bold("hi")]`)}));`,
    );
    await go();
    await eventually(() => expect(ui.mounts.map(({ options }) => options.where)).toEqual(["footer", "header"]));
    const [footer, header] = ui.mounts as [(typeof ui.mounts)[0], (typeof ui.mounts)[0]];
    const terminal = { width: 40, footer: { gitBranch: "main", statuses: { a: "busy" } } };
    expect(await drawn(footer.screen, terminal)).toEqual(["┏ hook painter", "┃ main busy"]);
    expect((await drawn(header.screen))[1]).toBe("┃ \u001b[1mhi\u001b[22m\u001b[0m");
  });

  test("are drawn again after the agent drew its terminal, until nothing changes", async () => {
    const { ui, go } = await withCommand(
      `let drawn = 0; ctx.ui.setFooter(() => (${component("['drawn ' + Math.min(++drawn, 3)]")}));`,
    );
    await go();
    await eventually(() => expect(ui.mounts).toHaveLength(1));
    const { screen } = ui.mounts[0] as (typeof ui.mounts)[0];
    let changes = 0;
    // An agent draws its terminal when a component changed.
    screen.onChange(() => {
      changes++;
      screen.render(TERMINAL);
    });
    screen.render(TERMINAL);
    await eventually(() => expect(screen.render(TERMINAL)[1]).toBe("┃ drawn 3"));
    expect(changes).toBe(3);
    await new Promise((resolve) => setTimeout(resolve, 1500));
    expect(changes).toBe(3);
  });

  test("the agent's colours are asked for once", async () => {
    const { go, session } = await withCommand(
      `for (let at = 0; at < 700; at++) ctx.ui.theme.fg("accent", "x"); ctx.ui.setStatus("a", ctx.ui.theme.fg("accent", "x"));`,
    );
    expect(await go()).toEqual({});
    expect(session.audit.filter(({ capability }) => capability === "ui.theme")).toHaveLength(1);
  });

  test("the themes are pi's own two and the one that is on, which alone has colours", async () => {
    const told = `const names = (): string => ctx.ui.getAllThemes().map(({ name }: any) => name).join();
      ctx.ui.notify([names(), ctx.ui.getTheme("light"), ctx.ui.getTheme(ctx.ui.theme.name)?.fg("accent", "x") === ctx.ui.theme.fg("accent", "x"), ctx.ui.getTheme("none")].join(" "));`;
    const { ui, go } = await withCommand(told);
    await go();
    await eventually(() => expect(ui.notices.at(-1)).toMatch(/dark,light {2}true/));
    const without = await withCommand(told, { options: { agent: { state: () => ({ mode: "print" }) } } });
    await without.go();
    await eventually(() => expect(without.ui.notices.at(-1)).toMatch(/ {2}false/));
  });

  test("end when their hook is restarted, and when the grant is revoked", async () => {
    const { ui, go, session } = await withCommand(`ctx.ui.setFooter(() => (${component("['x']")}));`);
    await go();
    await eventually(() => expect(ui.mounts).toHaveLength(1));
    await session.host.reload("painter");
    await ui.mounts[0]?.screen.ended;
    await go();
    await eventually(() => expect(ui.mounts).toHaveLength(2));
    expect((await drawn(ui.mounts[1]?.screen as HookScreen))[1]).toBe("┃ x");
  });
});

describe("renderers", () => {
  const HOOK = `export default (pi: any) => {
    pi.registerMessageRenderer("note", (message: any, options: any, theme: any) =>
      ({ render: (width: number) => [theme.fg("accent", message.content) + " " + options.expanded + " " + width], invalidate() {} }));
    pi.registerEntryRenderer("mark", (entry: any) => entry.data.hidden ? undefined :
      ({ render: () => ["mark " + entry.data.at], invalidate() {} }));
    pi.registerTool({ name: "weigh", label: "W", description: "D", parameters: { type: "object" },
      execute: async () => ({ content: [] }),
      renderCall: (args: any, theme: any, context: any) =>
        ({ render: () => ["weigh " + args.what + " " + context.isPartial], invalidate() {} }) });
    pi.registerToolRenderer((name: string, next: any) => name !== "ls" ? next() :
      { renderResult: (result: any, options: any) => ({ render: () => ["listed " + result.content[0].text], invalidate() {} }) });
  };`;
  const start = (granted: readonly UiPart[]) =>
    startSession(
      { painter: { source: HOOK, grant: { capabilities: { tools: ["*"], ui: [...granted] } } } },
      { ui: drawingUi(), hasUI: true, agent: { state: () => ({ theme: "dark" }) } },
    );

  test("draw messages, entries, and tools, each under the hook's name", async () => {
    const { drawings } = (await start(["draw"])).host;
    const framed = (line: string) => ["┏ hook painter", `┃ ${line}`];
    expect(
      await drawings.render({ kind: "message", name: "note", value: { content: "hi" } }, 40, { expanded: true }),
    ).toEqual(framed("\u001b[36mhi\u001b[39m true 38\u001b[0m"));
    expect(await drawings.render({ kind: "entry", name: "mark", value: { data: { at: 5 } } }, 40)).toEqual(
      framed("mark 5"),
    );
    expect(
      await drawings.render({ kind: "entry", name: "mark", value: { data: { hidden: true } } }, 40),
    ).toBeUndefined();
    expect(
      await drawings.render({ kind: "call", name: "weigh", args: { what: "it" } }, 40, { isPartial: true }),
    ).toEqual(framed("weigh it true"));
    const result = { content: [{ type: "text", text: "a.ts" }] };
    expect(await drawings.render({ kind: "result", name: "ls", args: {}, result }, 40)).toEqual(framed("listed a.ts"));
    expect(await drawings.render({ kind: "result", name: "read", args: {}, result }, 40)).toBeUndefined();
    expect(await drawings.render({ kind: "message", name: "other", value: {} }, 40)).toBeUndefined();
    expect(drawings.renderers).toEqual([
      { hook: "painter", kind: "message", name: "note" },
      { hook: "painter", kind: "entry", name: "mark" },
      { hook: "painter", kind: "tools", name: "*" },
    ]);
    expect([
      drawings.draws("message", "note"),
      drawings.draws("message", "x"),
      drawings.draws("call", "weigh"),
    ]).toEqual([true, false, true]);
  });

  test("need `draw`", async () => {
    const { host } = await start(["notify"]);
    expect(await host.drawings.render({ kind: "message", name: "note", value: {} }, 40)).toBeUndefined();
    expect(await host.drawings.render({ kind: "call", name: "weigh", args: {} }, 40)).toBeUndefined();
  });
});

test("what a component writes to the terminal itself is dropped, and the component is drawn", async () => {
  const { screen } = await customShown(
    `(() => { tui.terminal.write("\\u001b[?1000h\\u0007 KEY"); tui.terminal.clearScreen();
       return { render: () => ["drawn"], invalidate() {} }; })()`,
  );
  expect((await drawn(screen))[1]).toContain("drawn");
  expect(JSON.stringify(screen.render(TERMINAL))).not.toContain("KEY");
});

test.each(["terminal.start", "terminal.stop", "stop", "setFocus"])(
  "a component that calls tui.%s is told that it cannot",
  async (name) => {
    const { ui, screen } = await customShown(`tui.${name}()`);
    screen.render(TERMINAL);
    const says = `tui.${name} cannot be offered to a contained hook`;
    await eventually(() => expect(ui.notices.join()).toContain(says));
  },
);
