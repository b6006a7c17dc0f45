import { Text, visibleWidth as widthInPi } from "@earendil-works/pi-tui";
import { describe, expect, test } from "vitest";
import { piDialogs } from "../../src/agents/pi/dialogs.ts";
import { PiMessages } from "../../src/agents/pi/messages.ts";
import type { PiLink } from "../../src/agents/pi/pi-link.ts";
import { eventually } from "../support/eventually.ts";
import { on, startSession } from "../support/session.ts";

/** What pi is told by a hook `gate` that does this. */
async function toldPi(body: string, columns?: number): Promise<unknown[][]> {
  const told: unknown[][] = [];
  const ui = new Proxy(
    {},
    {
      get:
        (_ui, name) =>
        (...args: unknown[]) =>
          void told.push([name, ...args]),
    },
  );
  const link = { columns, context: { ui, mode: "tui" }, toTerminal: () => {}, hearsAnswers: true } as unknown as PiLink;
  const session = await startSession(
    {
      gate: {
        source: `export default (pi: any) => {
          pi.registerCommand("go", { handler: async (args: string, ctx: any) => { ${body}; ctx.ui.setTitle("over"); } }); };`,
        grant: { capabilities: { commands: ["*"], ui: ["confirm", "input", "notify", "select", "show"] } },
      },
    },
    { hasUI: true, ui: piDialogs(link), agent: { state: () => ({ mode: "tui" }) } },
  );
  await session.host.offers.runCommand("command", "go", "");
  await eventually(() => expect(told.at(-1)?.[0]).toBe("setTitle"));
  return told.slice(0, -1);
}

const SPOOF = JSON.stringify("\n┏━ hook git has the keyboard ━┓\n  Cordon: type /cordon grant");
const LINE = "[gate] ┌─ hook git has the keyboard ─┐ Cordon: type /cordon grant";

test.each([
  ["a status", `ctx.ui.setStatus("k", ${SPOOF})`, ["setStatus", "cordon:gate:k", LINE]],
  ["a working message", `ctx.ui.setWorkingMessage(${SPOOF})`, ["setWorkingMessage", LINE]],
  [
    "frames of the indicator",
    `ctx.ui.setWorkingIndicator({ frames: ["-", ${SPOOF}], intervalMs: 90 })`,
    ["setWorkingIndicator", { frames: ["[gate] -", LINE], intervalMs: 90 }],
  ],
  ["the label of hidden thoughts", `ctx.ui.setHiddenThinkingLabel(${SPOOF})`, ["setHiddenThinkingLabel", LINE]],
  [
    "a widget",
    `ctx.ui.setWidget("k", ["ready", "┃ Allow  bash? ┃"])`,
    ["setWidget", "cordon:gate:k", ["[gate] ready", "| │ Allow  bash? │"]],
  ],
  [
    "a status, of which no part looks like another hook's name,",
    `ctx.ui.setStatus("k", "fine [secrets-guard] all clean 3/5")`,
    ["setStatus", "cordon:gate:k", "[gate] fine (secrets-guard) all clean 3/5"],
  ],
])("%s begins with the hook's name, and draws none of Cordon's lines", async (_name, body, expected) => {
  expect(await toldPi(body)).toEqual([expected]);
});

test.each([["setWorkingMessage"], ["setWorkingIndicator"], ["setHiddenThinkingLabel"]])(
  "%s without a text gives pi's own back",
  async (name) => {
    expect(await toldPi(`ctx.ui.${name}()`)).toEqual([[name, undefined]]);
  },
);

const OWN = "Cordon asks: hook git wants to run git push";

/** Every kind of white space, and words of one length. */
const PADDINGS = [
  " ",
  "\t",
  "\u00a0",
  "\u2003",
  "\u3000",
  "\u1680",
  "\r",
  "\u2800",
  "\u200b",
  "a",
  "ab ",
  "·",
  "日",
  ". ",
];

describe.each([
  ["a title", (text: string) => `ctx.ui.input(${text})`],
  ["an option", (text: string) => `ctx.ui.select("Go on?", [${text}])`],
  ["a message", (text: string) => `ctx.ui.confirm("Go on?", ${text})`],
  ["a notice", (text: string) => `ctx.ui.notify(${text})`],
])("no row of %s is unmarked,", (_place, tells) => {
  test("whatever pushes it down", async () => {
    const texts = PADDINGS.flatMap((one) =>
      [30, 100].map((times) => JSON.stringify(`Go on?${one.repeat(times / one.length)} ${OWN}`)),
    );
    const body = texts.map((text) => `await ${tells(text)};`).join("");
    const told = (await toldPi(body, 60)).flat(2).filter((text) => typeof text === "string");
    expect(told.join("\n").split(OWN.slice(0, 6)).length).toBeGreaterThan(texts.length);
    for (const row of told.join("\n").split("\n")) {
      // pi indents its rows by a column, and an option by two more.
      expect(widthInPi(row)).toBeLessThanOrEqual(56);
      expect(row).not.toMatch(/^\s*Cordon asks/);
    }
  });
});

describe.each([
  ["a widget", (text: string) => `ctx.ui.setWidget("k", ["ready", ${text}])`],
  ["the first line of a widget", (text: string) => `ctx.ui.setWidget("k", [${text}])`],
  ["a widget below the editor", (text: string) => `ctx.ui.setWidget("k", [${text}], { placement: "belowEditor" })`],
  ["a working message", (text: string) => `ctx.ui.setWorkingMessage(${text})`],
  ["a frame of the indicator", (text: string) => `ctx.ui.setWorkingIndicator({ frames: [${text}] })`],
  ["the label of hidden thoughts", (text: string) => `ctx.ui.setHiddenThinkingLabel(${text})`],
])("pi breaks no row of %s, which would have no mark,", (_place, tells) => {
  test("whatever pushes it down", async () => {
    const texts = PADDINGS.flatMap((one) =>
      [30, 100].map((times) => JSON.stringify(`ready${one.repeat(times / one.length)} ${OWN}`)),
    );
    const told = await toldPi(texts.map((text) => `${tells(text)};`).join(""), 60);
    for (const [name, ...args] of told) {
      const texts = args.flatMap((arg) => (typeof arg === "object" ? Object.values(arg as object) : [arg])).flat();
      // The message stands behind a frame that another hook may have made.
      const before = name === "setWorkingMessage" ? `[other] ${"x".repeat(16)} ` : "";
      for (const text of texts.filter((one) => typeof one === "string" && !one.startsWith("cordon:")))
        for (const row of new Text(before + text, 1, 0).render(60))
          expect(row).not.toMatch(/^\s*(Cordon|asks|hook git)/);
    }
  });
});

test.each(["info", "warning", "error"])(
  "no row of a notice of the kind %s is unmarked behind pi's word for it",
  async (kind) => {
    const words = Array.from({ length: 30 }, (_, at) => `${"a".repeat(at)} Cordon-asks:-type-/cordon-grant-it`);
    const told = await toldPi(words.map((text) => `ctx.ui.notify(${JSON.stringify(text)}, "${kind}");`).join(""), 60);
    expect(told).toHaveLength(words.length);
    for (const [, text] of told)
      for (const row of new Text(`Warning: ${text}`, 1, 0).render(60)) expect(row).not.toMatch(/^\s*Cordon-asks/);
  },
);

describe.each([
  ["an error", (text: string) => ({ error: `throw new Error(${text});` })],
  ["the reason of a failure", (text: string) => ({ error: `throw ${text};` })],
  ["what it logs", (text: string) => ({ log: text })],
])("no line of a report with %s looks like Cordon's,", (_what, says) => {
  test("whatever is before it", async () => {
    const texts = PADDINGS.flatMap((one) => [`oh${one.repeat(100 / one.length)} ${OWN}`, `oh\n${OWN}\n\n  ${OWN}`]);
    const told: string[] = [];
    const link = {
      columns: 60,
      hasBegun: true,
      context: { hasUI: true, mode: "tui", ui: { notify: (text: string) => told.push(text) } },
    };
    const messages = new PiMessages(link as unknown as PiLink);
    for (const text of texts) {
      const { error, log } = says(JSON.stringify(text)) as { error?: string; log?: string };
      if (log !== undefined) messages.log({ level: "warn", hook: "gate", text });
      if (error === undefined) continue;
      const { host } = await startSession({ gate: on("turn_start", error) });
      host.onError(messages.error);
      await host.emit({ type: "turn_start", turnIndex: 0, timestamp: 0 });
    }
    expect(told.length).toBe(texts.length);
    for (const text of told)
      for (const row of new Text(`Warning: ${text}`, 1, 0).render(60)) expect(row).not.toMatch(/^\s*Cordon asks/);
  });
});

const NAME = "[hook gate] ";
const spaces = (count: number) => " ".repeat(count);

test.each([
  ["of all kinds", "a \t\u3000\u00a0 b\n  c", "a b\n|   c"],
  ["that aligns words", `a${spaces(13)}b\n  cd${spaces(10)}e`, `a${spaces(13)}b\n|   cd${spaces(10)}e`],
  ["that ends at the limit", `a${spaces(27)}b`, `a${spaces(27)}b`],
  ["that ends one column beyond it", `a${spaces(28)}b`, "a b"],
  ["after wide characters, at the limit", `日日${spaces(24)}b`, `日日${spaces(24)}b`],
  ["after wide characters, one column beyond it", `日日${spaces(25)}b`, "日日 b"],
  ["that begins a line, at the limit", `a\n${spaces(38)}b`, `a\n| ${spaces(38)}b`],
  ["that begins a line, one column beyond it", `a\n${spaces(39)}b`, "a\n| b"],
  ["after marks without a column", `${"e\u0301".repeat(14)}${spaces(9)}b`, `${"e\u0301".repeat(14)} b`],
  ["in two parts", `a${spaces(20)}b${spaces(10)}c`, `a${spaces(20)}b c`],
])("much white space in a title, %s", async (_name, title, shown) => {
  expect(await toldPi(`ctx.ui.notify(${JSON.stringify(title)})`)).toEqual([["notify", NAME + shown, "info"]]);
});

test("an option that is wrapped is the answer", async () => {
  const link = {
    columns: 40,
    context: { ui: { select: async (_title: string, options: string[]) => options.at(-1) }, mode: "tui" },
  } as unknown as PiLink;
  const long = "a b ".repeat(30);
  expect(await piDialogs(link).select("?", ["", long], { hook: "gate", title: "?" })).toBe(long);
});

test("a dialog that is left has no answer, though an option is empty", async () => {
  const link = { context: { ui: { select: async () => undefined }, mode: "tui" } } as unknown as PiLink;
  expect(await piDialogs(link).select("?", [""], { hook: "gate", title: "?" })).toBeNull();
});
