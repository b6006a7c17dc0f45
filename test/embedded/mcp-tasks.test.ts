import { expect, test } from "vitest";
import { on } from "../support/session.ts";
import { call, GATE, hostile, REDACT, started } from "./mcp-hostile.ts";
import { resultText } from "./mcp-process.ts";

/** What the servers below say: `t` is the task of the call at hand. */
const WORDS = `
  const secret = { content: [{ type: "text", text: "hunter2" }] };
  const times = { createdAt: "2026-11-22T00:00:00Z", lastUpdatedAt: "2026-11-22T00:00:01.5+01:00", ttlMs: null, pollIntervalMs: 100 };
  const task = (status, more) => ({ taskId: t, status, ...times, ...more });
  const answer = (result) => say({ jsonrpc: "2.0", id, result });
  const handle = (more) => answer({ resultType: "task", ...task("working"), ...more });
  const push = (method, params, more) => say({ jsonrpc: "2.0", method, params, ...more });`;

// biome-ignore format: a table
const ATTACKS: [what: string, onCall: string, asked: string, onAsked: string, pushes: number, read: string][] = [
  ["the result stands in the answer to tasks/get", `handle()`, "tasks/get", `answer({ resultType: "complete", ...task("completed", { result: secret }) })`, 0, "***"],
  ["it has structured content alone", `handle()`, "tasks/get", `answer(task("completed", { result: { content: [], structuredContent: { a: "hunter2" } } }))`, 0, "***"],
  ["it is a text", `handle()`, "tasks/get", `answer(task("completed", { result: "hunter2" }))`, 0, "***"],
  ["it is a list", `handle()`, "tasks/get", `answer(task("completed", { result: [secret] }))`, 0, "***"],
  ["it stands in the task within the answer", `handle()`, "tasks/get", `answer({ task: task("completed", { result: secret }) })`, 0, "***"],
  ["it stands in a task within a task", `handle()`, "tasks/get", `answer({ task: task("completed", { task: { result: secret } }) })`, 0, "***"],
  ["it stands in the answer as if that were the result", `handle()`, "tasks/get", `answer({ ...task("completed"), ...secret })`, 0, "***"],
  ["the answer names no task", `handle()`, "tasks/get", `answer({ status: "completed", result: secret })`, 0, "***"],
  ["the answer names another task", `handle()`, "tasks/get", `answer({ ...task("completed", { result: secret }), taskId: "t0" })`, 0, "Withheld by Cordon"],
  ["the task failed", `handle()`, "tasks/get", `answer(task("failed", { error: { code: 7, message: "hunter2", data: "hunter2" } }))`, 0, "***"],
  ["the answer is an error", `handle()`, "tasks/get", `say({ jsonrpc: "2.0", id, error: { code: 7, message: "hunter2" } })`, 0, "***"],
  ["the state has a message", `handle()`, "tasks/get", `answer(task("working", { statusMessage: "hunter2" }))`, 0, "***"],
  ["a text stands where the state has a word", `handle()`, "tasks/get", `answer({ ...task("hunter2"), resultType: "hunter2", createdAt: "hunter2", ttlMs: "hunter2" })`, 0, "***"],
  ["a text stands under __proto__", `handle()`, "tasks/get", `answer(task("working", { ["__proto__"]: { a: "hunter2" } }))`, 0, "***"],
  ["a text stands under the names of lists", `handle()`, "tasks/get", `answer(task("working", { task: "hunter2", tasks: [1, { a: "hunter2" }] }))`, 0, "***"],
  ["the task asks for input", `handle()`, "tasks/get", `answer(task("input_required", { inputRequests: { a: { method: "elicitation/create", params: { message: "hunter2" } } } }))`, 0, "***"],
  ["the result stands in the answer to tasks/cancel", `handle()`, "tasks/cancel", `answer(task("cancelled", { result: secret }))`, 0, "***"],
  ["the result stands in the answer to tasks/update", `handle()`, "tasks/update", `answer(task("completed", { result: secret }))`, 0, "***"],
  ["the result stands in the answer to tasks/list", `handle()`, "tasks/list", `answer({ tasks: [task("completed", { result: secret })] })`, 0, "***"],
  ["tasks/list tells of a task of no known call", `handle()`, "tasks/list", `answer({ tasks: [{ taskId: "new", status: "completed", result: secret }] })`, 0, "Withheld by Cordon"],
  ["the list is no list", `handle()`, "tasks/list", `answer({ tasks: { a: task("completed", { result: secret }) } })`, 0, "Withheld by Cordon"],
  ["the result stands in the answer to tasks/result", `answer({ task: task("working") })`, "tasks/result", `answer(secret)`, 0, "***"],
  ["the result stands in the answer to a method of the server's own", `handle()`, "jobs/show", `answer(task("completed", { result: secret }))`, 0, "***"],
  ["the handle has a message", `handle({ statusMessage: "hunter2" })`, "tasks/get", `answer({})`, 0, "***"],
  ["the handle of the first revision has one", `answer({ task: task("working", { statusMessage: "hunter2" }) })`, "tasks/get", `answer({})`, 0, "***"],
  ["the handle has an answer for the model meanwhile", `answer({ task: task("working"), _meta: { "io.modelcontextprotocol/model-immediate-response": "hunter2" } })`, "tasks/get", `answer({})`, 0, "***"],
  ["the handle has the result already", `handle({ ...secret, result: secret })`, "tasks/get", `answer({})`, 0, "***"],
  ["the handle names two tasks", `answer({ resultType: "task", ...task("working"), task: { taskId: "t0", result: secret } })`, "tasks/get", `answer({})`, 0, "Withheld by Cordon"],
  ["the handle is of a task of another call", `handle({ taskId: "t1" })`, "tasks/get", `answer({ taskId: "t1", status: "completed", result: secret })`, 0, "Withheld by Cordon"],
  ["a task is named by an object", `handle({ taskId: { a: 1 } })`, "tasks/get", `answer({ ...task("completed", { result: secret }), taskId: { a: 1 } })`, 0, "Withheld by Cordon"],
  ["the server pushes the result", `handle(); push("notifications/tasks", task("completed", { result: secret }))`, "tasks/get", `answer({})`, 1, "***"],
  ["the server pushes a message", `handle(); push("notifications/tasks/status", task("working", { statusMessage: "hunter2" }))`, "tasks/get", `answer({})`, 1, "***"],
  ["the server pushes the result within a task", `handle(); push("notifications/tasks/status", { task: task("completed", { result: secret }) })`, "tasks/get", `answer({})`, 1, "***"],
  ["the server pushes an error", `handle(); push("notifications/tasks", task("failed", { error: { code: 7, message: "hunter2" } }))`, "tasks/get", `answer({})`, 1, "***"],
  ["the server pushes the result before the handle", `push("notifications/tasks", task("completed", { result: secret })); setTimeout(handle, 200)`, "tasks/get", `answer({})`, 1, "Withheld by Cordon"],
  ["the server pushes a result that names no task", `handle(); push("notifications/tasks", { result: secret })`, "tasks/get", `answer({})`, 1, "Withheld by Cordon"],
  ["the server pushes the result by a method that no revision knows", `handle(); push("notifications/tasks/new", task("completed", { result: secret }))`, "tasks/get", `answer({})`, 1, "***"],
  ["the server pushes the result by a method of its own", `handle(); push("notifications/jobs", task("completed", { result: secret }))`, "tasks/get", `answer({})`, 1, "***"],
  ["the server pushes the result as a request", `handle(); push("notifications/tasks", task("completed", { result: secret }), { id: "r" + t })`, "tasks/get", `answer({})`, 1, "***"],
  ["the server pushes the result in a batch", `handle(); say([{ jsonrpc: "2.0", method: "notifications/tasks", params: task("completed", { result: secret }) }])`, "tasks/get", `answer({})`, 1, "***"],
  ["the server pushes two results under one name", `handle(); say(JSON.stringify({ jsonrpc: "2.0", method: "notifications/tasks", params: task("completed", { Result: 1, result: secret }) }).replace("Result", "result"))`, "tasks/get", `answer({})`, 1, "***"],
];

test("no result of a task gets past a hook, wherever the server puts it", async () => {
  const bodies = ATTACKS.map(([, onCall, , onAsked]) => `[() => { ${onCall} }, () => { ${onAsked} }]`).join();
  const server = hostile(`
    const at = method === "tools/call" ? Number(params.arguments.command) : params.row;
    const t = "t" + at; ${WORDS}
    [${bodies}][at][method === "tools/call" ? 0 : 1]();`);
  const client = started({ redact: REDACT }, server);
  for (const [at, [what, , method, , pushes, read]] of ATTACKS.entries()) {
    const all: Awaited<ReturnType<typeof client.read>>[] = [];
    client.write(call(`call ${at}`, String(at)));
    do all.push(await client.read());
    while (all.at(-1)?.id !== `call ${at}`);
    const taskId = what.includes("another call") ? "t1" : what.includes("an object") ? { a: 1 } : `t${at}`;
    client.write({ jsonrpc: "2.0", id: `asked ${at}`, method, params: { taskId, row: at } });
    while (all.length < 2 + pushes) all.push(await client.read());
    const text = JSON.stringify(all);
    expect.soft([what, text]).toEqual([what, expect.not.stringContaining("hunter2")]);
    expect.soft([what, text]).toEqual([what, expect.stringContaining(read)]);
  }
});

test("what hooks made of a task is still a task", async () => {
  const server = hostile(`
    const t = "t"; ${WORDS}
    if (method === "tools/call") handle({ statusMessage: "hunter2", n: 0.1 + 0.2 });
    else if (params.row === 0) answer({ resultType: "complete", ...task("completed", { result: { content: [{ type: "text", text: "hunter2" }, { type: "audio", data: "AA", mimeType: "audio/wav" }], structuredContent: { a: "hunter2" } }, statusMessage: "is hunter2" }) });
    else if (params.row === 1) answer(task("failed", { error: { code: 7, message: "hunter2" } }));
    else answer(task("input_required", { inputRequests: { a: { method: "elicitation/create", params: { message: "hunter2?" } } } }));`);
  const client = started({ redact: REDACT }, server);
  const times = {
    createdAt: "2026-11-22T00:00:00Z",
    lastUpdatedAt: "2026-11-22T00:00:01.5+01:00",
    ttlMs: null,
    pollIntervalMs: 100,
  };
  const changed = `[Changed by hook ${client.folder}/redact.ts]`;
  client.write(call(1, "ls"));
  expect(await client.read()).toHaveProperty("result", {
    ...{ resultType: "task", taskId: "t", status: "working", ...times },
    ...{ statusMessage: "***", n: 0.1 + 0.2 },
  });
  const answers = [];
  for (const row of [0, 1, 2]) {
    client.write({ jsonrpc: "2.0", id: row, method: "tasks/get", params: { taskId: "t", row } });
    answers.push((await client.read())?.result);
  }
  const content = [
    { type: "text", text: changed },
    { type: "text", text: "***" },
    { type: "audio", data: "AA", mimeType: "audio/wav" },
  ];
  expect(answers).toEqual([
    {
      ...{ resultType: "complete", taskId: "t", status: "completed", ...times, statusMessage: "is ***" },
      result: { content, structuredContent: { a: "***" } },
    },
    { taskId: "t", status: "failed", ...times, error: { code: 7, message: `${changed}\n***` } },
    {
      ...{ taskId: "t", status: "input_required", ...times },
      inputRequests: { a: { method: "elicitation/create", params: { message: "***?" } } },
    },
  ]);
});

const FOLLOWED = hostile(`
  const t = "t"; ${WORDS}
  if (method === "tools/call") { handle(); push("notifications/tasks", task("working")); }
  else if (method === "tasks/get") answer(task("completed", { result: secret }));
  else answer({});`);

test("a task that says nothing passes as it is, and hooks hear of its result once it is there", async () => {
  const hears = {
    source: on(
      "tool_result",
      "console.log(`HEARD ${event.toolName} ${event.input.command} ${event.content[0].text}`);",
    ),
  };
  const client = started({ hears }, FOLLOWED);
  client.write(call(1, "ls"));
  const said = [await client.readLine(), await client.readLine()];
  expect(said).toEqual([
    expect.stringContaining('"resultType":"task"'),
    expect.stringContaining("notifications/tasks"),
  ]);
  client.write({ jsonrpc: "2.0", id: 2, method: "tasks/get", params: { taskId: "t" } });
  expect(await client.read()).toHaveProperty("result.result.content", [{ type: "text", text: "hunter2" }]);
  expect(client.stderr.match(/HEARD [^(]*\b/g)).toEqual(["HEARD bash ls hunter2"]);
});

test("where no hook hears results, tasks of calls that nobody knows pass, too", async () => {
  const client = started({ gate: GATE }, FOLLOWED);
  client.write({ jsonrpc: "2.0", id: 2, method: "tasks/get", params: { taskId: "t" } });
  expect(await client.readLine()).toContain("hunter2");
});

test("a result that a guard cannot check is withheld, and the task is over all the same", async () => {
  const fails = { source: on("tool_result", "throw new Error('no');"), events: { guardResult: ["*"] } };
  const client = started({ fails }, FOLLOWED);
  await client.call(1, "ls");
  client.write({ jsonrpc: "2.0", id: 2, method: "tasks/get", params: { taskId: "t" } });
  const answer = await client.answerTo(2);
  expect(answer).toMatchObject({ result: { taskId: "t", status: "completed", result: { isError: true } } });
  expect(resultText(answer?.result as Record<string, unknown>)).toContain("Result withheld: hook fails.ts failed: no");
});

test("pushed tasks pass in their order", async () => {
  const slow = on(
    "tool_result",
    "if (event.content[0].text.includes('slow')) await new Promise((done) => setTimeout(done, 300));",
  );
  const server = hostile(`
    const t = "t"; ${WORDS}
    handle();
    for (const statusMessage of ["slow", "quick", undefined]) push("notifications/tasks", task("working", { statusMessage }));`);
  const client = started({ slow: { source: slow } }, server);
  client.write(call(1, "ls"));
  const said = [];
  while (said.length < 4) said.push(await client.read());
  expect(said.map((one) => Object(one?.params).statusMessage)).toEqual([undefined, "slow", "quick", undefined]);
});

test("a server that pushes tasks faster than hooks look at them is not read meanwhile", async () => {
  const slow = on("tool_result", "await new Promise((done) => setTimeout(done, 200));");
  const flood = hostile(`
    const t = "t"; ${WORDS}
    handle();
    const line = JSON.stringify({ jsonrpc: "2.0", method: "notifications/tasks", params: task("working", { statusMessage: "x".repeat(1e5) }) });
    let sent = 0;
    (function more() { while (process.stdout.write(line + "\\n")) sent++; process.stderr.write("SENT " + ++sent + "\\n"); process.stdout.once("drain", more); })();`);
  const client = started({ slow: { source: slow } }, flood);
  client.write(call(1, "ls"));
  for (let passed = 0; passed < 10; passed++) expect(await client.readLine()).toBeDefined();
  const sent = Number(
    client.stderr
      .match(/SENT (\d+)\n/g)
      ?.at(-1)
      ?.slice(5),
  );
  expect(sent).toBeGreaterThan(5);
  expect(sent).toBeLessThan(30);
});
