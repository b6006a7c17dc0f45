import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { findPackageJSON } from "node:module";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startSession, temporaryFolder } from "../support/session.ts";
import { session } from "./events.ts";
import { recordingUi, withoutHookName } from "./recording-ui.ts";
import type { Capabilities, Grant, Observed } from "./scenario.ts";
import { cordonSide, piSide } from "./sides.ts";

/** The hook as it is shipped, and the file that it names. */
const HOOK = join(
  dirname(findPackageJSON("@mariozechner/pi-coding-agent", import.meta.url) as string),
  "examples/hooks/file-trigger.ts",
);
const TRIGGER = "/tmp/agent-trigger.txt";

const EVENTS: Capabilities = { events: { see: ["session"] }, ui: ["notify"] };
const FS = { read: [TRIGGER], write: [TRIGGER], watch: [TRIGGER] };
const ALL: Capabilities = { ...EVENTS, send: {}, fs: FS };

/** Longer than both sides take to notice a change. */
const QUIET_MS = 600;

/** A change made by another process. */
const outside = (script: string, text = ""): void =>
  void execFileSync("sh", ["-c", script, "sh", text], { env: { ...process.env, TRIGGER } });
const written = (text: string) => (): void => outside('printf %s "$1" > "$TRIGGER"', text);
const content = (): string | undefined => (existsSync(TRIGGER) ? readFileSync(TRIGGER, "utf8") : undefined);

async function clear(): Promise<void> {
  rmSync(TRIGGER, { force: true });
  // The watcher has received that event.
  await delay(300);
}
beforeEach(() => writeFileSync(TRIGGER, ""));
afterEach(clear);

interface Step {
  act: () => void;
  /** The message that is sent, if any. */
  sends?: string;
}

/** One side's reaction to the changes: the messages so far and the file's content, after each. */
async function play(who: "pi" | "cordon", steps: readonly Step[], { hasUI = true, reason = "start" as const } = {}) {
  const folder = temporaryFolder();
  const seen: Pick<Observed, "errors" | "sent" | "shown"> = { errors: [], sent: [], shown: [] };
  const grant: Grant = { capabilities: ALL };
  const setting = { cwd: folder, home: join(folder, "home"), paths: [HOOK], grant, hookTimeout: 30_000, ...seen };
  const side = who === "pi" ? await piSide(setting) : await cordonSide(setting);
  const titles = who === "pi" ? (title: string) => title : withoutHookName(["file-trigger"]);
  side.setUI(
    recordingUi(seen.shown, () => undefined, titles),
    hasUI,
  );
  await side.emit(session(reason));
  const trace: unknown[] = [];
  let expected = 0;
  for (const { act, sends } of steps) {
    act();
    if (sends === undefined) await delay(QUIET_MS);
    else await expect.poll(() => seen.sent.length, { timeout: 10_000, message: sends }).toBe(++expected);
    if (sends !== undefined) await expect.poll(content, { timeout: 10_000 }).toBe("");
    trace.push([seen.sent.map(({ text, attachments }) => [text, attachments]), content()]);
  }
  await delay(QUIET_MS);
  const { sent, errors, shown } = seen;
  if ("host" in side) await side.host.close();
  await clear();
  return { trace, sent: sent.map(({ text }) => text), errors, shown, paths: side.paths() };
}

describe("file-trigger, unmodified, does the same in Cordon as in pi", () => {
  const STEPS: Step[] = [
    { act: written("Run the tests\n"), sends: "External trigger: Run the tests" },
    { act: written("  and \n again, with ü → 🙂 \n\n"), sends: "External trigger: and \n again, with ü → 🙂" },
    { act: written(" \n\t\n") },
    {
      act: () =>
        outside(
          'printf "in two " > "$TRIGGER.part"; printf parts >> "$TRIGGER.part"; cat "$TRIGGER.part" > "$TRIGGER"; rm "$TRIGGER.part"',
        ),
      sends: "External trigger: in two parts",
    },
    { act: () => outside('rm "$TRIGGER"') },
  ];
  test("changes by another process become messages, and the file is emptied", async () => {
    const cordon = await play("cordon", STEPS);
    writeFileSync(TRIGGER, "");
    const pi = await play("pi", STEPS);
    expect(cordon).toEqual(pi);
    expect(cordon.sent).toEqual(STEPS.flatMap(({ sends }) => sends ?? []));
    expect(cordon.errors).toEqual([]);
    expect(cordon.shown).toEqual([{ kind: "notify", title: `Watching ${TRIGGER}`, rest: "info" }]);
  });

  test("without a user interface, nothing is shown", async () => {
    const steps = [{ act: written("x"), sends: "External trigger: x" }];
    const cordon = await play("cordon", steps, { hasUI: false });
    writeFileSync(TRIGGER, "");
    expect(cordon).toEqual(await play("pi", steps, { hasUI: false }));
    expect(cordon.shown).toEqual([]);
  });

  test("a session that does not start watches nothing", async () => {
    const steps = [{ act: written("x") }];
    const cordon = await play("cordon", steps, { reason: "switch" as never });
    writeFileSync(TRIGGER, "");
    expect(cordon).toEqual(await play("pi", steps, { reason: "switch" as never }));
    expect(cordon.sent).toEqual([]);
  });

  test("without the file there is an error, the same one", async () => {
    await clear();
    const cordon = await play("cordon", []);
    expect(cordon).toEqual(await play("pi", []));
    expect(cordon.errors).toEqual([
      { hookPath: HOOK, event: "session", error: `ENOENT: no such file or directory, watch '${TRIGGER}'` },
    ]);
  });

  // inotify follows the file that it found; Cordon follows the name.
  test("Cordon follows a file that replaces the first one, pi only once", async () => {
    const replaced = (text: string) => () =>
      outside('printf %s "$1" > "$TRIGGER.new"; mv "$TRIGGER.new" "$TRIGGER"', text);
    const first = { act: replaced("first"), sends: "External trigger: first" };
    const cordon = await play("cordon", [first, { act: replaced("second"), sends: "External trigger: second" }]);
    writeFileSync(TRIGGER, "");
    const pi = await play("pi", [first, { act: replaced("second") }]);
    expect(cordon.sent).toEqual(["External trigger: first", "External trigger: second"]);
    expect(pi.sent).toEqual(["External trigger: first"]);
  });
});

/** The hook in a session with these powers, and all it sends. */
async function start(powers: Capabilities | undefined) {
  const sent: unknown[][] = [];
  const hook = { path: HOOK, id: "file-trigger", ...(powers ? { grant: { capabilities: powers } } : {}) };
  const live = await startSession({}, { hooks: [hook], onSend: (...message) => sent.push(message) });
  const outcome = await live.host.emit(session("start") as never);
  expect(outcome).toBeUndefined();
  return { ...live, sent };
}

test("the message reaches the agent through onSend, under the hook's name", async () => {
  const { sent, errors, audit } = await start(ALL);
  written("Run the tests")();
  await expect
    .poll(() => sent, { timeout: 10_000 })
    .toEqual([
      [
        "Message from hook file-trigger (not from the user): External trigger: Run the tests",
        undefined,
        { hook: "file-trigger", text: "External trigger: Run the tests" },
      ],
    ]);
  await expect.poll(content).toBe("");
  expect(errors).toEqual([]);
  const powers = new Set(audit.filter(({ outcome }) => outcome === "allowed").map(({ capability }) => capability));
  expect([...powers].sort()).toEqual(expect.arrayContaining(["fs.changed", "fs.read", "fs.write", "send"]));
});

test("the patterns of the interface mean the same file", async () => {
  const pattern = "$TMP/agent-trigger.txt";
  const { sent } = await start({ ...ALL, fs: { read: [pattern], write: [pattern], watch: [pattern] } });
  written("x")();
  await expect.poll(() => sent.length, { timeout: 10_000 }).toBe(1);
});

test("after the host is closed the file is not changed", async () => {
  const { sent, host } = await start(ALL);
  await host.close();
  written("too late")();
  await delay(QUIET_MS);
  expect([sent, content()]).toEqual([[], "too late"]);
});

// A refusal names power, value, hook and remedy, once a session.
interface Lack {
  name: string;
  powers: Capabilities | undefined;
  /** The message of each error, in order. */
  refused: RegExp[];
  /** Number of messages that are still sent. */
  sent?: number;
  /** The file's content afterwards. */
  left: string;
}

const LACKS: Lack[] = [
  { name: "to send", powers: { ...EVENTS, fs: FS }, refused: [/not granted send/], left: "" },
  { name: "to read", powers: { ...ALL, fs: { ...FS, read: [] } }, refused: [/not granted fs: read/], left: "x" },
  {
    name: "to write",
    powers: { ...ALL, fs: { ...FS, write: [] } },
    refused: [/not granted fs: write/],
    sent: 1,
    left: "x",
  },
  {
    name: "to watch",
    powers: { ...ALL, fs: { ...FS, watch: [] } },
    refused: [/not granted fs: (watch|look)/],
    left: "x",
  },
  { name: "to any file", powers: { ...EVENTS, send: {} }, refused: [/not granted fs: (watch|look)/], left: "x" },
  {
    name: "to this file",
    powers: { ...ALL, fs: { read: ["/tmp/agent-*.md"], write: ["$CWD/**"], watch: ["/tmp/agent-trigger.txt.bak"] } },
    refused: [/not granted fs: (watch|look)/],
    left: "x",
  },
  { name: "to hear of sessions", powers: { ...ALL, events: { see: ["tool_call"] } }, refused: [], left: "x" },
  { name: "to anything", powers: undefined, refused: [/not granted fs: (watch|look)/], left: "x" },
];

describe("without the right", () => {
  test.each(LACKS)("$name, its requests are refused", async ({ powers, refused, sent: many = 0, left }) => {
    const { sent, errors, audit } = await start(powers);
    written("x")();
    await delay(QUIET_MS);
    // A second change, to show that nothing is reported twice.
    if (left === "x") outside('touch "$TRIGGER"');
    await delay(QUIET_MS);
    expect(sent.length >= many && (many > 0 || sent.length === 0)).toBe(true);
    expect(content()).toBe(left);
    const reported = errors.filter(({ code }) => code === "NOT_GRANTED");
    expect([...new Set(reported.map(({ error }) => error))]).toEqual(
      refused.map((part) => expect.stringMatching(part)),
    );
    for (const { error } of reported)
      expect(error).toMatch(
        /add "(fs|send)": .+ to the grant that its host gives it$|cordon grant \S*file-trigger\S* fs /,
      );
    expect(audit.filter(({ outcome }) => outcome === "NOT_GRANTED").length > 0).toBe(refused.length > 0);
  });
});
