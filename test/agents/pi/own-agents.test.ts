import { globSync, readFileSync } from "node:fs";
import { describe, expect, onTestFinished, test } from "vitest";
import { needs } from "../../support/needs.ts";
import { temporaryFolder } from "../../support/session.ts";
import { installPi, lacksNamespace, PI_VERSIONS, type PiVersion } from "./install.ts";
import type { Turn } from "./model-server.ts";
import { Scene } from "./scene.ts";
import { contained, piWith } from "./scenes.ts";
import type { PiLine, SceneOptions } from "./world.ts";

const bash = (command: string): Turn => ({ calls: [{ name: "bash", args: { command } }] });

/** An extension whose command `ask` has an agent of its own, and tells in a session's entry what came of it. */
const ASKS = (body: string, options: string): string => `
import { createAgentSession, DefaultResourceLoader, SessionManager } from "@earendil-works/pi-coding-agent";
export default (pi: any) => {
  pi.registerCommand("ask", { handler: async (args: string, ctx: any) => {
    let said: unknown;
    try {
      const { session } = await createAgentSession({ sessionManager: SessionManager.inMemory(), model: ctx.model, thinkingLevel: "off", ...${options} });
      ${body}
      session.dispose();
    } catch (error: any) { said = "failed: " + error.message; }
    pi.appendEntry("said", said);
    ctx.ui.notify("said");
  } });
};`;

const PROMPTED = `const heard: unknown[] = [];
  session.subscribe((event: any) => heard.push(event.type === "message_end" ? event.type + " " + event.message.role : event.type === "tool_execution_end" ? event.type + " " + event.isError : event.type));
  await session.prompt(args, { source: "extension" });
  const texts = session.messages.filter((m: any) => m.role !== "system").map((m: any) => [m.role, (m.content.find?.((part: any) => part.type === "text")?.text ?? "").trim()]);
  said = [heard.filter((one) => !String(one).includes("update") && !String(one).includes("_start")), texts, session.getLastAssistantText()];`;

const POWERS = { commands: ["ask"], agent: ["appendEntry"], ui: ["notify"] };
const saidIn = (scene: Scene): unknown => scene.entries.findLast(({ customType }) => customType === "said")?.data;

async function plainPi(source: string, options: Omit<SceneOptions, "folder" | "extensions">): Promise<Scene> {
  const scene = await Scene.start({ ...options, folder: temporaryFolder(), extensions: { asks: source } });
  onTestFinished(async () => {
    await scene.end();
  });
  return scene;
}

/** What the model got, without what is made up anew. */
const requestsOf = (scene: Scene): unknown =>
  withoutFolders(
    scene,
    scene.requests.map(({ messages, tools }) => ({ messages, tools })),
  );

const withoutFolders = ({ work, home }: Scene, value: unknown): unknown =>
  JSON.parse(JSON.stringify(value).replaceAll(work, "WORK").replaceAll(home, "HOME"));

/** The scene after its command was done. pi keeps a session once a model answered in it. */
async function asked(scene: Scene): Promise<Scene> {
  await scene.idle();
  await scene.send({ type: "prompt", message: "/ask do it" });
  await scene.until(({ method, message }) => method === "notify" && String(message).includes("said"));
  await scene.prompt("go");
  await scene.end();
  return scene;
}

interface Same {
  claim: string;
  options: string;
  body?: string;
  agents: object;
  turns: Turn[];
  files?: Record<string, string>;
}

// biome-ignore format: a table
const SAME: Same[] = [
  { claim: "an agent that calls a tool, and answers", options: `{ tools: ["read", "bash"] }`, agents: { tools: ["read", "bash"] },
    turns: [bash("echo made > made.txt"), { text: "It is made." }] },
  { claim: "a tool that fails", options: `{ tools: ["read"] }`, agents: { tools: ["read"] },
    turns: [{ calls: [{ name: "read", args: { path: "no.txt" } }] }, { text: "It is not there." }] },
  { claim: "a tool that the agent has not", options: `{ tools: ["read"] }`, agents: { tools: ["read"] }, turns: [bash("echo x > x.txt"), { text: "No." }] },
  { claim: "instructions of the hook's, and no files", options: `{ tools: [], resourceLoader: loader }`, agents: { tools: [] }, turns: [{ text: "Short." }],
    files: { "work/AGENTS.md": "Speak Latin." } },
  { claim: "the project's own instructions", options: `{ tools: ["read"] }`, agents: { tools: ["read"] }, turns: [{ text: "Salve." }], files: { "work/AGENTS.md": "Speak Latin." } },
  { claim: "a tool of the extension's own", options: `{ tools: ["look"], customTools: [look] }`, agents: { tools: [] },
    turns: [{ calls: [{ name: "look", args: { at: "the sky" } }] }, { text: "Blue." }] },
  { claim: "a tool of the extension's own in the place of pi's", options: `{ tools: ["bash"], customTools: [{ ...look, name: "bash", parameters: { type: "object", properties: { command: { type: "string" } } } }] }`, agents: { tools: ["bash"] },
    turns: [bash("echo real > real.txt"), { text: "So." }] },
  { claim: "two prompts, and messages between them", options: `{ tools: [] }`, agents: { tools: [] }, turns: [{ text: "One." }, { text: "Two." }],
    body: `await session.prompt("first"); session.agent.state.messages = session.messages.filter((m: any) => m.role !== "assistant"); ${PROMPTED}` },
];

const LOADED = `
const look = { name: "look", label: "Look", description: "Looks", parameters: { type: "object", properties: { at: { type: "string" } }, required: ["at"] },
  async execute(id: string, { at }: any) { return { content: [{ type: "text", text: "saw " + at }], details: {} }; } };
const loader = new DefaultResourceLoader({ cwd: process.cwd(), agentDir: process.cwd(), noExtensions: true, noSkills: true, noPromptTemplates: true, noThemes: true,
  noContextFiles: true, systemPromptOverride: () => "Answer in one word.", appendSystemPromptOverride: () => ["Really."] });
await loader.reload();`;

describe("agents of an extension's own within pi", needs(lacksNamespace()), () => {
  const versions = PI_VERSIONS.flatMap((version) =>
    SAME.map((one): [string, PiVersion, Same] => [one.claim, version, one]),
  );

  test.each(versions)("as without Cordon: %s, in %s", async (_claim, version, one) => {
    const source = ASKS(one.body ?? PROMPTED, one.options).replace(
      "let said: unknown;",
      `let said: unknown; ${LOADED}`,
    );
    const options = { version, mode: "rpc", turns: one.turns, files: one.files ?? {}, args: ["--approve"] } as const;
    const plain = await asked(await plainPi(source, options));
    const hooks = { asks: { source, capabilities: { ...POWERS, agents: [one.agents] } } };
    const inside = await asked(await piWith(hooks, options));
    expect(saidIn(plain)).toBeDefined();
    expect(plain.requests.length).toBe(one.turns.length + 1);
    expect(withoutFolders(inside, saidIn(inside))).toEqual(withoutFolders(plain, saidIn(plain)));
    expect(requestsOf(inside)).toEqual(requestsOf(plain));
  });

  test.each(PI_VERSIONS)(
    "a gate judges its calls, what it made of them runs, and its results are guarded, in %s",
    async (version) => {
      const gate = `export default (pi: any) => {
      pi.on("tool_call", (event: any) => {
        if (event.input.command === "echo bad") return { block: true, reason: "not that" };
        if (event.toolName === "bash") event.input.command = "echo other";
      });
      pi.on("tool_result", (event: any) => event.isError ? undefined : { content: [{ type: "text", text: "redacted " + event.content[0].text.trim() }] });
    };`;
      const see = { see: ["tool_call", "tool_result"], block: true, rewriteInput: ["bash"], rewriteResult: ["bash"] };
      const { extension, files } = contained({
        asks: {
          source: ASKS(PROMPTED, `{ tools: ["bash"] }`),
          capabilities: { ...POWERS, agents: [{ tools: ["bash"] }] },
        },
        gate: { source: gate, capabilities: { events: see } },
      });
      const scene = await Scene.start({
        version,
        mode: "rpc",
        folder: temporaryFolder(),
        files,
        extensions: { cordon: extension },
        turns: [bash("echo bad"), bash("echo good"), { text: "So." }],
      });
      await asked(scene);
      const results = (scene.requests[2]?.messages ?? []).filter(({ role }: PiLine) => role === "tool");
      expect(JSON.stringify(results[0])).toContain("Blocked by hook gate: not that");
      expect(JSON.stringify(results[1])).toContain("redacted other");
      expect(audited(scene)).toEqual(["block", "allowed"]);
    },
  );

  // biome-ignore format: a table
  const REFUSED: [claim: string, agents: unknown, options: string, said: RegExp][] = [
    ["more tools than were granted", [{ tools: ["read"] }], `{ tools: ["read", "bash"] }`, /failed: .*not granted agents/],
    ["no grant", undefined, `{ tools: [] }`, /failed: .*not granted agents/],
    ["another model without its provider", [{ tools: [] }], `{ tools: [], model: { provider: "openai", id: "gpt-5.2" } }`, /failed: .*not granted agents/],
    ["a model that pi does not know", [{ tools: [], models: ["nobody"] }], `{ tools: [], model: { provider: "nobody", id: "x" } }`, /failed: .*does not know the model/],
  ];

  test.each(REFUSED)("refused: %s", async (_claim, agents, options, said) => {
    const capabilities = { ...POWERS, ...(agents === undefined ? {} : { agents }) };
    const scene = await piWith(
      { asks: { source: ASKS(PROMPTED, options), capabilities } },
      { version: "1.5.2", mode: "rpc", answer: () => ({ value: "Deny" }) },
    );
    await asked(scene);
    expect(saidIn(scene)).toMatch(said);
    expect(scene.requests).toHaveLength(1);
  });

  test.each(PI_VERSIONS)("a text that names a file, a command or a skill is a text, in %s", async (version) => {
    const secret = "HOME/secret.txt";
    const options = `{ tools: [], resourceLoader: { getSystemPrompt: () => SECRET, getAppendSystemPrompt: () => [SECRET], getAgentsFiles: () => ({ agentsFiles: [] }),
      getSkills: () => ({ skills: [{ name: "steal", description: "x", filePath: SECRET }], diagnostics: [] }) } }`;
    const source = ASKS(
      `await session.prompt("/skill:steal now"); await session.prompt("/ask again"); said = "done";`,
      options,
    ).replace("export default", `const SECRET = ${JSON.stringify(secret)};\nexport default`);
    const folder = temporaryFolder();
    const { extension, files } = contained({
      asks: {
        source: source.replaceAll("HOME", `${folder}/home`),
        capabilities: { ...POWERS, agents: [{ tools: [] }] },
      },
    });
    const scene = await Scene.start({
      version,
      mode: "rpc",
      folder,
      extensions: { cordon: extension },
      files: { ...files, "home/secret.txt": "the-secret" },
    });
    await asked(scene);
    expect(saidIn(scene)).toBe("done");
    expect(scene.requests).toHaveLength(3);
    const sent = JSON.stringify(scene.requests);
    expect(sent).not.toContain("the-secret");
    expect(sent).toContain("/skill:steal now");
  });

  test.each(PI_VERSIONS)("the folder of pi's own files is that of the pi that runs, in %s", async (version) => {
    const source = `import { getPackageDir } from "@earendil-works/pi-coding-agent";
      export default (pi: any) => pi.on("agent_end", () => { console.log("at " + getPackageDir() + "."); });`;
    const capabilities = { events: { see: ["agent_end"] }, agent: ["packageDir"] };
    const scene = await piWith({ asks: { source, capabilities } }, { version, mode: "print", prompt: "go" });
    expect(await scene.end()).toBe(0);
    expect(scene.stderr).toContain(`at ${(await installPi(version)).folder}.`);
  });

  test.each(PI_VERSIONS)(
    "a hook that dies takes its agent with it: it asks the model no more, in %s",
    async (version) => {
      const source = ASKS(
        `void session.prompt("x"); await new Promise((resolve) => setTimeout(resolve, 800)); for (;;) {}`,
        `{ tools: ["bash"] }`,
      );
      const turns = Array.from({ length: 100 }, (_, at): Turn => ({ ...bash(`echo ${at} >> steps.txt`), waitMs: 200 }));
      const hooks = { asks: { source, capabilities: { ...POWERS, agents: [{ tools: ["bash"] }] } } };
      const scene = await piWith(hooks, { version, mode: "rpc", turns });
      await scene.idle();
      await scene.send({ type: "prompt", message: "/ask do it" });
      await scene.until(({ method, message }) => method === "notify" && /asks/.test(String(message)));
      const { length } = scene.requests;
      expect(length).toBeGreaterThan(1);
      await new Promise((resolve) => setTimeout(resolve, 2000));
      expect(scene.requests).toHaveLength(length);
    },
  );
});

/** What became of the calls of the hook's agent, as Cordon has it on record. */
const audited = ({ home }: Scene): unknown[] =>
  globSync(`${home}/.cordon/audit/**/*.jsonl`)
    .flatMap((file) => readFileSync(file, "utf8").trim().split("\n"))
    .map((line): PiLine => JSON.parse(line))
    .filter(({ hook, capability }) => hook === "asks" && capability === "agents.tool")
    .map(({ outcome }) => outcome);
