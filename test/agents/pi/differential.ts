import { execFileSync } from "node:child_process";
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { PACKAGE_ROOT } from "../../../src/base/package-root.ts";
import { COMMON, type Example } from "./examples.ts";
import { installPi, type PiVersion } from "./install.ts";
import { MODEL_PORT } from "./model-server.ts";
import { Scene } from "./scene.ts";
import { type PiLine, writeWorld } from "./world.ts";

/** What can be seen of a run from outside. */
export interface Seen {
  /** What the model got, request by request. */
  requests: unknown[];
  entries: unknown[];
  files: Record<string, string>;
  /** What the person was asked and told, in order. */
  shown: unknown[];
  errors: string[];
}

const DEFAULT_TURNS = [
  { calls: [{ name: "bash", args: { command: "echo made > made.txt" } }] },
  { text: "All right." },
];

/** Runs an example in pi, as it is or within Cordon. */
export async function runExample(example: Example, folder: string, isContained: boolean): Promise<Seen> {
  const pi = await installPi("1.5.2");
  const source = join(folder, "examples", example.name);
  mkdirSync(dirname(source), { recursive: true });
  cpSync(join(pi.folder, "examples", "extensions", example.name), source, { recursive: true });
  for (const dependency of example.deps ?? [])
    cpSync(join(PACKAGE_ROOT, "node_modules", dependency), join(source, "node_modules", dependency), {
      recursive: true,
    });
  const path = existsSync(join(source, "index.ts")) ? join(source, "index.ts") : source;
  if (example.places)
    writeFileSync(path, readFileSync(path, "utf8").replace(example.places, `http://127.0.0.1:${MODEL_PORT}`));
  const grant = { capabilities: { ...COMMON, ...example.powers } };
  return runExtension({ path, version: "1.5.2", script: example, ...(isContained ? { grant } : {}) }, folder);
}

/** An extension, and how a person uses it in pi. */
export interface Extension {
  path: string;
  version: PiVersion;
  script: Omit<Example, "name" | "kind">;
  /** What it makes up anew in each run. */
  varies?: readonly RegExp[];
  /** It runs within Cordon, with this. */
  grant?: object;
}

export async function runExtension(
  { path, version, script, varies = [], grant }: Extension,
  folder: string,
): Promise<Seen> {
  prepareProject(script, folder);
  if (path.endsWith("file-trigger.ts")) writeFileSync("/tmp/agent-trigger.txt", "");
  const hooks = [{ path, id: "example", grant }];
  const scene = await Scene.start({
    version,
    folder,
    mode: "rpc",
    turns: script.turns ?? DEFAULT_TURNS,
    args: script.args,
    providers: script.providers,
    env: script.env,
    answer: (line) => answerOf(line, script.answers ?? {}),
    ...(grant
      ? {
          extensions: {
            cordon: `import { cordon } from "CORDON";
              export default cordon({ discover: false, home: process.env.HOME + "/.cordon", hooks: ${JSON.stringify(hooks)} });`,
          },
        }
      : { extensionPaths: [path] }),
  });
  try {
    await walk(scene, script.steps);
  } catch (error) {
    scene.stderr += String(error);
  }
  await scene.end();
  return seenIn(scene, folder, varies);
}

/** Makes the project, and what the person has at home. */
export function prepareProject({ files = {}, git }: Extension["script"], folder: string): void {
  const work = join(folder, "work");
  mkdirSync(work, { recursive: true });
  writeWorld(folder, files);
  if (git) makeRepository(work, git);
}

async function walk(scene: Scene, steps: Example["steps"]): Promise<void> {
  await scene.idle();
  const { data } = await scene.send({ type: "get_commands" });
  const own = data.commands
    .filter(({ source, name }: PiLine) => source === "extension" && !["cordon", "mcp", "quit"].includes(name))
    .map(({ name }: PiLine) => `/${name}`);
  for (const step of steps ?? ["go", ...own.sort()]) {
    if (typeof step === "string") await scene.prompt(step);
    else await scene.send(step);
    await scene.idle();
  }
}

function makeRepository(work: string, state: "changed" | "conflict"): void {
  const run = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=T", "-c", "user.email=t@example.org", ...args], { cwd: work, stdio: "pipe" });
  run("init", "-q", "-b", "main");
  run("config", "user.name", "T");
  run("config", "user.email", "t@example.org");
  writeFileSync(join(work, "tracked.txt"), "first\n");
  run("add", "-A");
  run("commit", "-qm", "first");
  if (state === "conflict") {
    run("checkout", "-qb", "theirs");
    writeFileSync(join(work, "tracked.txt"), "theirs\n");
    run("commit", "-qam", "theirs");
    run("checkout", "-q", "main");
  }
  writeFileSync(join(work, "tracked.txt"), "second\n");
  if (state === "changed") return;
  run("commit", "-qam", "second");
  try {
    run("merge", "-q", "theirs");
  } catch {
    // So it was meant.
  }
}

function answerOf({ method, options }: PiLine, answers: Readonly<Record<string, unknown>>): object | undefined {
  switch (method) {
    case "select":
      return { value: options[Number(answers.select ?? 0)] ?? options[0] };
    case "confirm":
      return { confirmed: answers.confirm ?? true };
    case "input":
    case "editor":
      return { value: answers[method] ?? "some text" };
    default:
      return undefined;
  }
}

function seenIn(scene: Scene, folder: string, varies: readonly RegExp[]): Seen {
  // What Cordon adds so that a person, or the model, knows whose words they read.
  const plain = (value: unknown): unknown =>
    JSON.parse(
      varies
        .reduce((text, one) => text.replace(one, "0"), JSON.stringify(value ?? null))
        .replaceAll(folder, "<DIR>")
        // Where a line of the console was written.
        .replace(/(\[hook example\] [^"]*?) \([^()"]*:\d+:\d+\)/g, "$1")
        .replace(/\[hook example\] |\[example\] |cordon:example:| \(hook example\)/g, "")
        .replaceAll("[Changed by hook example]\\n", "")
        .replace(/(\\n)?\(A tool of the hook example\.\)| \(From the hook example\.\)/g, "")
        .replace(/Message from hook example \(not from the user\):( |")/g, (_all, end) => (end === '"' ? '"' : ""))
        .replace(/(\\n)+\(Changed by hook example, not by the user\.\)/g, "")
        .replace(/Blocked by hook example: /g, "")
        .replace(/\\n\| /g, "\\n")
        .replace(/"\| /g, '"')
        .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "<UUID>")
        .replace(/\d{4}-\d\d-\d\dT[\d-:.]+Z/g, "<TIME>")
        .replace(/\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT/g, "<TIME>")
        .replace(/"(timestamp|durationMs)":\d+/g, '"$1":0')
        .replace(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/g, "⠿")
        .replace(/bookmark-\d+/g, "bookmark-N")
        // Where widgets are unless they say otherwise.
        .replaceAll(',"widgetPlacement":"aboveEditor"', "")
        // Colours of a hook's do not reach a person's terminal.
        .replace(/\\u001b\[[\d;]*m/g, "")
        .replace(/"\/cordon - [^"]*",/g, ""),
    );
  return {
    // A request may be for something else than an answer of a model.
    requests: scene.requests
      .filter((one) => Array.isArray(one?.messages))
      .map(({ messages, tools, model }) =>
        plain({
          model,
          messages: messages.map(({ role, content, tool_calls }: PiLine) => ({
            role,
            content: withoutOrigins(content),
            calls: tool_calls?.map((one: PiLine) => one.function),
          })),
          tools: (tools ?? [])
            .map((one: PiLine) => one.function ?? one)
            .map(({ name, description }: PiLine) => ({ name, description })),
        }),
      ),
    entries: scene.entries.map((entry) => plain(entryOf(entry))),
    files: filesIn(folder, (text) => String(plain(text))),
    shown: scene.dialogs
      .filter(({ statusKey }) => statusKey !== "cordon")
      .map(({ id: _id, type: _type, timeout: _timeout, notifyType, ...shown }) =>
        plain(shown.method === "notify" ? { ...shown, type: notifyType ?? "info" } : shown),
      )
      // How often a spinner turns is a matter of time.
      .filter((shown, at, all) => JSON.stringify(shown) !== JSON.stringify(all[at - 1])),
    errors: [
      ...scene.lines
        .filter(({ type }) => type === "extension_error")
        .map(({ event, error }) => String(plain(`${event}: ${error}`))),
      ...(scene.stderr === "" ? [] : [String(plain(scene.stderr))]),
    ],
  };
}

const withoutOrigins = (content: unknown): unknown =>
  Array.isArray(content)
    ? content.filter(({ text }: PiLine) => text !== "" && text !== "[Changed by hook example]")
    : content;

function entryOf(entry: PiLine): unknown {
  const { type, customType, data, content, message, name, label, summary, provider, modelId, thinkingLevel } = entry;
  return {
    type,
    customType,
    data,
    content,
    name,
    label,
    summary,
    provider,
    modelId,
    thinkingLevel,
    message: message && {
      role: message.role,
      content: withoutOrigins(message.content),
      toolName: message.toolName,
      isError: message.isError,
      details: message.details,
    },
  };
}

function filesIn(folder: string, plain: (text: string) => string): Record<string, string> {
  const names = globSync(["work/**/*", "work/.*", "work/.pi/*", "home/.pi/agent/*"], {
    cwd: folder,
    exclude: (name) => /(^|\/)(\.git|\.cordon|sessions)(\/|$)/.test(name),
  })
    .filter(
      (name) => statSync(join(folder, name)).isFile() && !/(auth|models|models-store|trust)\.json$|\.lock$/.test(name),
    )
    .sort();
  const files = Object.fromEntries(names.map((name) => [plain(name), plain(readFileSync(join(folder, name), "utf8"))]));
  if (!existsSync(join(folder, "work", ".git"))) return files;
  const log = execFileSync("git", ["log", "--format=%s"], { cwd: join(folder, "work") }).toString();
  return { ...files, "git log": log };
}

/** The parts of two runs that differ. */
export function differences(plain: Seen, contained: Seen): string[] {
  return (Object.keys(plain) as (keyof Seen)[]).filter(
    (part) => JSON.stringify(plain[part]) !== JSON.stringify(contained[part]),
  );
}
