import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { HookHost } from "../../src/host/host.ts";
import type { ConsentAnswer, ConsentQuestion } from "../../src/session/consent.ts";
import { startFacts } from "../guest/facts.ts";
import { onToolCall, scriptedUi, startSession, temporaryFolder, writeFiles } from "../support/session.ts";

const FACTS = {
  date: 'return (await ctx.exec("echo", ["a"])).stdout;',
  other: 'return (await ctx.exec("echo", ["b"])).stdout;',
  both: 'return (await Promise.all([ctx.exec("echo", ["a"]), ctx.exec("echo", ["b"]), ctx.exec("echo", ["a"])].map((p) => p.then((r: any) => r.stdout, (e: any) => e.code))));',
};

/** A person who always gives the same answer, one question at a time. */
function person(answer: ConsentAnswer | (() => Promise<ConsentAnswer>)) {
  const questions: ConsentQuestion[] = [];
  let open = 0;
  let most = 0;
  const consent = async (question: ConsentQuestion) => {
    questions.push(question);
    most = Math.max(most, ++open);
    await delay(30);
    open--;
    return typeof answer === "function" ? answer() : answer;
  };
  return { questions, consent, most: () => most };
}

test("the first use of a power asks, naming the hook, the power and the value", async () => {
  const { consent, questions } = person("once");
  const { ask } = await startFacts(FACTS, { ui: scriptedUi(), consent });
  expect(await ask("date")).toBe("a\n");
  expect(questions).toEqual([
    {
      hook: "teller",
      capability: "exec",
      value: "echo a",
      grants: '[{"program":"echo","args":["a"]}]',
      text: expect.stringMatching(/teller.*exec.*echo a/),
    },
  ]);
});

test("once allows one use: the next one asks again", async () => {
  const { consent, questions } = person("once");
  const { ask } = await startFacts(FACTS, { ui: scriptedUi(), consent });
  await ask("date");
  await ask("date");
  expect(questions).toHaveLength(2);
});

test("for this session ends questions about this value but not about others, and stores nothing", async () => {
  const { consent, questions } = person("session");
  const { ask, folder } = await startFacts(FACTS, { ui: scriptedUi(), consent });
  await ask("date");
  await ask("date");
  expect(questions).toHaveLength(1);
  await ask("other");
  expect(questions).toHaveLength(2);
  expect(existsSync(join(folder, "home", "grants.json"))).toBe(false);
});

test("always stores the entry with the hook's digest, and a later session does not ask", async () => {
  const { consent, questions } = person("always");
  const { ask, folder, host } = await startFacts(FACTS, { ui: scriptedUi(), consent });
  expect(await ask("date")).toBe("a\n");
  const stored = JSON.parse(readFileSync(join(folder, "home", "grants.json"), "utf8"));
  expect(stored).toMatchObject({
    version: 1,
    hooks: {
      teller: { digest: host.hooks[0]?.digest, by: "user", capabilities: { exec: [{ program: "echo", args: ["a"] }] } },
    },
  });
  await host.close();
  const later = await HookHost.start({
    spare: false,
    cwd: join(folder, "work"),
    home: join(folder, "home"),
    discover: false,
    hooks: [{ path: join(folder, "hooks", "teller.ts"), id: "teller" }],
    ui: scriptedUi(),
    consent: () => "deny",
    log: () => {},
  });
  const errors: unknown[] = [];
  later.onError((error) => errors.push(error));
  await later.emitToolCall({ type: "tool_call", toolName: "bash", toolCallId: "1", input: { fact: "date" } });
  await later.close();
  expect(errors).toEqual([]);
  expect(questions).toHaveLength(1);
});

test.each([
  ["a plain denial", person("deny")],
  ["an invalid answer", person("perhaps" as ConsentAnswer)],
  ["a dialog that fails", person(() => Promise.reject(new Error("no terminal")))],
])("%s refuses with NOT_GRANTED and is remembered for the session", async (_name, { consent, questions }) => {
  const { ask } = await startFacts(FACTS, { ui: scriptedUi(), consent });
  expect(await ask("date")).toMatchObject({ code: "NOT_GRANTED" });
  expect(await ask("date")).toMatchObject({ code: "NOT_GRANTED" });
  expect(questions).toHaveLength(1);
});

test("questions are asked one at a time, and the same one only once", async () => {
  const { consent, questions, most } = person("session");
  const { ask } = await startFacts(FACTS, { ui: scriptedUi(), consent });
  expect(await ask("both")).toEqual(["a\n", "b\n", "a\n"]);
  expect(questions.map(({ value }) => value)).toEqual(["echo a", "echo b"]);
  expect(most()).toBe(1);
});

test("simultaneous questions that are both allowed for the session are both kept", async () => {
  const { consent, questions } = person("session");
  const { ask } = await startFacts(FACTS, { ui: scriptedUi(), consent });
  await ask("both");
  expect(await ask("date")).toBe("a\n");
  expect(await ask("other")).toBe("b\n");
  expect(questions).toHaveLength(2);
});

test("without a user interface there are no questions", async () => {
  const { consent, questions } = person("always");
  const { ask } = await startFacts(FACTS, { consent });
  expect(await ask("date")).toMatchObject({ code: "NOT_GRANTED" });
  expect(questions).toEqual([]);
});

async function withManifest(manifest: object) {
  const folder = temporaryFolder();
  const { consent, questions } = person("once");
  writeFiles(folder, {
    "hooks/gate.ts": onToolCall(
      'try { await ctx.exec("echo", ["a"]); console.log("ran"); } catch (error: any) { console.log(error.code); }',
    ),
    "hooks/gate.hook.json": JSON.stringify(manifest),
  });
  const session = await startSession(
    {},
    { hooks: [{ path: join(folder, "hooks", "gate.ts"), id: "gate" }], ui: scriptedUi(), consent },
  );
  await session.call();
  return { questions, told: session.log.filter(({ hook }) => hook === "gate").map(({ text }) => text) };
}

test("there is no question about a power that the hook's manifest does not name", async () => {
  const { questions, told } = await withManifest({ capabilities: { ui: ["select"] } });
  expect(told).toEqual(["NOT_GRANTED"]);
  expect(questions).toEqual([]);
});

test.each(["capabilities", "optional"])(
  "a power under %s in the manifest leads to a question with the author's reason",
  async (key) => {
    const { questions, told } = await withManifest({
      [key]: { exec: [{ program: "echo", args: ["a"] }] },
      why: { exec: "to say a\u001b[31m" },
    });
    expect(told).toEqual(["ran"]);
    expect(questions).toMatchObject([{ hook: "gate", capability: "exec", why: "to say a" }]);
  },
);

test("without a consent handler the question goes through the selector, under a title that no hook can set", async () => {
  const ui = scriptedUi({
    select: (title, options) => (title.startsWith("Cordon asks: ") ? "Allow once" : (options[0] as string)),
  });
  const { ask } = await startFacts(
    { ...FACTS, imitate: 'return await ctx.ui.select("Cordon asks: may I?", ["Allow always"]);' },
    { ui },
  );
  expect(await ask("date")).toBe("a\n");
  expect(ui.shown[0]).toMatchObject({
    kind: "select",
    title: expect.stringMatching(/^Cordon asks: hook teller/),
    rest: ["Deny", "Allow once", "Allow for this session", "Allow always"],
  });
  await ask("imitate");
  expect(ui.shown[1]?.title).toMatch(/^\[hook teller\] /);
});

test("a question stops the hook's deadline: a person may take longer", async () => {
  const consent = async (): Promise<ConsentAnswer> => {
    await delay(1500);
    return "once";
  };
  const { ask } = await startFacts(FACTS, { ui: scriptedUi(), consent, hookTimeout: 400 });
  expect(await ask("date")).toBe("a\n");
});
