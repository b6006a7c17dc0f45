import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { auditLines } from "../../../src/audit/query.ts";
import { askDaemon } from "../../../src/shim/ask-daemon.ts";
import { needs } from "../../support/needs.ts";
import { onToolCall, temporaryFolder } from "../../support/session.ts";
import { lacksNamespace } from "../pi/install.ts";
import { lacksTmux, Screen } from "../screen.ts";
import { REAL_AGENTS, type RealAgent, RealPerson } from "./real-agents.ts";

/** How an agent is used at its screen. */
interface OnScreen {
  /** So that it runs what its hooks let pass without a question of its own. */
  args: readonly string[];
  /** What it keeps of its first start. `$WORK` is the project. */
  files?: Record<string, string>;
  /** What it asks about a folder that it does not know, and the keys that trust it. */
  trust?: readonly [question: string, ...keys: string[]];
  /** What it shows where a prompt can be typed. */
  ready: string;
  /** What is in its dialog about a call, besides the question. */
  dialog?: RegExp;
  /** The key that allows a call and, as the dialog says, later ones, too. Left out: Enter, for this call alone. */
  yes?: string;
  /** It is interrupted by Escape and, while it says so, Escape again. */
  twice?: true;
  /** The hook command of an interrupted call goes on. */
  leavesCommand?: true;
}

const ON_SCREEN: Readonly<Record<string, OnScreen>> = {
  "claude-code": {
    args: ["--allowedTools", "Bash"],
    files: {
      ".claude.json": JSON.stringify({
        hasCompletedOnboarding: true,
        customApiKeyResponses: { approved: ["dummy"], rejected: [] },
      }),
    },
    trust: ["Yes, I trust this folder", "Down", "Enter"],
    ready: "auto mode on",
    dialog: /requires confirmation .* Do you want to proceed\?/,
  },
  "gemini-cli": {
    args: ["--yolo"],
    files: { ".gemini/trustedFolders.json": JSON.stringify({ $WORK: "TRUST_FOLDER" }) },
    ready: "Type your message",
    dialog: /Allow execution of \[Shell\]\?.*2\. Allow for this session/,
    yes: "2",
    leavesCommand: true,
  },
  "qwen-code": {
    args: ["--yolo"],
    ready: "Type your message",
    dialog: /Do you want to proceed\?/,
    leavesCommand: true,
  },
  "copilot-cli": {
    args: ["--allow-all-tools"],
    trust: ["Do you trust the files in this folder?", "Enter"],
    ready: "/ commands",
    dialog: /Do you want to allow this tool call\?/,
    twice: true,
    leavesCommand: true,
  },
  opencode: { args: [], ready: "Ask anything", twice: true },
};

const HOOKS = {
  alsoAsks: onToolCall(
    'if (event.input.command === "touch asked-no" && !(await ctx.ui.confirm("Well? ".repeat(500), ""))) return { block: true };',
  ),
  gate: onToolCall(`const text = String(event.input.command);
    if (text.startsWith("touch asked") && !(await ctx.ui.confirm("Really?", text))) return { block: true, reason: "no" };
    if (text.startsWith("touch slow")) console.log("begun"), await new Promise((done) => setTimeout(done, 20_000));`),
  sees: `export default (pi) => {
    for (const type of ["tool_call", "tool_result"]) pi.on(type, (event) => console.log(type, event.input.command));
  }`,
};
const GRANTS = { sees: { capabilities: { events: { see: ["tool_call", "tool_result"], block: false } } } };

const lacks = lacksNamespace() ?? lacksTmux();
const AGENTS = Object.entries(ON_SCREEN).map(([name, on]) => {
  const agent = REAL_AGENTS.find((one) => one.name === name) as RealAgent;
  return [name, { ...agent, args: on.args, files: { ...agent.files, ...on.files } }, on] as const;
});

/** A person at an agent whose model wants these commands, one after the other. */
async function sitDown(agent: RealAgent, { trust, ready }: OnScreen, commands: readonly string[]) {
  const person = new RealPerson(agent, temporaryFolder(), HOOKS, GRANTS);
  const start = await person.start(commands.map((one) => ({ calls: [agent.shell(one)] })));
  const screen = new Screen(person.folder, start);
  // Before its folder is removed.
  onTestFinished(async () => {
    await askDaemon(person.home, "stop").catch(() => undefined);
  });
  if (trust) {
    const [question, ...keys] = trust;
    await screen.shows(question);
    await press(screen, ...keys);
  }
  await screen.shows(ready);
  const log = join(person.home, "run", "daemon.log");
  return {
    screen,
    /** Types a prompt once the agent takes one, and submits it, until the model has it. */
    async prompt(text: string): Promise<void> {
      const before = start.asked();
      for (let tries = 0; start.asked() === before; tries++) {
        if (tries > 20) throw new Error(`the model was not asked, and the screen shows:\n${screen.read()}`);
        if (!screen.read().includes(text)) screen.type(text);
        await press(screen, "Enter");
        for (let waited = 0; waited < 30 && start.asked() === before; waited++) await pause(100);
      }
    },
    gone: (name: string) => !existsSync(join(person.work, name)),
    said: () => (existsSync(log) ? readFileSync(log, "utf8") : ""),
    /** What the hook that watches saw. */
    seen: () => (existsSync(log) ? [...readFileSync(log, "utf8").matchAll(/tool_\w+ touch \S+/g)].map(String) : []),
    /** What the other one said of each call. */
    verdicts: async () =>
      (await auditLines(person.home, { power: "tool_call", hook: join(person.home, "hooks", "gate.ts") }))
        .filter(({ capability }) => capability === undefined)
        .map(({ outcome }) => outcome),
  };
}

/** As a person does: a dialog that has only just come takes no key. */
async function press(screen: Screen, ...keys: string[]): Promise<void> {
  for (const key of keys) {
    await pause(600);
    screen.press(key);
  }
}

/** Its second Escape, for which some agents wait no longer than 0.3 s. */
async function again(screen: Screen): Promise<void> {
  for (let tries = 0; !screen.read().includes("esc again to interrupt"); tries++) {
    if (tries % 40 === 39) screen.press("Escape");
    if (tries > 400) throw new Error(`it cannot be interrupted:\n${screen.read()}`);
    await pause(20);
  }
  screen.press("Escape");
}

/** The screen's text without frames and line breaks. */
const flat = (text: string): string => text.replaceAll(/[│┃┆╌─\s]+/g, " ");

describe.each(AGENTS)("%s on a terminal", needs(lacks), (_name, agent, on) => {
  test(
    "a hook's question is in its own dialog, and the person's key is the answer",
    needs(on.dialog === undefined && "the agent asks nobody"),
    async () => {
      const commands = ["plain", "asked-yes", "asked-no", "after"].map((file) => `touch ${file}`);
      const { screen, prompt, gone, said, seen, verdicts } = await sitDown(agent, on, commands);
      const asks = async (file: string): Promise<void> => {
        const text = () => flat(screen.read());
        await expect.poll(text, { timeout: 60_000 }).toContain(`gate.ts asks: Really?: touch ${file}`);
        await expect.poll(text).toMatch(on.dialog as RegExp);
        expect(gone(file)).toBe(true);
      };
      await prompt("go on");
      await asks("asked-yes");
      await press(screen, on.yes ?? "Enter");
      await asks("asked-no");
      expect([gone("plain"), gone("asked-yes")]).toEqual([false, false]);
      await press(screen, "Escape");
      await expect.poll(() => flat(screen.read())).not.toMatch(on.dialog as RegExp);
      await prompt("and now");
      await expect.poll(seen, { timeout: 60_000 }).toContain("tool_result touch after");
      expect([gone("asked-no"), gone("after")]).toEqual([true, false]);
      expect(seen()).toEqual([
        "tool_call touch plain",
        "tool_result touch plain",
        "tool_call touch asked-yes",
        "tool_result touch asked-yes",
        "tool_call touch asked-no",
        "tool_call touch after",
        "tool_result touch after",
      ]);
      expect(await verdicts()).toEqual(["pass", "ask", "ask", "pass"]);
      expect(said()).not.toContain("could not judge");
    },
  );

  test("a call that the person interrupts while a hook judges it is over, and the next one is judged", async () => {
    const { screen, prompt, gone, said, seen, verdicts } = await sitDown(agent, on, ["touch slow", "touch after"]);
    await prompt("go on");
    await expect.poll(said, { timeout: 60_000 }).toContain("begun");
    await press(screen, "Escape");
    if (on.twice) await again(screen);
    // Long before the hook answers, unless its command goes on.
    const verdict = on.leavesCommand ? "pass" : "cancelled";
    await expect.poll(verdicts, { timeout: on.leavesCommand ? 40_000 : 12_000 }).toEqual([verdict]);
    await prompt("and now");
    await expect.poll(seen, { timeout: 60_000 }).toContain("tool_result touch after");
    expect([gone("slow"), gone("after")]).toEqual([true, false]);
    expect(await verdicts()).toEqual([verdict, "pass"]);
  });
});
