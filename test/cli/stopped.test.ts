import { join } from "node:path";
import { expect, test } from "vitest";
import { Machine } from "../market/world.ts";
import { openAudit } from "../support/audit-log.ts";
import { RpcAgent, startCordon } from "../support/command.ts";
import { onToolCall, writeFiles } from "../support/session.ts";

interface Finding {
  what: string;
  ok: boolean;
  note?: boolean;
  standing?: boolean;
  detail: string;
}

/** What commands say about the hook `gate`: doctor, list, report and why. */
async function said(machine: Machine, env: NodeJS.ProcessEnv = {}) {
  const json = async (...args: string[]) => JSON.parse((await machine.run([...args, "--json"], { env })).stdout);
  const { findings } = (await json("doctor")) as { findings: Finding[] };
  const { troubles } = (await json("report")) as { troubles: { hook: string; text: string; run?: string }[] };
  const { blocks } = (await json("why", "gate")) as { blocks: { remedies: string[] }[] };
  return {
    doctor: findings.filter(({ what }) => /^hook .*gate$/.test(what)).map(({ detail }) => detail),
    isFine: findings.filter(({ what }) => what === "hook gate").every(({ ok }) => ok),
    list: ((await json("list")) as { hooks: { state: string }[] }).hooks[0]?.state,
    report: troubles.filter(({ hook }) => hook === "gate").map(({ text, run }) => `${text} | ${run}`),
    why: blocks[0]?.remedies[0],
  };
}

const CRASHES = "crashed 3 times | cordon audit --hook gate --power crash";

test("a hook that crashed too often blocks as long as its session runs, and commands say no more than that", async () => {
  const machine = new Machine();
  const gate = join(machine.home, "hooks", "gate.ts");
  writeFiles(machine.home, {
    "hooks/gate.ts": onToolCall('if (event.input.command === "loop") for (;;);'),
    "grants.json": JSON.stringify({ version: 1, hooks: { [gate]: { limits: { cpuMs: 300 } } } }),
  });
  const rpc = new RpcAgent(startCordon(["serve"], { cwd: machine.work, home: machine.home, env: machine.env }));
  await rpc.request("initialize", { protocolVersion: 1, cwd: machine.work });
  const call = async (command: string) => {
    const event = { type: "tool_call", toolName: "bash", toolCallId: "1", input: { command } };
    const { result } = (await rpc.request("emit", { event })) as { result?: { result?: { reason?: string } | null } };
    return result?.result?.reason;
  };
  const crash = async () => {
    for (let time = 0; time < 4; time++) expect(await call("loop")).toBeDefined();
  };

  await crash();
  expect(await said(machine)).toEqual({
    doctor: [
      "crashed too often in its last session, and blocks there; run: cordon restart gate or cordon disable gate",
    ],
    isFine: false,
    list: "stopped",
    report: ["crashed too often in its last session, and blocks there | cordon restart gate", CRASHES],
    why: "cordon restart gate: tries it again",
  });
  expect((await machine.run(["restart", "gate"])).code).toBe(0);
  expect(await call("ls")).toBeUndefined();
  expect(await said(machine)).toMatchObject({ doctor: ["active"], isFine: true, list: "active" });

  await crash();
  await rpc.request("shutdown");
  await rpc.ended;
  expect(await said(machine)).toEqual({
    doctor: ["active", "crashed too often in its last session, which is over: the next one starts it afresh"],
    isFine: true,
    list: "active",
    report: [CRASHES.replace("3", "6")],
    why: "try that again: there is nothing to restart",
  });
});

test.each<[claim: string, isInstalled: boolean, isRequired: boolean, remedy: string]>([
  ["of the user's own", false, false, "cordon restart gate or cordon disable gate"],
  ["that is installed", true, false, "cordon restart gate or cordon remove gate"],
  ["that a policy requires", false, true, "cordon restart gate"],
])(
  "doctor offers to go on without a stopped hook where that can be done: one %s",
  async (_claim, isInstalled, isRequired, remedy) => {
    const machine = new Machine();
    const file = join(machine.home, "hooks", "gate.ts");
    if (isInstalled) await machine.install(machine.package("gate", { cordon: { hooks: ["./index.ts"] } }));
    else writeFiles(machine.home, { "hooks/gate.ts": onToolCall("") });
    const hook = isInstalled ? "gate" : file;
    const audit = openAudit(machine.home);
    audit.write({ hook, event: "crash", value: "x", outcome: "stopped" });
    const env = isRequired
      ? { CORDON_POLICY: machine.file("policy.json", JSON.stringify({ version: 1, required: [hook] })) }
      : {};
    const { findings } = JSON.parse((await machine.run(["doctor", "--json"], { env })).stdout) as {
      findings: Finding[];
    };
    audit.close();
    expect(findings.filter(({ what, ok }) => what === "hook gate" && !ok)).toEqual([
      {
        what: "hook gate",
        ok: false,
        detail: `crashed too often in its last session, and blocks there; run: ${remedy}`,
      },
    ]);
  },
);
