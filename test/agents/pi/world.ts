import { chmodSync, mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PACKAGE_ROOT } from "../../../src/base/package-root.ts";
import { writeFiles } from "../../support/session.ts";
import { installPi, type PiVersion } from "./install.ts";
import { MODEL_PORT, type Turn } from "./model-server.ts";

/** One message of pi's on its standard output in the modes json and rpc. */
// biome-ignore lint/suspicious/noExplicitAny: pi's own protocol
export type PiLine = Record<string, any>;

export interface SceneOptions {
  version: PiVersion;
  /** A new folder. */
  folder: string;
  mode: "print" | "json" | "rpc" | "tui";
  /** What the model says. */
  turns?: readonly Turn[];
  /** Sources of extensions, in their order. `CORDON` in one stands for the module `cordon/pi`. */
  extensions?: Readonly<Record<string, string>>;
  /** Paths of extensions that are loaded before those. */
  extensionPaths?: readonly string[];
  /** Files under the folder: `work/` is the project, `home/` the person's, `home/bin/` programs of theirs. */
  files?: Readonly<Record<string, string>>;
  args?: readonly string[];
  /** Answers to dialogs; `undefined` leaves one open. */
  answer?: (request: PiLine) => object | undefined;
  /** Providers that the person has besides, which the model server answers for: models by provider. */
  providers?: Readonly<Record<string, readonly string[]>>;
  /** Prompts of the modes that take one. */
  prompt?: string;
  env?: Readonly<Record<string, string>>;
}

/** Cordon as an installed package. */
const CORDON_PI = join(PACKAGE_ROOT, "dist", "src", "agents", "pi", "entry", "index.js");

const MOCK = { baseUrl: `http://127.0.0.1:${MODEL_PORT}/v1`, apiKey: "dummy", api: "openai-completions" };

const MODELS = {
  providers: {
    mock: {
      ...MOCK,
      models: [
        { id: "mock", contextWindow: 128_000, maxTokens: 4000, reasoning: true },
        { id: "other", contextWindow: 128_000, maxTokens: 4000 },
      ],
    },
    // The models that examples ask for by name.
    google: { ...MOCK, models: [{ id: "gemini-2.5-flash", contextWindow: 128_000, maxTokens: 4000 }] },
    openai: { ...MOCK, models: [{ id: "gpt-5.2", contextWindow: 128_000, maxTokens: 4000 }] },
  },
};

const modelsOf = ({ providers = {} }: SceneOptions): object => ({
  providers: {
    ...MODELS.providers,
    ...Object.fromEntries(
      Object.entries(providers).map(([name, ids]) => [
        name,
        { ...MOCK, models: ids.map((id) => ({ id, contextWindow: 128_000, maxTokens: 4000, reasoning: true })) },
      ]),
    ),
  },
});

/** How pi is started. */
export interface PiStart {
  work: string;
  home: string;
  /** The file with the requests to the model. */
  requests: string;
  command: [program: string, ...args: string[]];
  env: Record<string, string>;
}

/** Writes files of a project and of a person's home. Those in `home/bin/` are programs. */
export function writeWorld(folder: string, files: Readonly<Record<string, string>>): void {
  writeFiles(folder, files);
  for (const path of Object.keys(files)) if (path.startsWith("home/bin/")) chmodSync(join(folder, path), 0o755);
}

/** Writes a project, a person's home and what the model says; returns the command that runs pi there, without a network. */
export async function preparePi(options: SceneOptions): Promise<PiStart> {
  const { folder, mode, turns = [], extensions = {}, files = {}, args = [], prompt, env = {} } = options;
  const { program } = await installPi(options.version);
  const [work, home] = [join(folder, "work"), join(folder, "home")];
  for (const one of [work, join(home, ".pi", "agent")]) mkdirSync(one, { recursive: true });
  writeFileSync(join(home, ".pi", "agent", "models.json"), JSON.stringify(modelsOf(options)));
  writeWorld(folder, files);
  writeFiles(folder, { "turns.json": JSON.stringify(turns) });
  const requests = join(folder, "requests.jsonl");
  const paths = Object.entries(extensions).map(([name, source]) => {
    writeFiles(folder, { [`extensions/${name}.ts`]: source.replaceAll("CORDON", CORDON_PI) });
    return join(folder, "extensions", `${name}.ts`);
  });
  const node = realpathSync(process.execPath);
  const modes = { print: ["-p"], json: ["--mode", "json"], rpc: ["--mode", "rpc"], tui: [] };
  const pi = [
    ...modes[mode],
    ...["--model", "mock/mock", "--offline"],
    ...[...(options.extensionPaths ?? []), ...paths].flatMap((path) => ["-e", path]),
    ...args,
    ...(prompt === undefined ? [] : [prompt]),
  ];
  const server = [join(import.meta.dirname, "model-server.ts"), join(folder, "turns.json"), requests];
  const inside = ["-rn", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"];
  return {
    work,
    home,
    requests,
    command: ["unshare", ...inside, node, ...server, node, program, ...pi],
    env: { PATH: `${join(home, "bin")}:/usr/bin:/bin:/usr/sbin:/sbin`, HOME: home, ...env },
  };
}
