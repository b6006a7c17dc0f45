import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createBashTool, createReadTool, createWriteTool } from "@mariozechner/pi-coding-agent";
import { HookRunner, loadHooks, wrapToolsWithHooks as wrapAsPi } from "@mariozechner/pi-coding-agent/hooks";
import { describe, expect, onTestFinished, test } from "vitest";
import { HookHost, wrapToolsWithHooks } from "../../src/index.ts";
import { temporaryFolder, writeFiles } from "../support/session.ts";
import { FULL } from "./compare.ts";
import { hook } from "./events.ts";

interface Tool {
  name: string;
  execute(
    id: string,
    params: Record<string, unknown>,
    signal?: AbortSignal,
    onUpdate?: (partial: unknown) => void,
  ): Promise<unknown>;
}

/** pi's own tools at work in one folder. */
const toolsIn = (cwd: string): Tool[] =>
  [createBashTool(cwd), createReadTool(cwd), createWriteTool(cwd)] as unknown as Tool[];

/** The result of a call: the output that the model gets, or the error. */
type Came = { output: unknown } | { error: string };

interface Wrapped {
  cwd: string;
  run(name: string, params: Record<string, unknown>, onUpdate?: (partial: unknown) => void): Promise<Came>;
}

async function wrapBoth(source: string, id = "wrapper"): Promise<{ pi: Wrapped; cordon: Wrapped }> {
  const folder = temporaryFolder();
  writeFiles(folder, { [`${id}.ts`]: source });
  const path = join(folder, `${id}.ts`);
  const place = (name: string): string => {
    mkdirSync(join(folder, name));
    return join(folder, name);
  };
  const [piCwd, cordonCwd] = [place("pi"), place("cordon")];
  const runner = new HookRunner((await loadHooks([path], piCwd)).hooks, piCwd);
  const host = await HookHost.start({
    spare: false,
    cwd: cordonCwd,
    home: join(folder, "home"),
    discover: false,
    hooks: [{ path, id, grant: { capabilities: FULL } }],
    log: () => {},
  });
  onTestFinished(() => host.close());
  return {
    pi: running(piCwd, wrapAsPi(toolsIn(piCwd) as never, runner) as unknown as Tool[]),
    cordon: running(cordonCwd, wrapToolsWithHooks(toolsIn(cordonCwd) as never, host) as unknown as Tool[]),
  };
}

const running = (cwd: string, tools: Tool[]): Wrapped => ({
  cwd,
  async run(name, params, onUpdate) {
    const tool = tools.find((candidate) => candidate.name === name) as Tool;
    try {
      return JSON.parse(
        JSON.stringify({ output: await tool.execute("call-1", params, undefined, onUpdate) }).replaceAll(cwd, "<cwd>"),
      );
    } catch (error) {
      return { error: (error as Error).message.replaceAll(cwd, "<cwd>") };
    }
  },
});

const said = (text: string) => [{ type: "text", text }];

describe("the same tools, wrapped by pi and by Cordon", () => {
  test("without a hook's verdict, every output and error is the tool's own", async () => {
    const { pi, cordon } = await wrapBoth(
      hook([
        ["tool_call", ""],
        ["tool_result", ""],
      ]),
    );
    for (const [name, params] of [
      ["bash", { command: "echo out; echo err >&2" }],
      ["bash", { command: "echo partly; exit 3" }],
      ["write", { path: "a/b.txt", content: "ü\n" }],
      ["read", { path: "a/b.txt" }],
      ["read", { path: "missing.txt" }],
      ["bash", { command: "seq 5000" }],
    ] as const) {
      const [expected, given] = [await pi.run(name, params), await cordon.run(name, params)];
      expect(withoutTemporary(given)).toEqual(withoutTemporary(expected));
    }
    expect(await cordon.run("bash", { command: "exit 3" })).toMatchObject({ error: expect.stringContaining("3") });
  });

  test("progress of a running tool reaches the agent", async () => {
    const { pi, cordon } = await wrapBoth(
      hook([
        ["tool_call", ""],
        ["tool_result", ""],
      ]),
    );
    for (const { run } of [pi, cordon]) {
      const partial: unknown[] = [];
      await run("bash", { command: "echo one" }, (update) => partial.push(update));
      expect(JSON.stringify(partial.at(-1))).toContain("one");
    }
  });

  test("a hook's change runs, and a tool without a hook's verdict is not affected", async () => {
    const { pi, cordon } = await wrapBoth(
      hook([["tool_call", 'if (event.toolName === "write") event.input.content = event.input.content.toUpperCase();']]),
    );
    for (const { run, cwd } of [pi, cordon]) {
      expect(await run("write", { path: "x.txt", content: "quiet" })).toHaveProperty("output");
      expect(readFileSync(join(cwd, "x.txt"), "utf8")).toBe("QUIET");
    }
    expect(await cordon.run("bash", { command: "cat x.txt" })).toEqual(await pi.run("bash", { command: "cat x.txt" }));
  });

  test("a hook can replace only the details, and other fields of the output stay the wrapper's", async () => {
    const { pi, cordon } = await wrapBoth(hook([["tool_result", "return { details: { lines: 1 } };"]]));
    const params = { command: "echo x" };
    expect(await pi.run("bash", params)).toEqual({ output: { content: said("x\n"), details: { lines: 1 } } });
    expect(await cordon.run("bash", params)).toMatchObject({ output: { details: { lines: 1 } } });
  });
});

/** Where the wrappers differ on purpose. */
const DIFFERENCES: {
  name: string;
  rule: string;
  source: string;
  call: [string, Record<string, unknown>];
  pi: Came;
  cordon: Came;
  runs: boolean;
}[] = [
  {
    name: "a block's reason names its hook",
    rule: "the model reads which hook blocked: `Blocked by hook <id>: <reason>`",
    source: hook([["tool_call", 'return { block: true, reason: "not today" };']]),
    call: ["bash", { command: "touch ran" }],
    pi: { error: "not today" },
    cordon: { error: "Blocked by hook wrapper: not today" },
    runs: false,
  },
  {
    name: "so does the default reason",
    rule: "pi's default reason is `Tool execution was blocked by a hook`",
    source: hook([["tool_call", "return { block: true };"]]),
    call: ["bash", { command: "touch ran" }],
    pi: { error: "Tool execution was blocked by a hook" },
    cordon: { error: "Blocked by hook wrapper: Tool execution was blocked by a hook" },
    runs: false,
  },
  {
    name: "so does a throw",
    rule: "a throw in tool_call blocks: an Error's own message, otherwise `Hook failed, blocking execution: <text>`",
    source: hook([["tool_call", 'throw "a text";']]),
    call: ["bash", { command: "touch ran" }],
    pi: { error: "Hook failed, blocking execution: a text" },
    cordon: { error: "Blocked by hook wrapper: Hook failed, blocking execution: a text" },
    runs: false,
  },
  {
    name: "a changed result names its hook",
    rule: "hook text that reaches the model is stripped, capped and framed as untrusted text of its hook",
    source: hook([["tool_result", 'return { content: [{ type: "text", text: "hidden" }] };']]),
    call: ["bash", { command: "touch ran; echo secret" }],
    pi: { output: { content: said("hidden") } },
    cordon: { output: { content: [...said("[Changed by hook wrapper]"), ...said("hidden")] } },
    runs: true,
  },
  {
    name: "hooks hear a failing tool's result, and may change it",
    rule: "tool_result never fires for a failing tool in pi 0.27.9, and does with `isError: true` in later pi, which Cordon follows",
    source: hook([
      ["tool_result", 'if (event.isError) return { content: [{ type: "text", text: "it is fine" }], isError: false };'],
    ]),
    call: ["bash", { command: "touch ran; echo partly; exit 3" }],
    pi: { error: "partly\n\n\nCommand exited with code 3" },
    cordon: { output: { content: [...said("[Changed by hook wrapper]"), ...said("it is fine")] } },
    runs: true,
  },
  {
    name: "a hook can turn a result into an error",
    rule: "a tool_result may give `isError`, as in later pi; the wrapper of 0.27.9 drops it",
    source: hook([["tool_result", "return { isError: true };"]]),
    call: ["bash", { command: "touch ran; echo out" }],
    pi: { output: { content: said("out\n") } },
    cordon: { error: "[Changed by hook wrapper]\nout\n" },
    runs: true,
  },
];

describe("the wrappers differ on purpose", () => {
  test.each(DIFFERENCES)("$name ($rule)", async ({ source, call, pi, cordon, runs }) => {
    const wrapped = await wrapBoth(source);
    expect(await wrapped.pi.run(...call)).toEqual(pi);
    expect(await wrapped.cordon.run(...call)).toEqual(cordon);
    expect([existsSync(join(wrapped.pi.cwd, "ran")), existsSync(join(wrapped.cordon.cwd, "ran"))]).toEqual([
      runs,
      runs,
    ]);
  });

  // Hooks see one plain copy of the input, and that copy is executed.
  test("the agent's own input object is not changed by a hook, in pi it is", async () => {
    const { pi, cordon } = await wrapBoth(hook([["tool_call", 'event.input.command = "echo changed";']]));
    const [toPi, toCordon] = [{ command: "echo same" }, { command: "echo same" }];
    expect(await cordon.run("bash", toCordon)).toEqual(await pi.run("bash", toPi));
    expect([toPi.command, toCordon.command]).toEqual(["echo changed", "echo same"]);
  });
});

/** pi's bash tool keeps long output in a file with a random name. */
const withoutTemporary = (came: Came): unknown =>
  JSON.parse(JSON.stringify(came).replace(/[^"\s]*pi-bash-[0-9a-f]+\.log/g, "<log>"));
