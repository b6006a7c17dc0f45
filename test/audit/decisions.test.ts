import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { attemptOr } from "../../src/base/attempt.ts";
import type { HookHost } from "../../src/host/host.ts";
import type { ConsentReply } from "../../src/session/consent.ts";
import { manifestOf } from "../market/hostile-tar.ts";
import { Terminal } from "../market/journey-terminal.ts";
import { asks, GATE, Machine } from "../market/world.ts";
import { factsIn } from "../support/audit-log.ts";
import { needs } from "../support/needs.ts";
import { onToolCall, scriptedUi, startSession, writeFiles } from "../support/session.ts";

vi.setConfig({ testTimeout: 120_000 });

const hasTmux = attemptOr(() => execFileSync("tmux", ["-V"]) !== undefined, false);

/** The decisions on record that were not told yet: `outcome hook power value`. */
function decisionsOf(home: string): () => string[] {
  let told = 0;
  return () => {
    const all = factsIn(home).filter(({ event }) => event === "decision");
    const text = all
      .slice(told)
      .map(({ outcome, hook, capability, value }) =>
        [outcome, hook, capability, value].filter(Boolean).join(" ").replaceAll(home, "HOME"),
      );
    told = all.length;
    return text;
  };
}

test("each command that decides something leaves its lines", needs(!hasTmux && "tmux"), async () => {
  const machine = new Machine();
  const gate = machine.package("gate", asks());
  const source = `path:${gate}`;
  writeFiles(machine.home, { "hooks/own.ts": GATE });
  writeFiles(machine.work, { ".pi/hooks/local.ts": GATE });
  const own = "HOME/hooks/own.ts";
  const local = join(machine.work, ".pi/hooks/local.ts");
  const terminal = await Terminal.open(machine);
  const asked =
    (command: string, question: string, ...keys: string[]) =>
    async (): Promise<void> => {
      await terminal.run(command, async () => {
        await terminal.shows(question);
        terminal.press(...keys);
      });
    };
  const typed =
    (...args: string[]) =>
    () =>
      machine.run(args);
  const publish = (version: string): void =>
    writeFiles(gate, { "package.json": manifestOf({ name: "gate", version, ...asks({ env: ["GATE_WORD"] }) }) });
  const decisions = decisionsOf(machine.home);
  const table: [what: string, act: () => Promise<unknown>, lines: string[]][] = [
    [
      "add",
      typed("add", gate, "--grant", "env", "fs"),
      [`added gate ${source} 1.0.0`, 'granted gate fs {"read":["$CWD/notes.txt"]}', 'granted gate env ["GATE_WORD"]'],
    ],
    [
      "update",
      async () => {
        publish("1.1.0");
        await machine.run(["update", "gate"]);
      },
      [`updated gate ${source} 1.1.0, after 1.0.0`, 'revoked gate fs {"read":["$CWD/notes.txt"]}'],
    ],
    ["revoke one", typed("revoke", "gate", "env"), ['revoked gate env ["GATE_WORD"]']],
    ["a refusal", asked("cordon grant gate env", "Grant gate this", "n"), []],
    ["grant", asked("cordon grant gate env", "Grant gate this", "y"), ['granted gate env ["GATE_WORD"]']],
    [
      "grant of one's own",
      asked(`cordon grant own net '{"connect":["a.example:443"]}'`, "Grant own", "y"),
      [`granted ${own} net {"connect":["a.example:443"]}`],
    ],
    [
      "revoke all",
      typed("revoke", "own"),
      [`revoked ${own} net {"connect":["a.example:443"]}`, `revoked ${own} ui ["confirm","input","notify","select"]`],
    ],
    ["disable", asked("cordon disable own", "Disable own", "y"), [`disabled ${own} in all projects`]],
    ["enable", asked("cordon enable own", "Enable own", "y"), [`enabled ${own} in all projects`]],
    ["disable here", asked("cordon disable own --project", "Disable own", "y"), [`disabled ${own} ${machine.work}`]],
    ["accept", asked("cordon accept", "Accept ", "Down", "Enter"), [`accepted ${local}`]],
    [
      "what only looks",
      async () => {
        for (const command of ["list", "doctor", "why", "audit", "report"]) await machine.run([command]);
      },
      [],
    ],
    ["remove", asked("cordon remove gate", "Remove gate", "y"), [`removed gate ${source} 1.1.0`]],
  ];
  for (const [what, act, lines] of table) {
    await act();
    expect(decisions(), what).toEqual(lines);
  }

  const { stdout } = await machine.run(["audit", "--outcome", "granted"]);
  expect(stdout).toContain('granted gate decision env ["GATE_WORD"]');
  const { hooks } = await machine.json<{ hooks: { id: string; decisions: object[] }[] }>(["report"]);
  expect(hooks.find(({ id }) => id === join(machine.home, "hooks/own.ts"))?.decisions).toMatchObject([
    { outcome: "granted", power: "net", value: '{"connect":["a.example:443"]}' },
    { outcome: "revoked", power: "net" },
    { outcome: "revoked", power: "ui" },
    { outcome: "disabled", value: "in all projects" },
    { outcome: "enabled" },
    { outcome: "disabled", value: machine.work },
  ]);
});

const READS = onToolCall(
  'try { return { block: true, reason: require("node:fs").readFileSync("/etc/hostname", "utf8") && "read" }; } catch (error: any) { return { block: true, reason: error.code }; }',
);
const FS = { read: ["/etc/hostname"] };
const SHOWN = '{"read":["/etc/hostname"]}';

/** A session whose person gives these answers. */
function session(answers: ConsentReply[]) {
  const consent = (): ConsentReply => answers.shift() ?? "deny";
  return startSession({ gate: READS }, { ui: scriptedUi(), consent });
}
const grants = (host: HookHost) => host.grant("gate", "fs", FS);
const uses = (_host: HookHost, call: () => Promise<unknown>) => call();

test.each<[string, ConsentReply[], (host: HookHost, call: () => Promise<unknown>) => Promise<unknown>, string[]]>([
  ["a denied grant", ["deny"], grants, []],
  ["a grant for the session", ["session"], grants, [`consent: session fs ${SHOWN}`]],
  ["a grant for always", ["always"], grants, [`consent: always fs ${SHOWN}`, `granted fs ${SHOWN}`]],
  ["a use that is denied", ["deny"], uses, ["consent: deny fs read /etc/hostname"]],
  [
    "a use that is denied, and refused twice more by that",
    ["deny"],
    async (_host, call) => {
      for (let times = 0; times < 3; times++) await call();
    },
    ["consent: deny fs read /etc/hostname"],
  ],
  ["a use that nobody answers", ["later"], uses, []],
  [
    "a use that is answered the second time",
    ["later", "deny"],
    async (_host, call) => {
      await call();
      await call();
    },
    ["consent: deny fs read /etc/hostname"],
  ],
  ["a use for the session", ["session"], uses, ["consent: session fs read /etc/hostname"]],
  ["a use for always", ["always"], uses, ["consent: always fs read /etc/hostname", `granted fs ${SHOWN}`]],
  [
    "a revocation of what a session allowed",
    ["session"],
    async (host) => {
      await grants(host);
      await host.revoke("gate", "fs");
    },
    [`consent: session fs ${SHOWN}`, `revoked fs ${SHOWN}`],
  ],
  ["a hook that stays", ["deny"], (host) => host.disable("gate"), ["consent: deny disable"]],
  [
    "a hook that is disabled, and enabled",
    ["session"],
    async (host) => {
      await host.disable("gate");
      await host.enable("gate");
    },
    ["disabled for this session", "enabled for this session"],
  ],
])("in a session: %s", async (_what, answers, act, expected) => {
  const { host, call, audit } = await session(answers);
  await act(host, () => call());
  const decided = audit.filter(({ event, outcome }) => event === "decision" || outcome.startsWith("consent: "));
  expect(
    decided.map(({ outcome, capability, value }) => [outcome, capability, value].filter(Boolean).join(" ")),
  ).toEqual(expected);
});

test("a person who ends a guard that failed, or blocks everything, leaves a line", async () => {
  const ui = scriptedUi({ select: () => "Disable it for this session" });
  const sources = {
    broken: onToolCall("for (;;) ;"),
    strict: onToolCall('return { block: true, reason: "no" };'),
  };
  const { call, audit } = await startSession(sources, { ui });
  for (let time = 0; time < 7; time++) await call();
  const decided = audit.filter(({ event }) => event === "decision").map(({ hook, outcome }) => `${outcome} ${hook}`);
  expect(decided).toEqual(["disabled broken", "disabled strict"]);
});

/** From now on, nothing can be written there. */
function breakAudit(home: string): void {
  rmSync(join(home, "audit"), { recursive: true, force: true });
  writeFileSync(join(home, "audit"), "");
}

test(
  "without a record no command gives a hook more, and what narrows is done, and says so",
  needs(!hasTmux && "tmux"),
  async () => {
    const machine = new Machine();
    const gate = machine.package("gate", asks({ env: ["GATE_WORD"] }));
    await machine.install(gate, "env");
    writeFiles(machine.home, { "hooks/own.ts": GATE });
    breakAudit(machine.home);
    const terminal = await Terminal.open(machine);
    const decide = (command: string, question: string) => () =>
      terminal.run(command, async () => {
        await terminal.shows(question);
        terminal.press("y");
      });
    const typed =
      (...args: string[]) =>
      async () => {
        const { stdout, stderr } = await machine.run(args);
        return stdout + stderr;
      };
    const other = machine.package("other");
    const REFUSED = "nothing was changed: the audit log cannot be written";
    const UNRECORDED = "this is done, and it is not on record";
    const entries = () => machine.table<{ capabilities?: object; disabled?: true }>("grants.json");
    const own = join(machine.home, "hooks/own.ts");
    const table: [what: string, act: () => Promise<string>, says: string, check: () => unknown, is: unknown][] = [
      [
        "add",
        typed("add", other, "--grant", "none"),
        REFUSED,
        () => Object.keys(machine.table("hooks.lock")),
        ["gate"],
      ],
      ["grant", decide("cordon grant own env '[\"CI\"]'", "Grant own"), REFUSED, () => entries()[own], undefined],
      ["disable", decide("cordon disable own", "Disable own"), UNRECORDED, () => entries()[own]?.disabled, true],
      ["enable", decide("cordon enable own", "Enable own"), REFUSED, () => entries()[own]?.disabled, true],
      [
        "revoke",
        typed("revoke", "gate"),
        UNRECORDED,
        () => entries().gate?.capabilities,
        { events: { see: ["*"], block: true } },
      ],
      [
        "remove",
        decide("cordon remove gate", "Remove gate"),
        UNRECORDED,
        () => Object.keys(machine.table("hooks.lock")),
        [],
      ],
    ];
    for (const [what, act, says, check, is] of table) {
      expect((await act()).replace(/\n/g, " "), what).toContain(says);
      expect(check(), what).toEqual(is);
    }
  },
);

test("without a record no answer in a session gives a hook more, and what narrows is done, and says so", async () => {
  const { host, call, folder, log } = await session(["session", "always", "session", "session"]);
  await grants(host);
  expect(await call()).toMatchObject({ reason: "read" });
  rmSync(join(folder, "home"), { recursive: true });
  mkdirSync(join(folder, "home"));
  breakAudit(join(folder, "home"));
  await host.revoke("gate", "fs");
  expect(host.hooks[0]?.capabilities).not.toHaveProperty("fs");
  expect(log.map(({ text }) => text)).toContain(
    "this is done, and it is not on record: the audit log cannot be written",
  );
  await expect(grants(host)).rejects.toThrow("nothing was changed: the audit log cannot be written");
  expect(await call()).toMatchObject({ reason: "NOT_GRANTED" });
  expect(host.hooks[0]?.capabilities).not.toHaveProperty("fs");
  expect(await host.disable("gate")).toBe(true);
  await expect(host.enable("gate")).rejects.toThrow("the audit log cannot be written");
  expect(host.hooks[0]?.disabled).toBe(true);
});
