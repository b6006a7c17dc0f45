import { type ChildProcess, execFile, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { entryPath, install, type Place, planOfInstall } from "../../../src/agents/setup/install.ts";
import { SETUPS } from "../../../src/agents/setup/setups.ts";
import { readIfThere } from "../../../src/disk/atomic-file.ts";
import { writeFiles } from "../../support/session.ts";
import { MODEL_PORT, type Protocol, type Turn } from "./model-servers.ts";

const run = promisify(execFile);
const MODEL = `http://127.0.0.1:${MODEL_PORT}`;

/** A published agent, and how it is used without a person. */
export interface RealAgent {
  /** As in `cordon install`. */
  name: string;
  package: string;
  version: string;
  /** Its program below `node_modules`; one that ends with `.js` is run by Node. */
  program: string;
  protocol: Protocol;
  args: readonly string[];
  env: Record<string, string>;
  /** Its settings in the person's home. */
  files?: Record<string, string>;
  shell: (command: string) => { name: string; args: object };
  read: (path: string) => { name: string; args: object };
  /** What the model was told of its calls, from the last request. */
  // biome-ignore lint/suspicious/noExplicitAny: requests of several providers
  results: (body: any) => unknown[];
  /** It puts hooks' questions to the person. */
  asks: boolean;
  /** What the model is told where nobody is there to ask, if not the question. */
  shows?: RegExp;
  /** Only one of its processes runs at a time. */
  alone?: true;
  /** Its run ends with a question, since nobody is there to answer. */
  endsAtQuestion?: boolean;
  /** It gives the model another text than a tool's. */
  replaces: boolean;
  /** It runs a call as hooks changed it. */
  rewrites: boolean;
  /** If a block ends its run: the file in the person's home that has the reason. */
  blockedIn?: string;
}

// biome-ignore lint/suspicious/noExplicitAny: requests of several providers
type Any = any;

export const REAL_AGENTS: RealAgent[] = [
  {
    name: "claude-code",
    package: "@anthropic-ai/claude-code",
    version: "2.1.330",
    program: "@anthropic-ai/claude-code-linux-x64/claude",
    protocol: "anthropic",
    args: ["-p", "go", "--allowedTools", "Bash", "Read"],
    env: {
      ANTHROPIC_BASE_URL: MODEL,
      ANTHROPIC_API_KEY: "dummy",
      DISABLE_AUTOUPDATER: "1",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    },
    shell: (command) => ({ name: "Bash", args: { command, description: "d" } }),
    read: (path) => ({ name: "Read", args: { file_path: path } }),
    results: ({ messages }) =>
      messages.flatMap((message: Any) =>
        Array.isArray(message.content) ? message.content.filter((part: Any) => part.type === "tool_result") : [],
      ),
    asks: true,
    replaces: true,
    rewrites: true,
  },
  {
    name: "codex",
    package: "@openai/codex",
    version: "0.169.0",
    program: "@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex",
    protocol: "responses",
    // A person would trust the entries in /hooks, which only the screen has.
    args: ["exec", "--dangerously-bypass-hook-trust", "--skip-git-repo-check", "go"],
    env: { OPENAI_API_KEY: "dummy" },
    files: {
      ".codex/config.toml": [
        'model = "gpt-5.2-codex"\nmodel_provider = "mock"\napproval_policy = "never"\nsandbox_mode = "danger-full-access"',
        `[model_providers.mock]\nname = "mock"\nbase_url = "${MODEL}/v1"\nwire_api = "responses"\nenv_key = "OPENAI_API_KEY"\n`,
      ].join("\n"),
    },
    shell: (command) => ({ name: "exec_command", args: { cmd: command } }),
    read: (path) => ({ name: "exec_command", args: { cmd: `cat ${path}` } }),
    results: ({ input }) => input.filter((item: Any) => item.type === "function_call_output"),
    asks: false,
    replaces: true,
    rewrites: true,
  },
  {
    name: "gemini-cli",
    package: "@google/gemini-cli",
    version: "0.61.0",
    program: "@google/gemini-cli/bundle/gemini.js",
    protocol: "gemini",
    args: ["--yolo", "--skip-trust", "-p", "go"],
    env: { GEMINI_API_KEY: "dummy", GOOGLE_GEMINI_BASE_URL: MODEL, GEMINI_CLI_NO_RELAUNCH: "true" },
    files: {
      ".gemini/settings.json": JSON.stringify({
        security: { auth: { selectedType: "gemini-api-key" } },
        general: { disableAutoUpdate: true },
      }),
    },
    shell: (command) => ({ name: "run_shell_command", args: { command } }),
    read: (path) => ({ name: "read_file", args: { file_path: path } }),
    results: ({ contents }) =>
      contents.flatMap((content: Any) => content.parts.filter((part: Any) => part.functionResponse)),
    asks: true,
    endsAtQuestion: true,
    replaces: true,
    rewrites: true,
  },
  {
    name: "qwen-code",
    package: "@qwen-code/qwen-code",
    version: "0.24.4",
    program: "@qwen-code/qwen-code/cli.js",
    protocol: "completions",
    args: ["--yolo", "-p", "go"],
    env: {
      OPENAI_API_KEY: "dummy",
      OPENAI_BASE_URL: `${MODEL}/v1`,
      OPENAI_MODEL: "mock",
      QWEN_CODE_NO_RELAUNCH: "true",
    },
    files: { ".qwen/settings.json": JSON.stringify({ security: { auth: { selectedType: "openai" } } }) },
    shell: (command) => ({ name: "run_shell_command", args: { command, is_background: false } }),
    read: (path) => ({ name: "read_file", args: { file_path: path } }),
    results: ({ messages }) => messages.filter((message: Any) => message.role === "tool"),
    asks: true,
    replaces: false,
    rewrites: false,
  },
  {
    name: "opencode",
    package: "opencode-ai",
    version: "1.18.33",
    program: "opencode-linux-x64/bin/opencode",
    protocol: "completions",
    args: ["run", "go"],
    env: { OPENCODE_DISABLE_MODELS_FETCH: "1" },
    files: {
      ".config/opencode/opencode.json": JSON.stringify({
        model: "mock/mock",
        small_model: "mock/mock",
        autoupdate: false,
        provider: {
          mock: {
            npm: "@ai-sdk/openai-compatible",
            options: { baseURL: `${MODEL}/v1`, apiKey: "dummy" },
            models: { mock: {} },
          },
        },
      }),
      // It fetches the types of plugins, and waits for that.
      ".npmrc": "fetch-retries=0\n",
    },
    shell: (command) => ({ name: "bash", args: { command, description: "d" } }),
    read: (path) => ({ name: "read", args: { filePath: path } }),
    results: ({ messages }) => messages.filter((message: Any) => message.role === "tool"),
    asks: false,
    replaces: true,
    rewrites: true,
  },
  {
    name: "copilot-cli",
    package: "@github/copilot",
    version: "1.0.102",
    program: "@github/copilot-linux-x64/copilot",
    protocol: "completions",
    args: ["-p", "go", "--allow-all-tools"],
    env: {
      COPILOT_PROVIDER_BASE_URL: `${MODEL}/v1`,
      COPILOT_PROVIDER_API_KEY: "dummy",
      COPILOT_MODEL: "mock",
      COPILOT_AUTO_UPDATE: "false",
    },
    shell: (command) => ({ name: "bash", args: { command, description: "d" } }),
    read: (path) => ({ name: "view", args: { path } }),
    results: ({ messages }) => messages.filter((message: Any) => message.role === "tool"),
    asks: true,
    replaces: true,
    rewrites: true,
  },
  {
    name: "cline",
    package: "cline",
    version: "3.0.65",
    program: "@cline/cli-linux-x64/bin/cline",
    protocol: "completions",
    args: ["go on"],
    // Without a process of its own that outlives the run.
    env: { CLINE_SESSION_BACKEND_MODE: "local" },
    files: {
      ".cline/data/settings/providers.json": JSON.stringify({
        version: 1,
        lastUsedProvider: "openai-compatible",
        modes: {},
        providers: {
          "openai-compatible": {
            settings: { provider: "openai-compatible", apiKey: "dummy", model: "mock", baseUrl: `${MODEL}/v1` },
            updatedAt: "2026-01-01T00:00:00.000Z",
            tokenSource: "manual",
          },
        },
      }),
    },
    shell: (command) => ({ name: "run_commands", args: { commands: [command] } }),
    read: (path) => ({ name: "read_files", args: { files: [{ path }] } }),
    results: ({ messages }) => messages.filter((message: Any) => message.role === "tool"),
    asks: false,
    replaces: false,
    rewrites: true,
    blockedIn: ".cline/data/logs/cline.log",
  },
];

/** OpenClaw, which runs in one process with `--local`. */
export const OPENCLAW: RealAgent = {
  name: "openclaw",
  package: "openclaw",
  version: "2026.9.6",
  program: "openclaw/openclaw.mjs",
  protocol: "completions",
  args: ["agent", "--local", "--session-id", "$RUN", "-m", "go"],
  env: {},
  files: {
    ".openclaw/openclaw.json": `// mine
{
  "models": { "providers": { "mock": {
    "baseUrl": "${MODEL}/v1", "api": "openai-completions", "apiKey": "dummy",
    "models": [{ "id": "mock", "name": "mock", "contextWindow": 128000, "maxTokens": 4096 }],
  } } },
  "agents": { "defaults": { "model": { "primary": "mock/mock" }, "workspace": "$WORK", "skipBootstrap": true } },
  "tools": { "exec": { "mode": "full" } },
  "gateway": {
    "mode": "local", "auth": { "mode": "token", "token": "dummy" },
    "http": { "endpoints": { "chatCompletions": { "enabled": true } } },
  },
}
`,
  },
  shell: (command) => ({ name: "exec", args: { command } }),
  read: (path) => ({ name: "read", args: { path } }),
  results: ({ messages }) => messages.filter((message: Any) => message.role === "tool"),
  asks: true,
  // Without a gateway there is nobody to ask.
  shows: /approval unavailable/,
  // One process owns its state.
  alone: true,
  replaces: true,
  rewrites: true,
};
REAL_AGENTS.push(OPENCLAW);

/** Fetches an agent from the registry that npm is set to, once for this machine, and runs none of its scripts. */
export async function fetchAgent({ name, package: of, version, program }: RealAgent): Promise<string> {
  const place = join(tmpdir(), "cordon-test-agents", `${name}-${version}`);
  const path = join(place, "node_modules", program);
  if (existsSync(path)) return path;
  mkdirSync(dirname(place), { recursive: true });
  const fresh = mkdtempSync(`${place}-`);
  writeFileSync(join(fresh, "package.json"), '{"private":true}');
  const options = ["--ignore-scripts", "--no-audit", "--no-fund"];
  await run("npm", ["install", ...options, `${of}@${version}`], { cwd: fresh, timeout: 600_000 });
  try {
    renameSync(fresh, place);
  } catch {
    // Another suite was faster.
    rmSync(fresh, { recursive: true, force: true });
  }
  return path;
}

/** What one run of an agent came to. */
export interface RealRun {
  /** What the model was told of its calls, as JSON text each. */
  results: string[];
  output: string;
}

/** How an agent is started, with all that it is given. */
export interface RealStart {
  command: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string>>;
  /** How often the model was asked. */
  asked(): number;
  /** What it was told of its calls so far, as JSON text each. */
  told(): string[];
}

/** A person with an agent, Cordon entered in its settings, and a project. */
export class RealPerson {
  readonly folder: string;
  readonly home: string;
  readonly work: string;
  readonly place: Place;
  readonly #agent: RealAgent;
  #runs = 0;

  constructor(agent: RealAgent, folder: string, hooks: Record<string, string>, grants: Record<string, object>) {
    this.#agent = agent;
    this.folder = folder;
    this.home = join(folder, "home");
    this.work = join(folder, "work");
    const user = join(folder, "user");
    for (const one of [this.work, user]) mkdirSync(one);
    const files = Object.entries(agent.files ?? {}).map(([name, text]) => [name, text.replaceAll("$WORK", this.work)]);
    writeFiles(user, Object.fromEntries(files));
    const path = (name: string) => join(this.home, "hooks", `${name}.ts`);
    for (const [name, source] of Object.entries(hooks)) writeFiles(this.home, { [`hooks/${name}.ts`]: source });
    const entries = Object.entries(grants).map(([name, grant]) => [path(name), grant]);
    writeFiles(this.home, { "grants.json": JSON.stringify({ version: 1, hooks: Object.fromEntries(entries) }) });
    const setup = SETUPS.find((one) => one.name === agent.name);
    if (!setup) throw new Error(`no setup for ${agent.name}`);
    this.place = { setup, home: this.home, places: { user, env: {} }, project: undefined };
    this.enter(false);
  }

  enter(monitor: boolean): void {
    install(this.place, planOfInstall(this.place), { node: process.execPath, monitor });
  }

  /** What the agent runs or loads for each event. */
  get entry(): string {
    return entryPath(this.place);
  }

  /** What the model was told of each of these turns, or the agent's log of a block that ended its run. */
  async told(turns: readonly Turn[]): Promise<string[]> {
    const { blockedIn } = this.#agent;
    if (blockedIn === undefined) return (await this.run(turns)).results;
    const told: string[] = [];
    for (const turn of turns) {
      const log = () => readIfThere(join(this.folder, "user", blockedIn)) ?? "";
      const before = log().length;
      const { results } = await this.run([turn]);
      told.push(results[0] ?? log().slice(before));
    }
    return told;
  }

  /**
   * How the agent is started with a model that says these turns, in a network namespace of its own. `through`: a program for Node
   * that is given the agent's program.
   */
  async start(turns: readonly Turn[], through?: string): Promise<RealStart> {
    const { protocol, args, env, results } = this.#agent;
    const program = await fetchAgent(this.#agent);
    const own = `run-${++this.#runs}`;
    writeFiles(this.folder, { [`${own}/turns.json`]: JSON.stringify(turns), [`${own}/requests.jsonl`]: "" });
    const [said, requests] = ["turns.json", "requests.jsonl"].map((name) => join(this.folder, own, name)) as [
      string,
      string,
    ];
    const node = process.execPath;
    const server = [node, join(import.meta.dirname, "model-servers.ts"), protocol, said, requests];
    const byNode = through ? [node, through] : /\.m?js$/.test(program) ? [node] : [];
    const given = args.map((arg) => arg.replace("$RUN", own));
    const inside = ["unshare", "-rn", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"];
    return {
      command: [...inside, ...server, ...byNode, program, ...given],
      cwd: this.work,
      env: { PATH: "/usr/bin:/bin:/usr/sbin:/sbin", HOME: join(this.folder, "user"), TERM: "dumb", ...env },
      asked: () => readFileSync(requests, "utf8").split("\n").length - 1,
      told: () => toldIn(readFileSync(requests, "utf8"), results),
    };
  }

  /** Runs the agent to its end. */
  async run(turns: readonly Turn[], running?: (child: ChildProcess) => void, through?: string): Promise<RealRun> {
    const { command, cwd, env, told } = await this.start(turns, through);
    const [program = "", ...args] = command;
    const child = spawn(program, args, { cwd, env });
    running?.(child);
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (part) => {
        output += part;
      });
    child.stdin.end();
    await new Promise((resolve) => child.on("close", resolve));
    return { results: told(), output };
  }
}

/** What the model was told of its calls, in the request that has most of them. */
function toldIn(requests: string, results: RealAgent["results"]): string[] {
  const bodies = requests.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line).body]));
  const all = bodies.flatMap((body) => {
    try {
      return [results(body)];
    } catch {
      return [];
    }
  });
  const most = all.reduce((most, one) => (one.length >= most.length ? one : most), []);
  return most.map((one) => JSON.stringify(one));
}
