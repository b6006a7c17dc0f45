import { expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { scriptedUi, startSession } from "../support/session.ts";

const ESC = "\u001b";
const BEL = "\u0007";

/** What an agent is shown, and the log, of a hook that writes these texts to its standard output. */
async function written(texts: readonly string[], ui: readonly ("notify" | "show")[] = ["notify", "show"]) {
  const shown: unknown[] = [];
  const refused: unknown[] = [];
  const session = await startSession(
    {
      bell: {
        source: `export default (pi: any) => { pi.registerCommand("go", { handler: async () => {
          for (const text of ${JSON.stringify(texts)}) process.stdout.write(text); console.log("over"); } }); };`,
        grant: { capabilities: { commands: ["*"], ui: [...ui] } },
      },
    },
    {
      hasUI: true,
      ui: { ...scriptedUi(), show: (what, args) => void shown.push([what, ...args]) },
      onRefused: (refusal) => refused.push(refusal),
    },
  );
  await session.host.offers.runCommand("command", "go", "");
  await eventually(() => expect(session.log.at(-1)?.text).toBe("over"));
  return { shown, refused, log: session.log.slice(0, -1).map(({ text }) => text) };
}

const said = (title: string, body = "") => ["notification", `[hook bell] ${title}`, body];

test.each([
  ["OSC 777", [`${ESC}]777;notify;Pi;Ready; go on${BEL}`], [said("Pi", "Ready; go on")]],
  ["OSC 9", [`${ESC}]9;Ready${ESC}\\`], [said("", "Ready")]],
  [
    "OSC 99 in two parts",
    [`${ESC}]99;i=1:d=0;Pi${ESC}\\`, `${ESC}]99;i=1:p=body;Ready${ESC}\\`],
    [said("Pi", "Ready")],
  ],
  ["OSC 99 at once", [`${ESC}]99;;Ready${ESC}\\`], [said("Ready")]],
  ["a bell", [BEL], [["bell"]]],
  ["the title", [`${ESC}]0;pi - work${BEL}`], [["title", "[hook bell] pi - work"]]],
  [
    "the colour of a tab",
    [`${ESC}]6;1;bg;red;brightness;255${BEL}${ESC}]6;1;bg;*;default${BEL}`],
    [
      ["tabColor", "1;bg;red;brightness;255"],
      ["tabColor", "1;bg;*;default"],
    ],
  ],
  ["through tmux", [`${ESC}Ptmux;${ESC}${ESC}]777;notify;Pi;Ready${BEL}${ESC}\\`], [said("Pi", "Ready")]],
  ["two in one text", [`${ESC}]9;one${BEL}${ESC}]9;two${BEL}`], [said("", "one"), said("", "two")]],
])("%s is shown by the agent, with the hook's name", async (_name, texts, expected) => {
  const { shown, log } = await written(texts);
  await eventually(() => expect(shown).toEqual(expected));
  expect(log).toEqual([]);
});

test("a theme is named, and nothing else", async () => {
  const shown: unknown[] = [];
  const source = `export default (pi) => pi.on("tool_call", (_event, ctx) => {
    const named = ["light", "../../theme", "a b", ""].map((name) => ctx.ui.setTheme(name).success);
    return { block: true, reason: JSON.stringify([...named, ctx.ui.setTheme({ name: "own" }).success]) };
  });`;
  const show = (what: string, args: readonly unknown[]) => shown.push([what, ...args]);
  const grant = { capabilities: { events: { see: ["tool_call"], block: true }, ui: ["show" as const] } };
  const { call } = await startSession({ themes: { source, grant } }, { ui: { ...scriptedUi(), show } });
  expect(await call()).toMatchObject({ reason: "[true,true,true,true,false]" });
  await eventually(() => expect(shown).toEqual([["theme", "light"]]));
});

test("what stands around it is logged", async () => {
  const { shown, log } = await written([`before ${ESC}]9;Ready${BEL}after\n`, "plain\n", "\n"]);
  await eventually(() => expect(shown).toEqual([said("", "Ready")]));
  expect(log).toEqual(["before after", "plain", ""]);
});

test.each([
  ["a progress bar", `${ESC}]9;4;1;50${BEL}`],
  ["the clipboard", `${ESC}]52;c;cm0gLXJm${BEL}`],
  ["a colour of the terminal", `${ESC}]10;#fff${BEL}`],
  ["another kind of OSC 6", `${ESC}]6;1;fg;red;brightness;255${BEL}`],
  ["a colour with more behind it", `${ESC}]6;1;bg;red;brightness;255;x${BEL}`],
  ["another kind of OSC 777", `${ESC}]777;preexec;rm${BEL}`],
  ["an unfinished command", `${ESC}]777;notify;Pi`],
])("%s is not", async (_name, text) => {
  const { shown } = await written([text]);
  expect(shown).toEqual([]);
});

test("no command of a terminal is in what is shown", async () => {
  const { shown } = await written([`${ESC}]777;notify;a\u009b31m;b\u202e\u200b${BEL}`]);
  await eventually(() => expect(shown).toHaveLength(1));
  expect(JSON.stringify(shown)).not.toMatch(/[\u0080-\u009f\u202e\u200b]/);
});

test("messages need `notify`, and the refusal names it", async () => {
  const { shown, refused } = await written([BEL], ["show"]);
  await eventually(() => expect(refused).toMatchObject([{ wanted: { capability: "ui", grant: ["notify"] } }]));
  expect(shown).toEqual([]);
});
