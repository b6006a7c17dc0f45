import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { CompletionQuestion, Suggestions } from "../../sandbox/wire/screens.ts";
import type { HookEditor } from "../../src/hook-screen.ts";
import type { HookHostOptions } from "../../src/session/options.ts";
import { eventually } from "../support/eventually.ts";
import { type Sources, scriptedUi, startSession } from "../support/session.ts";

const ESC = "\u001b";

/** A session of hooks that do this at its start. */
async function typing(
  bodies: readonly string[],
  ui: readonly "typing"[] = ["typing"],
  options: Partial<HookHostOptions> = {},
) {
  const sources: Sources = Object.fromEntries(
    bodies.map((body, at) => [
      `typist${at}`,
      {
        source: `export default (pi: any) => { pi.on("session_start", async (event: any, ctx: any) => { ${body} }); };`,
        grant: { capabilities: { events: { see: ["session"] }, ui: [...ui] } },
      },
    ]),
  );
  const session = await startSession(sources, { ui: scriptedUi(), hasUI: true, ...options });
  await session.host.emit({
    type: "session",
    reason: "start",
    entries: [],
    sessionFile: null,
    previousSessionFile: null,
  });
  return session;
}

const QUESTION: CompletionQuestion = { lines: ["see #12"], row: 0, col: 7, force: false };
const AGENTS: Suggestions = { items: [{ value: "/help", label: "help", description: "of the agent" }], prefix: "#12" };
const agents = async (): Promise<Suggestions> => AGENTS;

const ISSUES = `ctx.ui.addAutocompleteProvider((current: any) => ({
  triggerCharacters: ["#"],
  async getSuggestions(lines: string[], row: number, col: number, options: any) {
    const word = lines[row]!.slice(0, col).match(/#(\\d*)$/);
    if (!word) return current.getSuggestions(lines, row, col, options);
    const more = await current.getSuggestions(lines, row, col, options);
    return { prefix: word[0], items: [{ value: "#123", label: "#123", description: "an issue" }, ...(more?.items ?? [])] };
  },
}));`;

describe("a completer", () => {
  test("suggests, with what the agent suggests, or that alone", async () => {
    const { host } = await typing([ISSUES]);
    expect(host.typing.completers).toEqual([{ hook: "typist0", name: "1", triggers: ["#"] }]);
    const [completer] = host.typing.completers as [(typeof host.typing.completers)[0]];
    expect(await host.typing.suggest(completer, QUESTION, agents)).toEqual({
      prefix: "#12",
      items: [{ value: "#123", label: "#123", description: "an issue" }, ...AGENTS.items],
    });
    const elsewhere = { ...QUESTION, lines: ["nothing"] };
    expect(await host.typing.suggest(completer, elsewhere, agents)).toEqual(AGENTS);
    expect(await host.typing.suggest(completer, elsewhere, async () => null)).toBeNull();
  });

  test("of each hook is asked by itself", async () => {
    const one = (value: string) =>
      `ctx.ui.addAutocompleteProvider(() => ({ getSuggestions: async () => ({ prefix: "", items: [{ value: "${value}" }] }) }));`;
    const { host } = await typing([one("a"), one("b") + one("c")]);
    const values = host.typing.completers.map(async (completer) =>
      (await host.typing.suggest(completer, QUESTION, agents))?.items.map(({ value, label }) => value + label),
    );
    expect(await Promise.all(values)).toEqual([["aa"], ["bb"], ["cc"]]);
  });

  test.each([
    ["hangs", "for (;;);"],
    ["never answers", "await new Promise(() => {});"],
    ["throws", "throw new Error('no');"],
    ["returns no list", "return { items: 42 };"],
    ["suggests a text that is too long", "return { prefix: '', items: [{ value: 'x'.repeat(10_001) }] };"],
    ["has a prefix that is too long", "return { prefix: 'x'.repeat(10_001), items: [] };"],
  ])("that %s is an error to the agent, which goes on", async (_name, body) => {
    const { host } = await typing([
      `ctx.ui.addAutocompleteProvider(() => ({ async getSuggestions(): Promise<any> { ${body} } }));`,
    ]);
    const [completer] = host.typing.completers as [(typeof host.typing.completers)[0]];
    await expect(host.typing.suggest(completer, QUESTION, agents)).rejects.toThrow("hook typist0 failed");
  });

  test("is shown as one line of text", async () => {
    const { host } = await typing([
      `ctx.ui.addAutocompleteProvider(() => ({ getSuggestions: async () => ({ prefix: "",
         items: [{ value: "a\\nb", label: "\\u001b[31mred\\u202e", description: "x\\u0007" }] }) }));`,
    ]);
    const [completer] = host.typing.completers as [(typeof host.typing.completers)[0]];
    const { items } = (await host.typing.suggest(completer, QUESTION, agents)) as Suggestions;
    expect(JSON.stringify(items)).not.toMatch(/\\n|\\u001b|\u202e|\\u0007/);
  });

  test("hears that the person went on", async () => {
    const { host } = await typing([
      `ctx.ui.addAutocompleteProvider(() => ({ getSuggestions: (lines: any, row: any, col: any, { signal }: any) =>
         new Promise((resolve) => signal.addEventListener("abort", () => resolve(null))) }));`,
    ]);
    const [completer] = host.typing.completers as [(typeof host.typing.completers)[0]];
    const went = new AbortController();
    const asked = host.typing.suggest(completer, QUESTION, agents, went.signal);
    went.abort();
    expect(await asked).toBeNull();
  });

  test("no more than sixteen", async () => {
    const { host } = await typing([
      "for (let at = 0; at < 17; at++) try { ctx.ui.addAutocompleteProvider(() => ({ getSuggestions() {} })); } catch {}",
    ]);
    expect(host.typing.completers).toHaveLength(16);
  });
});

const listen = (body: string): string => `ctx.ui.onTerminalInput((data: string): any => { ${body} });`;

describe("a listener to keys", () => {
  test("hears each key, and may keep or change it", async () => {
    const { host } = await typing([
      listen(`if (data === "a") return { consume: true }; if (data === "b") return { data: "B" };`),
      listen(`if (data === "B") return { data: "beta" };`),
    ]);
    expect(host.typing.listeners).toEqual(["typist0", "typist1"]);
    const pressed = [];
    for (const key of ["a", "b", "c", "\r"]) pressed.push(await host.typing.press(key));
    expect(pressed).toEqual([{ consume: true }, { data: "beta" }, {}, {}]);
  });

  test("is over when the hook ends it", async () => {
    const { host } = await typing([`const stop = ${listen("stop(); return { consume: true };")}`]);
    expect(await host.typing.press("a")).toEqual({ consume: true });
    await eventually(() => expect(host.typing.listeners).toEqual([]));
    expect(await host.typing.press("a")).toEqual({});
  });

  test.each([
    ["hangs", "for (;;);"],
    ["throws", "throw new Error('no');"],
  ])("that %s leaves the keys to the agent", async (_name, body) => {
    const { host } = await typing([listen(body)]);
    expect(await host.typing.press("a")).toEqual({});
  });

  test.each(["\u0003", "ab\u0003", `${ESC}[99;5u`, `${ESC}[27;5;99~`])("never gets Ctrl+C: %j", async (key) => {
    const { host, log } = await typing([listen("console.log('heard'); return { consume: true };")]);
    expect(await host.typing.press(key)).toEqual({});
    expect(log).toEqual([]);
  });

  /** Each sends, or runs an action of the agent's, in the person's name. */
  test.each([
    "\r",
    "\n",
    "rm -rf /\r",
    "a\nb",
    `${ESC}[13u`,
    `${ESC}[13;1u`,
    `${ESC}[27;5;13~`,
    `${ESC}\r`,
    `${ESC}OM`,
    `${ESC}[200~rm${ESC}[201~\r`,
    "\u0003",
    "\u0004",
    ESC,
    `${ESC}[99;5u`,
    "",
    "x".repeat(1001),
  ])("makes no %j of a key", async (data) => {
    const { host } = await typing([listen(`return { data: ${JSON.stringify(data)} };`)]);
    expect(await host.typing.press("a")).toEqual({});
  });

  test.each(["x", "a text", "é😀", "x".repeat(1000), "\u007f", `${ESC}[A`, `${ESC}OB`, `${ESC}[1;5C`, `${ESC}[3~`])(
    "makes %j of a key",
    async (data) => {
      const { host } = await typing([listen(`return { data: ${JSON.stringify(data)} };`)]);
      expect(await host.typing.press("a")).toEqual({ data });
    },
  );

  test("nothing that it makes of a key has a control character besides those of a few keys", async () => {
    const { host } = await typing([listen("return { data };"), listen("return { data: data.slice(1) };")]);
    const piece = fc.constantFrom("a", "\r", "\n", ESC, "[", "13", ";", "u", "~", "O", "M", "200~", "\u0003", "A");
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 6 }), async (pieces) => {
        const { data } = await host.typing.press(`k${pieces.join("")}`);
        if (data === undefined) return;
        const isKey = data.startsWith(ESC) && /^.(\[|O)[\d;]*[A-DFH~]$/.test(data);
        expect(isKey || !/\p{Cc}/u.test(data)).toBe(true);
      }),
      { numRuns: 200 },
    );
  });
});

describe("without the grant", () => {
  test.each([
    ["a completer", ISSUES],
    ["a listener", listen("return { consume: true };")],
  ])("%s is not there, and the refusal names the power", async (_name, body) => {
    const refused: unknown[] = [];
    const { host } = await typing([body], [], { onRefused: (refusal) => refused.push(refusal) });
    await eventually(() => expect(refused).toMatchObject([{ wanted: { capability: "ui", grant: ["typing"] } }]));
    expect([host.typing.completers, host.typing.listeners]).toEqual([[], []]);
    expect(await host.typing.press("a")).toEqual({});
  });
});

test("an editor of pi's completes by what the agent suggests", async () => {
  const editors: HookEditor[] = [];
  const asked: CompletionQuestion[] = [];
  const TERMINAL = { width: 60, rows: 20 };
  const ui = {
    ...scriptedUi(),
    edit(editor: HookEditor) {
      editors.push(editor);
      editor.suggest = async (question) => {
        asked.push(question);
        return {
          items: [
            { value: "help", label: "help" },
            { value: "hello", label: "hello" },
          ],
          prefix: "/he",
        };
      };
      editor.onChange(() => editor.render(TERMINAL));
      editor.render(TERMINAL);
    },
  };
  await startSession(
    {
      typist: {
        source: `import { CustomEditor } from "@earendil-works/pi-coding-agent";
          export default (pi: any) => { pi.on("session_start", (event: any, ctx: any) => {
            ctx.ui.setEditorComponent((tui: any, theme: any, kb: any) => new CustomEditor(tui, theme, kb)); }); };`,
        grant: { capabilities: { events: { see: ["session"] }, ui: ["typing"] } },
      },
    },
    { ui, hasUI: true },
  ).then(({ host }) =>
    host.emit({ type: "session", reason: "start", entries: [], sessionFile: null, previousSessionFile: null }),
  );
  await eventually(() => expect(editors).toHaveLength(1));
  const editor = editors[0] as HookEditor;
  for (const letter of "/he") editor.handleInput(letter);
  await eventually(() => expect(editor.render(TERMINAL).join("\n")).toContain("→ help"));
  expect(asked.at(-1)).toEqual({ lines: ["/he"], row: 0, col: 3, force: false });
  editor.handleInput("\t", ["tui.input.tab"]);
  await eventually(() => expect(editor.text).toBe("/help "));
});
