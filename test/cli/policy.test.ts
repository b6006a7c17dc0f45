import { join } from "node:path";
import { expect, test } from "vitest";
import { defaultCapabilities } from "../../src/grants/grant.ts";
import { CapabilitiesShape } from "../../src/grants/schema.ts";
import { changeGrant } from "../../src/store/grants-file.ts";
import { atTerminal } from "../market/hostile-terminal.ts";
import { Machine } from "../market/world.ts";
import { onToolCall, writeFiles } from "../support/session.ts";

/** A machine with hooks of its person's own, one of them with more than the usual powers. */
function ownMachine(): { machine: Machine; gate: string } {
  const machine = new Machine();
  const gate = join(machine.home, "hooks", "gate.ts");
  const capabilities = { ui: ["notify"], fs: { read: ["$CWD/**"] }, env: ["CI", "HOME"] };
  writeFiles(machine.home, {
    "hooks/gate.ts": onToolCall(""),
    "hooks/watcher.ts": `export default (pi: any) => { pi.on("session_start", () => {}); };`,
    "grants.json": JSON.stringify({ version: 1, hooks: { [gate]: { capabilities } } }),
  });
  return { machine, gate };
}

/** The same, and an installed hook. */
async function machineWithHooks(): Promise<{ machine: Machine; gate: string }> {
  const { machine, gate } = ownMachine();
  await machine.install(
    machine.package("guard", { cordon: { hooks: ["./index.ts"], capabilities: { ui: ["notify"] } } }),
    "ui",
  );
  return { machine, gate };
}

const policyFile = (machine: Machine, policy: unknown): string =>
  machine.file("policy.json", typeof policy === "string" ? policy : JSON.stringify(policy));

test("a policy is checked against the hooks here: what they lose, which it stops, which are missing", async () => {
  const { machine, gate } = await machineWithHooks();
  const file = policyFile(machine, {
    $schema: "https://example.com/policy.json",
    version: 1,
    sources: ["npm:@acme/*"],
    maximum: { ui: ["notify"], fs: { read: ["$CWD/src/**"] }, env: ["CI"] },
    required: [gate, "gate", join(machine.home, "hooks", "watcher.ts"), "guard"],
  });
  const { valid, hooks, missing } = await machine.json<Record<string, Record<string, unknown>[]>>(
    ["policy", "check", file],
    1,
  );
  expect(valid).toBe(true);
  const byName = new Map(hooks?.map((hook) => [hook.name, hook]));
  expect(byName.get("gate")).toMatchObject({
    id: gate,
    loses: { fs: '{"read":["$CWD/**"]}', env: '["HOME"]' },
    keeps: { fs: '{"read":["$CWD/src/**"]}', env: '["CI"]', ui: '["notify"]' },
  });
  expect(byName.get("gate")).not.toHaveProperty("stopped");
  expect(byName.get("watcher")).toMatchObject({ loses: { ui: '["confirm","input","select"]' } });
  expect(byName.get("guard")).toMatchObject({
    loses: {},
    stopped: expect.stringContaining("does not allow hooks from path:"),
  });
  const elsewhere = "it is not installed, and your organisation's policy says from where it has to be";
  expect(missing).toEqual([
    { id: gate, why: elsewhere },
    { id: "gate", why: `no hook here has this id; the id of gate is ${gate}` },
    { id: join(machine.home, "hooks", "watcher.ts"), why: elsewhere },
    { id: "guard", why: expect.stringContaining("does not allow hooks from path:") },
  ]);

  const { code, stdout, stderr } = await machine.run(["policy", "check", file, "--explain"]);
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(
      /^cordon: with .*policy\.json, every tool call here would be blocked: it requires .*, guard\n$/,
    ),
  ]);
  for (const line of [
    `ok   ${file} is a valid policy`,
    "installed hooks come only from npm:@acme/*",
    "note sources.0: npm:@acme/* matches no hook that is installed here",
    "trusted hooks (--trusted-hook), which have no sandbox, block what they guard",
    'less gate loses fs {"read":["$CWD/**"]}; keeps {"read":["$CWD/src/**"]}',
    "no   required hook gate: no hook here has this id",
  ])
    expect(stdout).toContain(line);

  // A person who disabled it has done what the text says.
  changeGrant(join(machine.home, "grants.json"), "guard", (entry) => ({ ...entry, disabled: true }));
  const again = await machine.run(["policy", "check", file]);
  expect(again.stdout).toMatch(/^stop guard: .*; it is disabled, and blocks nothing$/m);
  expect(again.stdout).not.toContain("it blocks every call");

  // What is in force already is counted as the file's own, and what another policy takes is not.
  for (const [env, loses] of [
    [{ CORDON_POLICY: file }, ["fs", "env"]],
    [{ CORDON_POLICY: machine.file("other.json", '{"version":1,"maximum":{"env":["HOME"]}}') }, ["env"]],
  ] as const) {
    const checked = await machine.run(["policy", "check", file, "--json"], { env });
    const found = JSON.parse(checked.stdout).hooks.find(({ name }: { name: string }) => name === "gate");
    expect(Object.keys(found.loses).sort()).toEqual([...loses].sort());
  }
});

test("--explain names what a maximum leaves nothing of, and doctor tells a fault of a policy once", async () => {
  const machine = new Machine();
  const explained = async (maximum: object) =>
    (
      await machine.run([
        "policy",
        "check",
        machine.file("policy.json", JSON.stringify({ version: 1, maximum })),
        "--explain",
      ])
    ).stdout;
  const some = await explained({ net: { connect: [] }, fs: { read: ["$CWD/**"] }, ui: ["notify"] });
  expect(some).toMatch(/^ +fs \{"read":\["\$CWD\/\*\*"\]\}$/m);
  expect(some).toMatch(/^ +nothing of exec, send, .*\bnet\b.*commands$/m);
  expect(some).not.toMatch(/nothing of .*(\bfs\b|\bui\b|events|limits)/);
  const all = Object.keys(CapabilitiesShape.properties).filter((power) => power !== "events");
  expect(await explained({})).toContain(`nothing of ${all.join(", ")}`);

  const env = { CORDON_POLICY: machine.file("broken.json", '{"version":1,"requird":[]}') };
  const { stdout, code } = await machine.run(["doctor"], { env });
  expect([code, stdout.match(/unknown key "requird"/g)?.length]).toEqual([1, 1]);
  expect(stdout).toContain("no   hooks: cannot be looked at: see policy\n");
});

test("the audit says why a hook did not load, and which policy does not allow it", async () => {
  const { machine } = await machineWithHooks();
  writeFiles(machine.home, { "hooks/broken.ts": "export default (" });
  const file = policyFile(machine, { version: 1, sources: ["npm:@acme/*"], maximum: {} });
  const env = { CORDON_POLICY: file };
  await machine.served(["ls"], ["--trusted-hook", machine.file("own.ts", onToolCall(""))], env);
  const loads = async (code: string): Promise<object[]> => {
    const { stdout } = await machine.run(["audit", "--power", "load", "--outcome", code, "--json"]);
    return stdout
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  };
  const failed = { outcome: "failed", code: "NOT_ACCEPTED", policy: file };
  const [forbidden, broken] = [await loads("NOT_ACCEPTED"), await loads("LOAD_FAILED")];
  expect(forbidden).toHaveLength(2);
  expect(forbidden).toContainEqual(
    expect.objectContaining({
      ...failed,
      hook: "guard",
      value: expect.stringContaining("does not allow hooks from path:"),
    }),
  );
  expect(forbidden).toContainEqual(
    expect.objectContaining({ ...failed, value: expect.stringContaining("no sandbox") }),
  );
  expect(broken).toEqual([expect.objectContaining({ outcome: "failed", value: expect.stringContaining("broken.ts") })]);
  expect(broken[0]).not.toHaveProperty("policy");
  const { stdout } = await machine.run(["audit", "--outcome", "NOT_ACCEPTED", "--hook", "guard"]);
  expect(stdout).toMatch(/ failed \(by .*policy\.json\) guard load your organisation's policy .* \(NOT_ACCEPTED\)$/m);
});

test("a misspelt id is no package to fetch: what is in place is named", async () => {
  const { machine } = await machineWithHooks();
  const file = policyFile(machine, { version: 1, required: ["guaard"] });
  const { stdout, stderr } = await machine.run(["policy", "check", file]);
  expect(stdout).toMatch(
    /^no {3}required hook guaard: it is missing; every tool call would be blocked; did you mean guard\?$/m,
  );
  expect(stderr).toContain("it requires guaard; did you mean guard?\n");
  const env = { CORDON_POLICY: file };
  const doctor = await machine.run(["doctor"], { env });
  expect(doctor.stdout).toContain(
    "required hook guaard: it is missing: every tool call is blocked; did you mean guard?",
  );
  for (const text of [stdout, stderr, doctor.stdout]) expect(text).not.toContain("cordon add");
  expect(await machine.json(["policy", "check", file], 1)).toMatchObject({ missing: [{ near: ["guard"] }] });
});

test("a policy in force is named by list and doctor, and doctor says which required hook is missing", async () => {
  const { machine, gate } = ownMachine();
  const watcher = join(machine.home, "hooks", "watcher.ts");
  const policy = { version: 1, maximum: { ui: ["notify"] }, required: [gate, "@acme/gate", watcher] };
  const env = { CORDON_POLICY: policyFile(machine, policy) };
  const line = `${env.CORDON_POLICY}: at most the powers ui; requires ${policy.required.join(", ")}`;
  expect((await machine.run(["list"], { env })).stdout).toContain(`policy in force: ${line}`);
  const { code, stdout } = await machine.run(["doctor"], { env });
  expect(code).toBe(1);
  expect(stdout.split("\n").filter((one) => one.includes("policy in force") || one.includes("required"))).toEqual([
    `ok   policy in force: ${line}`,
    "no   required hook @acme/gate: it is missing: every tool call is blocked; run: cordon add @acme/gate",
    `no   required hook ${watcher}: it has no handler for tool calls: every tool call is blocked`,
  ]);
  expect((await machine.served(["ls"], [], env))[0]).toMatch(
    new RegExp(`run: cordon add @acme/gate; and the hook ${watcher}: it has no handler for tool calls$`),
  );
  expect(await machine.json(["why"])).toMatchObject({
    blocks: [{ hook: "", tool: "bash", reason: expect.stringContaining("@acme/gate: it is missing; run: cordon add") }],
  });
  expect((await machine.json<{ summary: object }>(["report"])).summary).toMatchObject({ blocked: 1 });
});

test("a policy that allows no hook says so, and a question is the end of its sentence", async () => {
  const { machine } = await machineWithHooks();
  const file = policyFile(machine, { version: 1, sources: [], publishers: [], required: ["guaard", "@acme/gate"] });
  const { stdout, stderr } = await machine.run(["policy", "check", file, "--explain"]);
  expect(stdout).toContain("     no installed hook may run: no source is allowed\n");
  expect(stdout).toContain("     no installed hook may run: no publisher is allowed\n");
  expect(stdout).not.toContain("nothing\n");
  expect(stderr).toContain("it requires guaard, @acme/gate; did you mean guard?\n");
});

test("list marks what a policy takes of a granted power, or all of it, and nothing else", async () => {
  const { machine } = ownMachine();
  const listed = async (maximum: object) => {
    const env = { CORDON_POLICY: policyFile(machine, { version: 1, maximum }) };
    const { stdout } = await machine.run(["list", "--json"], { env });
    const hooks: { name: string; powers: string[]; loses?: object; keeps?: object }[] = JSON.parse(stdout).hooks;
    const { powers, loses, keeps } = hooks.find(({ name }) => name === "gate") ?? {};
    return { json: { powers: powers?.toSorted(), loses, keeps }, text: (await machine.run(["list"], { env })).stdout };
  };
  const powers = ["env", "fs", "ui"];
  const narrowed = await listed({ fs: { read: ["$CWD/src/**"] }, env: ["HOME"] });
  expect(narrowed.json).toEqual({
    powers,
    loses: { fs: '{"read":["$CWD/**"]}', env: '["CI"]', ui: '["notify"]' },
    keeps: { fs: '{"read":["$CWD/src/**"]}', env: '["HOME"]' },
  });
  const [row = ""] = narrowed.text.split("\n").filter((line) => line.startsWith("gate"));
  for (const mark of ["fs (narrowed)", "env (narrowed)", "ui (denied)"]) expect(row).toContain(mark);
  expect(narrowed.text).toContain(
    `your organisation's policy takes fs {"read":["$CWD/**"]}; it leaves {"read":["$CWD/src/**"]}`,
  );
  expect(narrowed.text).toMatch(/your organisation's policy takes ui \["notify"\]$/m);
  // As wide as what was granted, and wider.
  for (const maximum of [
    { fs: { read: ["$CWD/**"] }, env: ["CI", "HOME"], ui: ["notify"] },
    { fs: { read: ["/**", "$CWD/**"] }, env: ["*"], ui: ["notify", "select"] },
  ]) {
    const whole = await listed(maximum);
    expect(whole.json).toEqual({ powers, loses: undefined, keeps: undefined });
    expect(
      whole.text
        .split("\n")
        .filter((line) => line.startsWith("gate"))
        .join(),
    ).not.toContain("(");
  }
});

test("a key that stands twice is refused: who reads the file may see the one, and Cordon the other", async () => {
  const machine = new Machine();
  const twice = machine.file("twice.json", '{"version":1,"required":["@acme/gate"],"required":[]}');
  const { code, stdout } = await machine.run(["policy", "check", twice]);
  expect([code, stdout]).toEqual([1, `no   ${twice}: the key "required" stands twice in one object\n`]);
  expect((await machine.run(["doctor"], { env: { CORDON_POLICY: twice } })).stdout).toContain("stands twice");
  writeFiles(machine.home, {
    "grants.json": '{"version":1,"hooks":{"a":{"capabilities":{}},"a":{"capabilities":{}}}}',
  });
  expect((await machine.run(["list"])).stderr).toContain(
    'grants.json: the key "a" stands twice in one object (BAD_GRANT)',
  );
});

test("a policy that cannot be read is what why says first", async () => {
  const machine = new Machine();
  machine.file("bad.json", '{"version":1,"maximun":{}}');
  const why = (...more: string[]) => machine.run(["why", ...more], { env: { CORDON_POLICY: "../from/bad.json" } });
  const problem = `${join(machine.folder, "from", "bad.json")}: unknown key "maximun"`;
  expect((await why()).stdout).toContain(`careful: no session starts now, and what agents ask is blocked: ${problem}`);
  expect(JSON.parse((await why("--json")).stdout)).toMatchObject({
    problem: expect.stringContaining(problem),
    blocks: [],
  });
});

test("remove says of a file in a folder of hooks that it stays, and what it may do more than it was left", async () => {
  const { machine, gate } = ownMachine();
  const removed = async () => {
    const { shown } = await atTerminal(machine, ["remove", "gate"], [[/Remove what was granted to gate/, "y"]]);
    return shown.replace(/[\s│]+/g, " ");
  };
  const first = await removed();
  expect(first).toContain("Without its entry it has what every hook of your own begins with, which is more of ui.");
  expect(first).toContain(`gone; the hook stays, with more of ui: to be rid of it, delete ${gate}`);
  expect((await machine.run(["list"])).stdout).toContain("active");
  changeGrant(join(machine.home, "grants.json"), gate, () => ({
    capabilities: { ...defaultCapabilities(), env: ["CI"] },
  }));
  const second = await removed();
  expect(second).not.toContain("again");
  expect(second).toContain(`what was granted to gate is gone; the hook stays: to be rid of it, delete ${gate}`);
});

test("what a policy forbids cannot be granted, and a required hook is removed only by who knows it", async () => {
  const { machine, gate } = ownMachine();
  const policy = { version: 1, maximum: { fs: { read: ["$CWD/src/**"] } }, required: [gate] };
  const env = { CORDON_POLICY: policyFile(machine, policy) };
  for (const [power, value, allows] of [
    ["env", '["CI"]', "of env, it allows nothing"],
    ["fs", '{"read":["$CWD/**"]}', 'of fs, it allows {"read":["$CWD/src/**"]}'],
  ] as const)
    expect(await machine.run(["grant", "gate", power, value], { env })).toMatchObject({
      code: 1,
      stderr: `cordon: your organisation's policy ${env.CORDON_POLICY} does not allow gate this; ${allows}\n`,
    });
  const allowed = await machine.run(["grant", "gate", "fs", '{"read":["$CWD/src/**"]}'], { env });
  expect(allowed.stderr).toContain("this needs a terminal with a person at it");
  const { code, shown } = await atTerminal(machine, ["remove", "gate"], [[/Remove/, "n"]], env);
  expect([code, shown.replace(/[\s│]+/g, " ")]).toEqual([
    1,
    expect.stringContaining("policy requires it: all tool calls"),
  ]);
});

test("a policy that takes nothing says so", async () => {
  const { machine, gate } = await machineWithHooks();
  const { code, stdout } = await machine.run([
    "policy",
    "check",
    policyFile(machine, { version: 1, required: [gate] }),
  ]);
  expect([code, stdout]).toEqual([0, expect.stringContaining("it takes nothing from the 3 hooks here")]);
});

test.each<[string, unknown, string[]]>([
  ["no JSON", "{", ["not JSON"]],
  ["no object", [], ["the whole must be an object"]],
  ["no version", {}, ["it lacks version"]],
  [
    "many faults, one line each",
    {
      version: 2,
      allow: [],
      sources: "npm:*",
      provenance: "best",
      maximum: {
        exec: [
          { program: 3, args: [] },
          { program: "x", args: [{ kind: "intt" }] },
          { program: "x", args: [{ rest: { kind: "text" } }] },
          { program: "x", args: [{ kind: "int", mini: 3 }] },
        ],
        fz: {},
        ui: ["notify", "shout"],
      },
      required: ["a", ""],
    },
    [
      'unknown key "allow"; allowed: ',
      "version must be one of 1",
      "sources must be an array",
      'provenance must be one of "signed", "attested"',
      'unknown key "fz" in maximum',
      "maximum.exec.0.program",
      'maximum.exec.1.args.0.kind must be one of "enum", "int", "sha", "ref", "relpath", "text"',
      'maximum.exec.2.args.0.rest must be one of "int", "sha", "ref", "relpath", "text", "any"',
      'unknown key "mini" in maximum.exec.3.args.0',
      "maximum.ui.1 must be one of",
      "required.1",
    ],
  ],
])("an invalid policy is refused: %s", async (_name, policy, faults) => {
  const machine = new Machine();
  const file = policyFile(machine, policy);
  const { code, stdout, stderr } = await machine.run(["policy", "check", file]);
  const lines = stdout.trimEnd().split("\n");
  for (const fault of faults) expect(lines.filter((line) => line.includes(fault))).toHaveLength(1);
  expect([code, lines.length, stderr]).toEqual([1, faults.length, expect.stringContaining("is no valid policy")]);
  const json = await machine.json<{ valid: boolean; faults: string[] }>(["policy", "check", file], 1);
  expect([json.valid, json.faults.length]).toEqual([false, faults.length]);
});

test("a file that is not there, or no file, is one line", async () => {
  const machine = new Machine();
  const gone = await machine.run(["policy", "check", "gone.json"]);
  expect([gone.code, gone.stderr]).toEqual([1, "cordon: gone.json: no such file\n"]);
  const folder = await machine.run(["policy", "check", "/"]);
  expect([folder.code, folder.stderr]).toEqual([1, "cordon: /: not a regular file\n"]);
  const json = await machine.json<object>(["policy", "check", "gone.json"], 1);
  expect(json).toEqual({ valid: false, faults: ["no such file"] });
  expect((await machine.run(["policy", "check"])).code).toBe(2);
});
