import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { factsIn } from "../support/audit-log.ts";
import { cordon, RpcAgent, startCordon } from "../support/command.ts";
import { onToolCall, temporaryFolder, writeFiles } from "../support/session.ts";

const GATE = onToolCall(`
  const command = String(event.input.command);
  if (command === "no") return { block: true, reason: "said no" };
  if (command === "throw") throw new Error("broke");
  if (command === "slow") await new Promise((done) => setTimeout(done, 300));
  if (command === "never") await new Promise(() => {});
  if (command === "ask") return (await ctx.ui.select("Really?", ["Yes", "No"])) === "Yes" ? undefined : { block: true, reason: "declined" };
  if (command === "confirm") return (await ctx.ui.confirm("Sure?", "This deletes")) ? undefined : { block: true, reason: "not sure" };
  if (command === "input") return { block: true, reason: String(await ctx.ui.input("Name?", "Ann")) };
  if (command === "exec") { const { stdout } = await ctx.exec("date", ["+%Y"]); return { block: true, reason: stdout.trim() }; }
  if (command === "caught") await ctx.exec("date", ["+%d"]).catch(() => {});
  if (command === "late") setTimeout(() => ctx.exec("date", ["+%s"]).catch(() => {}), 100);
  if (command === "notify") ctx.ui.notify("look", "warning");
  if (command === "send") pi.send("hello");
`);

function agent(
  files: Record<string, string> = { "gate.ts": GATE },
  flags: string[] = [],
  folder = temporaryFolder(),
): RpcAgent {
  writeFiles(folder, files);
  const hooks = Object.keys(files)
    .filter((name) => name.endsWith(".ts"))
    .flatMap((name) => ["--hook", join(folder, name)]);
  return new RpcAgent(
    startCordon(["serve", "--no-discover", ...hooks, ...flags], { cwd: folder, home: join(folder, "home") }),
  );
}

const bash = (command: string) => ({
  event: { type: "tool_call", toolName: "bash", toolCallId: "1", input: { command } },
});

test("a session: initialize, verdicts, shutdown, exit code 0", async () => {
  const rpc = agent();
  const started = await rpc.request("initialize", { protocolVersion: 1 });
  expect(started.result).toMatchObject({
    protocolVersion: 1,
    hooks: [{ dialect: "pi", state: "active", events: ["tool_call"] }],
  });
  expect((await rpc.request("emit", bash("ls"))).result).toEqual({ result: null, errors: [] });
  expect((await rpc.request("emit", bash("no"))).result).toMatchObject({ result: { block: true, reason: "said no" } });
  expect((await rpc.request("emit", bash("throw"))).result).toMatchObject({ result: { block: true, reason: "broke" } });
  expect((await rpc.request("setSessionFile", { sessionFile: "/tmp/session" })).result).toBeNull();
  expect((await rpc.request("reload", {})).result).toBeNull();
  expect((await rpc.request("shutdown")).result).toBeNull();
  expect(await rpc.ended).toBe(0);
});

test("a block by a hook that never ran has its code among the errors, in each emit", async () => {
  const rpc = agent({ "broken.ts": "throw new Error('no')" });
  await rpc.request("initialize", { protocolVersion: 1 });
  for (const command of ["ls", "pwd"]) {
    const { result } = await rpc.request("emit", bash(command));
    expect(result).toMatchObject({
      result: { block: true },
      errors: [{ hookPath: expect.stringContaining("broken.ts"), event: "tool_call", code: "LOAD_FAILED" }],
    });
  }
  await rpc.request("shutdown");
});

test("the agent hears of a hook that a person disabled in a question", async () => {
  const rpc = agent();
  const states: unknown[] = [];
  rpc.answer = ({ method, params }) => {
    if (method === "hook/state") states.push(params);
    return "Disable it for this session";
  };
  await rpc.request("initialize", { protocolVersion: 1, hasUI: true });
  for (let block = 0; block < 5; block++) await rpc.request("emit", bash("no"));
  expect((await rpc.next(({ method }) => method === "hook/state")).params).toMatchObject({
    reason: "a person disabled it",
  });
  expect((await rpc.request("emit", bash("no"))).result).toEqual({ result: null, errors: [] });
  await rpc.request("shutdown");
});

test("dialogs are requests to the agent, with the hook's own text and its id", async () => {
  const rpc = agent();
  const asked: unknown[] = [];
  rpc.answer = (message) => {
    asked.push([message.method, message.params]);
    return message.method === "ui/select" ? "Yes" : message.method === "ui/confirm" ? false : "Bob";
  };
  const { result } = await rpc.request("initialize", { protocolVersion: 1, hasUI: true });
  const hook = (result as { hooks: { id: string }[] }).hooks[0]?.id;
  expect((await rpc.request("emit", bash("ask"))).result).toMatchObject({ result: null });
  expect((await rpc.request("emit", bash("confirm"))).result).toMatchObject({ result: { reason: "not sure" } });
  expect((await rpc.request("emit", bash("input"))).result).toMatchObject({ result: { reason: "Bob" } });
  expect(asked).toEqual([
    ["ui/select", { hook, title: "Really?", options: ["Yes", "No"] }],
    ["ui/confirm", { hook, title: "Sure?", message: "This deletes" }],
    ["ui/input", { hook, title: "Name?", placeholder: "Ann" }],
  ]);
  await rpc.request("emit", bash("notify"));
  expect((await rpc.next((message) => message.method === "ui/notify")).params).toEqual({
    hook,
    message: "look",
    type: "warning",
  });
});

test.each([
  ["once", "", true, false],
  ["always", "person", true, true],
  ["always", "", true, false],
  ["deny", "person", false, false],
  ["nonsense", "person", false, false],
  [true, "person", false, false],
])("consent %j from %j: allowed %j, kept %j", async (answer, consent, allowed, kept) => {
  const folder = temporaryFolder();
  const rpc = agent(undefined, [], folder);
  rpc.answer = (message) => (message.method === "consent/ask" ? answer : null);
  await rpc.request("initialize", { protocolVersion: 1, hasUI: true, ...(consent ? { consent } : {}) });
  const { result } = (await rpc.request("emit", bash("exec"))).result as { result: { reason: string } };
  if (allowed) expect(result.reason).toMatch(/^\d{4}$/);
  else expect(result.reason).toContain("was not granted exec: date +%Y");
  expect(existsSync(join(folder, "home", "grants.json"))).toBe(kept);
});

// biome-ignore format: a table
test.each<[method: string, command: string, answer: unknown, text: string | undefined]>([
  ["ui/confirm", "confirm", "yes", "must be a boolean, not a string"],
  ["ui/confirm", "confirm", 1, "must be a boolean, not a number"],
  ["ui/confirm", "confirm", false, undefined],
  ["ui/confirm", "confirm", null, undefined],
  ["ui/confirm", "confirm", { later: true }, undefined],
  ["ui/select", "ask", 0, "must be a string or null, not a number"],
  ["ui/select", "ask", ["Yes"], "must be a string or null, not a list"],
  ["ui/select", "ask", null, undefined],
  ["ui/input", "input", { text: "Bob" }, "must be a string or null, not an object"],
  ["consent/ask", "exec", true, "must be one of once, session, always, deny, not a boolean"],
  ["consent/ask", "exec", "yes", "must be one of once, session, always, deny, not another text"],
  ["consent/ask", "exec", "deny", undefined],
])("an answer to %s (%s) that is %j counts as no, and is told if its type is wrong", async (method, command, answer, text) => {
  const rpc = agent();
  let log = "";
  rpc.child.stderr.on("data", (data) => { log += data; });
  rpc.answer = (message) => (message.method === method ? answer : null);
  await rpc.request("initialize", { protocolVersion: 1, hasUI: true });
  expect((await rpc.request("emit", bash(command))).result).toMatchObject({ result: { block: true } });
  await rpc.request("shutdown");
  await rpc.ended;
  expect(log.split("\n").filter((line) => line.includes("the answer"))).toEqual(
    text === undefined ? [] : [`warn: ${method}: the answer ${text}`],
  );
});

test("bad lines get an error, and the session continues", async () => {
  const rpc = agent();
  await rpc.request("initialize", { protocolVersion: 1 });
  const refusals: [line: string, code: number, text?: string][] = [
    ["{nonsense", -32700],
    ["[1,2]", -32600],
    ["7", -32600],
    ['{"jsonrpc":"1.0","id":9,"method":"emit"}', -32600],
    ['{"jsonrpc":"2.0","id":{},"method":"emit"}', -32600],
    ['{"jsonrpc":"2.0","id":"x1","method":"constructor"}', -32601],
    ['{"jsonrpc":"2.0","id":"x2","method":"emit","params":{"event":{"type":"tool_cal"}}}', -32602],
    ['{"jsonrpc":"2.0","id":"x3","method":"emit","params":{"event":{"type":"tool_call","toolName":"bash"}}}', -32602],
    ['{"jsonrpc":"2.0","id":"x4","method":"emit","params":[]}', -32602],
    ['{"jsonrpc":"2.0","id":"x5","method":"setHasUI","params":{"hasUI":1}}', -32602],
    [
      '{"jsonrpc":"2.0","id":"x6","method":"setHasUI","params":{"hasUI":true,"hasUi":true}}',
      -32602,
      'params: unknown key "hasUi"; allowed: hasUI; did you mean hasUI?',
    ],
    [
      '{"jsonrpc":"2.0","id":"x7","method":"initialize","params":{"protocolVersion":1,"agent":{"act":[],"reads":[]}}}',
      -32602,
      'params: unknown key "reads" in agent; allowed: session, read, act, sendMessage, screens, canRun, providers; did you mean read?',
    ],
    ['{"jsonrpc":"2.0","id":"x8","method":"initialise"}', -32601, "no method initialise; did you mean initialize?"],
    [
      '{"jsonrpc":"2.0","id":"x9","method":"emit","params":{"event":{"type":"tool_call","toolname":"bash","toolCallId":"1","input":{}}}}',
      -32602,
      'params.event lacks toolName; did you mean toolName by "toolname"?',
    ],
    [
      '{"jsonrpc":"2.0","id":"x12","method":"emit","params":{"event":{"type":"session","reason":"before_swich"}}}',
      -32602,
      'params.event.reason: no reason "before_swich"; did you mean before_switch or before_branch?',
    ],
    ['{"jsonrpc":"2.0","id":"x10","method":"initialize"}', -32602, "params lacks protocolVersion"],
    [
      '{"jsonrpc":"2.0","id":"x11","method":"cancel","params":{"id":"x1"}}',
      -32601,
      "cancel is a notification: send it without an id",
    ],
  ];
  for (const [line, code, text] of refusals) {
    const seen = rpc.received.length;
    rpc.write(`${line}\n`);
    const refusal = await rpc.next((message) => rpc.received.indexOf(message) >= seen && message.error !== undefined);
    expect([line, refusal.error?.code]).toEqual([line, code]);
    if (text !== undefined) expect(refusal.error).toMatchObject({ message: text });
  }
  rpc.write("\n\r\n");
  expect((await rpc.request("emit", bash("no"))).result).toMatchObject({ result: { block: true } });
});

test("the grant that a refused power wants is told once: in its emit, or as a notification after that", async () => {
  const rpc = agent();
  await rpc.request("initialize", { protocolVersion: 1 });
  const told: unknown[] = [];
  for (const command of ["exec", "exec", "caught", "late"]) {
    const { result } = await rpc.request("emit", bash(command));
    told.push(
      (result as { errors: { wanted?: { grant: { args: string[] }[] } }[] }).errors.map(
        ({ wanted }) => wanted?.grant[0]?.args,
      ),
    );
  }
  // The second time, the grant was told already.
  expect(told).toEqual([[["+%Y"]], [undefined], [["+%d"]], []]);
  const { params } = await rpc.next(({ method }) => method === "hook/error");
  expect(params).toMatchObject({ code: "NOT_GRANTED", wanted: { grant: [{ program: "date", args: ["+%s"] }] } });
  expect(rpc.received.filter(({ method }) => method === "hook/error")).toHaveLength(1);
});

test("before initialize and after shutdown a tool call is blocked", async () => {
  const rpc = agent();
  expect((await rpc.request("emit", bash("ls"))).result).toMatchObject({ result: { block: true } });
  expect((await rpc.request("emit", { event: { type: "agent_start" } })).error).toMatchObject({
    code: -32000,
    data: { code: "NOT_ACCEPTED" },
  });
  expect((await rpc.request("initialize", { protocolVersion: 2 })).error).toMatchObject({ code: -32000 });
  await rpc.request("initialize", { protocolVersion: 1 });
  rpc.write(
    `${JSON.stringify({ jsonrpc: "2.0", id: "bye", method: "shutdown", params: {} })}\n${JSON.stringify({ jsonrpc: "2.0", id: "late", method: "emit", params: bash("ls") })}\n`,
  );
  expect((await rpc.next((message) => message.id === "late")).result).toMatchObject({ result: { block: true } });
  expect(await rpc.ended).toBe(0);
});

test("bad grants refuse initialize with their code", async () => {
  const rpc = agent(
    { "gate.ts": GATE, "grants.json": '{"version":1,"hooks":{"./gate.ts":{"capabilities":{"exek":[]}}}}' },
    ["--grants", "grants.json"],
  );
  const started = rpc.request("initialize", { protocolVersion: 1 });
  // What is asked before the refusal is answered has no session either, and so has what is asked after it.
  for (const when of ["before", "after"]) {
    const asked = [rpc.request("emit", bash("ls")), rpc.request("setHasUI", { hasUI: true })] as const;
    const { error } = await started;
    expect(error).toMatchObject({ code: -32000, data: { code: "BAD_GRANT" } });
    expect(error?.message).toMatch(/grants\.json.*exek/);
    expect([when, await asked[0]]).toMatchObject([when, { result: { result: { block: true } } }]);
    expect([when, await asked[1]]).toMatchObject([when, { error: { code: -32000, data: { code: "NOT_ACCEPTED" } } }]);
  }
});

test.each([
  ["readFileSync", 'import { readFileSync } from "node:fs";', 'readFileSync(ctx.cwd + "/x.txt")'],
  ["readFile of a promise", 'import { readFile } from "node:fs/promises";', 'await readFile(ctx.cwd + "/x.txt")'],
  [
    "readFile with a callback",
    'import { readFile } from "node:fs";',
    'await new Promise((done, failed) => readFile(ctx.cwd + "/x.txt", (error) => (error ? failed(error) : done(0))))',
  ],
  ["execFile", 'import { execFile } from "node:child_process";', "await promised(execFile)"],
  ["fetch", "", 'await fetch("http://127.0.0.1:9/")'],
])("a refusal in a handler belongs to its event: %s", async (_name, imports, use) => {
  const folder = temporaryFolder();
  const promised =
    'const promised = (run: any) => new Promise((done, failed) => run("date", (error: any) => (error ? failed(error) : done(0))));';
  const rpc = agent({ "gate.ts": `${imports}\n${promised}\n${onToolCall(`${use};`)}` }, [], folder);
  await rpc.request("initialize", { protocolVersion: 1 });
  const { result } = await rpc.request("emit", bash("ls"));
  expect(result).toMatchObject({ result: { block: true } });
  expect((result as { errors: object[] }).errors).toContainEqual(
    expect.objectContaining({ code: "NOT_GRANTED", event: "tool_call", wanted: expect.anything() }),
  );
  expect(rpc.received.filter(({ method }) => method === "hook/error")).toEqual([]);
  const refused = factsIn(join(folder, "home")).filter(({ outcome }) => outcome === "NOT_GRANTED");
  expect(refused.map(({ event }) => event)).toEqual(["tool_call"]);
});

test("emits overlap, and cancel blocks the emit that it names", async () => {
  const rpc = agent();
  await rpc.request("initialize", { protocolVersion: 1 });
  const slow = rpc.request("emit", bash("slow"), "slow");
  const never = rpc.request("emit", bash("never"), "never");
  expect((await rpc.request("emit", bash("no"), "quick")).result).toMatchObject({ result: { block: true } });
  rpc.write(`${JSON.stringify({ jsonrpc: "2.0", method: "cancel", params: { id: "never" } })}\n`);
  expect((await never).result).toMatchObject({ result: { block: true } });
  expect((await slow).result).toMatchObject({ result: null });
});

test("a cancel that comes with its emit ends it, before or after the session has begun", async () => {
  const rpc = agent();
  const cancel = (id: string) => `${JSON.stringify({ jsonrpc: "2.0", method: "cancel", params: { id } })}\n`;
  const emit = (id: string) => `${JSON.stringify({ jsonrpc: "2.0", id, method: "emit", params: bash("never") })}\n`;
  const answerTo = (id: string) => rpc.next((message) => message.id === id && message.result !== undefined);
  const started = rpc.request("initialize", { protocolVersion: 1 });
  rpc.write(emit("early") + cancel("early"));
  const cancelled = { result: { block: true, hook: "", reason: "The call was cancelled" } };
  expect((await answerTo("early")).result).toMatchObject(cancelled);
  await started;
  rpc.write(emit("one") + emit("two") + cancel("two") + cancel("one"));
  expect((await answerTo("one")).result).toMatchObject(cancelled);
  expect((await answerTo("two")).result).toMatchObject(cancelled);
});

test("the end of input is a shutdown", async () => {
  const rpc = agent();
  await rpc.request("initialize", { protocolVersion: 1 });
  rpc.child.stdin.end();
  expect(await rpc.ended).toBe(0);
});

test.each([
  ["confirm", "not sure"],
  ["ask", "declined"],
  ["input", ""],
])(
  "a person who is gone gives no answer: the call is cancelled, whatever the hook asked: %s",
  async (command, said) => {
    const folder = temporaryFolder();
    const rpc = agent({ "gate.ts": GATE }, [], folder);
    rpc.answer = () => {
      rpc.child.stdin.end();
      return undefined;
    };
    await rpc.request("initialize", { protocolVersion: 1, hasUI: true });
    const { result } = await rpc.request("emit", bash(command));
    expect(result).toMatchObject({ result: { block: true, hook: "", reason: "The call was cancelled" } });
    expect(await rpc.ended).toBe(0);
    const outcomes = factsIn(join(folder, "home")).filter(
      ({ event, capability }) => event === "tool_call" && capability === undefined,
    );
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(["cancelled"]);
    if (said !== "") expect(JSON.stringify(outcomes)).not.toContain(said);
  },
);

test("an initialize that failed is named in the blocks that follow, also where all comes at once, and ends there", async () => {
  const home = temporaryFolder();
  const cwd = join(home, "none");
  const requests = [
    { id: 1, method: "initialize", params: { protocolVersion: 1, cwd } },
    { id: 2, method: "emit", params: bash("no") },
  ];
  const input = requests.map((one) => `${JSON.stringify({ jsonrpc: "2.0", ...one })}\n`).join("");
  const { stdout } = await cordon(["serve"], { cwd: home, home, input });
  const answers = stdout
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  expect(answers.find(({ id }) => id === 2)).toMatchObject({
    result: { result: { block: true, reason: `Cordon: initialize failed: cwd: there is no folder ${cwd}` } },
  });
});

test("an initialize that failed is named in the blocks that follow, until one works", async () => {
  const rpc = agent();
  const cwd = join(temporaryFolder(), "none");
  const failed = await rpc.request("initialize", { protocolVersion: 1, cwd });
  expect(failed.error).toMatchObject({ message: `cwd: there is no folder ${cwd}`, data: { code: "BAD_GRANT" } });
  const reasons = async () => ((await rpc.request("emit", bash("no"))).result as { result: { reason: string } }).result;
  expect(await reasons()).toMatchObject({ reason: `Cordon: initialize failed: cwd: there is no folder ${cwd}` });
  for (const [params, says] of [
    [{ protocolVersion: 2 }, "this is protocol version 1, not 2"],
    [{ protocolVersion: 1, cwdd: "/" }, 'params: unknown key "cwdd"'],
  ] as const) {
    await rpc.request("initialize", params);
    expect(await reasons()).toMatchObject({ reason: expect.stringContaining(`Cordon: initialize failed: ${says}`) });
  }
  await rpc.request("initialize", { protocolVersion: 1 });
  expect(await reasons()).toMatchObject({ reason: "said no" });
  // A second one changes nothing.
  expect((await rpc.request("initialize", { protocolVersion: 1 })).error).toBeDefined();
  expect(await reasons()).toMatchObject({ reason: "said no" });

  const lost = agent({ "gate.ts": GATE }, ["--cwd", cwd]);
  const { error } = await lost.request("initialize", { protocolVersion: 1 });
  expect(error).toMatchObject({ code: -32000, data: { code: "BAD_GRANT" } });
});

test("a closed output pipe ends the server", async () => {
  const rpc = agent();
  await rpc.request("initialize", { protocolVersion: 1 });
  rpc.child.stdout.destroy();
  rpc.write(`${JSON.stringify({ jsonrpc: "2.0", id: 77, method: "emit", params: bash("no") })}\n`);
  expect(await rpc.ended).toBe(0);
});

test("a slow reader gets every answer", async () => {
  const rpc = agent();
  await rpc.request("initialize", { protocolVersion: 1 });
  rpc.child.stdout.pause();
  const count = 2000;
  for (let id = 1; id <= count; id++)
    rpc.write(
      `${JSON.stringify({ jsonrpc: "2.0", id: `n${id}`, method: "emit", params: bash(id % 2 ? "no" : "ls") })}\n`,
    );
  await new Promise((done) => setTimeout(done, 500));
  rpc.child.stdout.resume();
  await rpc.next(() => rpc.received.filter((message) => String(message.id).startsWith("n")).length === count);
  const blocked = rpc.received.filter(
    (message) => (message.result as { result?: { block?: boolean } } | undefined)?.result?.block,
  );
  expect(blocked).toHaveLength(count / 2);
});

test("requests before the end of input or the shutdown are answered", async () => {
  for (const last of ["", `${JSON.stringify({ jsonrpc: "2.0", id: 3, method: "shutdown", params: {} })}\n`]) {
    const rpc = agent();
    const lines = [
      { id: 1, method: "initialize", params: { protocolVersion: 1 } },
      { id: 2, method: "emit", params: bash("slow") },
    ].map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    rpc.write(lines.join("") + last);
    rpc.child.stdin.end();
    expect(await rpc.ended).toBe(0);
    expect(rpc.received.find(({ id }) => id === 2)?.result).toEqual({ result: null, errors: [] });
  }
});

const line = (id: number, input: string, more = "") =>
  `{"jsonrpc":"2.0","id":${id},"method":"emit","params":{"event":{"type":"tool_call","toolName":"bash","toolCallId":"1","input":${input}${more}}}}`;

test("a call that hooks would read differently is refused, and never passes", async () => {
  const rpc = agent();
  await rpc.request("initialize", { protocolVersion: 1 });
  const inputs = [
    '{"command":"no","command":"ls"}',
    '{"command":"ls","n":9007199254740993}',
    '{"command":"ls","n":1e-400}',
    '{"command":"ls","n":1e400}',
    '{"command":"ls","n":0.123456789012345678}',
    '{"command":"\\ud800"}',
  ];
  for (const [index, input] of inputs.entries()) {
    rpc.write(`${line(100 + index, input)}\n`);
    const answer = await rpc.next(({ id }) => id === 100 + index);
    expect(answer.error?.code, input).toBe(-32600);
    expect(answer.result, input).toBeUndefined();
  }
  rpc.write(`${line(200, '{"command":"no"}', ',"type":"turn_start"')}\n`);
  expect((await rpc.next(({ id }) => id === 200)).error?.code).toBe(-32600);
  // Bytes that are not valid UTF-8 are refused everywhere.
  rpc.child.stdin.write(
    Buffer.concat([Buffer.from(line(201, '{"command":"')), Buffer.from([0xff]), Buffer.from('"}}}}\n')]),
  );
  expect((await rpc.next(({ id, error }) => id === null && error?.code === -32700)).result).toBeUndefined();
  expect((await rpc.request("emit", bash("no"))).result).toMatchObject({ result: { block: true } });
});

test("a second emit with an id in flight is refused, and cancel still works for the first", async () => {
  const rpc = agent();
  await rpc.request("initialize", { protocolVersion: 1 });
  rpc.write(`${line(7, '{"command":"never"}')}\n${line(7, '{"command":"ls"}')}\n`);
  expect((await rpc.next(({ id }) => id === 7)).error?.code).toBe(-32600);
  rpc.write(`${JSON.stringify({ jsonrpc: "2.0", method: "cancel", params: { id: 7 } })}\n`);
  expect((await rpc.next(({ id, result }) => id === 7 && result !== undefined)).result).toMatchObject({
    result: { block: true },
  });
  // After its answer, the id is free.
  const seen = rpc.received.length;
  rpc.write(`${line(7, '{"command":"no"}')}\n`);
  const again = await rpc.next((message) => rpc.received.indexOf(message) >= seen && message.id === 7);
  expect(again.result).toMatchObject({ result: { block: true, reason: "said no" } });
});

test("a line at the limit is read, and a longer one is refused", async () => {
  const rpc = agent();
  await rpc.request("initialize", { protocolVersion: 1 });
  const limit = 32 * 1024 * 1024;
  const filled = (id: number, length: number) => {
    const text = line(id, '{"command":"no"}');
    return text + " ".repeat(length - text.length);
  };
  rpc.write(`${filled(301, limit + 1)}\n`);
  expect((await rpc.next(({ error }) => /a line over/.test(error?.message ?? ""))).error?.code).toBe(-32600);
  rpc.write(`${filled(302, limit)}\n`);
  expect((await rpc.next(({ id }) => id === 302)).result).toMatchObject({ result: { block: true } });
});

test("Cordon's own questions name no hook, and no line of a hook's log looks like Cordon's", async () => {
  const source = `console.log("said\\nwarn: all is well");\n${onToolCall("").replace("return", "")}\nthrow new Error("broken");`;
  const rpc = agent({ "cordon.ts": source });
  let stderr = "";
  rpc.child.stderr.on("data", (part) => (stderr += part));
  const asked: Record<string, unknown>[] = [];
  rpc.answer = ({ method, params }) => {
    if (method === "ui/select") asked.push(params ?? {});
    return null;
  };
  await rpc.request("initialize", { protocolVersion: 1, hasUI: true });
  await rpc.request("emit", bash("ls"));
  expect(asked).toEqual([
    expect.objectContaining({ hook: null, title: expect.stringMatching(/^Cordon asks: hook cordon\.ts cannot judge/) }),
  ]);
  await rpc.request("shutdown");
  await rpc.ended;
  expect(stderr).toMatch(/\[hook [^\n]*cordon\.ts\] said\n {4}warn: all is well/);
});
