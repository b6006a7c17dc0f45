import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DIALECTS } from "../../sandbox/wire/messages.ts";
import { PACKAGE_ROOT } from "../base/package-root.ts";

/** What `cordon init` can start with: each ends the sentence "a hook for". */
export const STARTERS = {
  pi: "pi",
  interceptors: "OpenClaw's interceptors",
  openclaw: "OpenClaw's plugins",
  strands: "the Strands Agents SDK",
  extension: "pi, as an extension with a command",
} as const;
export type Starter = keyof typeof STARTERS;

/** Where the types of a starter are, if they are not Cordon's: an agent that its author may have. */
export const TYPES: { readonly [Name in Starter]?: readonly [name: string, range: string] } = {
  strands: ["@strands-agents/sdk", "^1.19.0"],
  extension: ["@earendil-works/pi-coding-agent", "*"],
};

/** The editor's name for the opened folder. */
const FOLDER = "$" + "{workspaceFolder}";
const SCHEMAS = "./node_modules/cordon/dist/schemas";
/** An event that the example blocks: what the debugger is started with. */
const SAMPLE = { type: "tool_call", toolName: "bash", toolCallId: "1", input: { command: "rm -rf build" } };

const starter = (file: string): string => readFileSync(join(PACKAGE_ROOT, "examples", "starters", file), "utf8");
const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/** The files of a new package, by path. `name`: a valid name of a package. */
export function starterFiles(name: string, dialect: Starter): Map<string, string> {
  const asks = dialect === "pi" || dialect === "extension";
  return new Map([
    ["index.ts", starter(`${dialect}.ts`)],
    ["index.test.ts", starter(asks ? "ask.test.ts" : "block.test.ts")],
    ["package.json", packageJson(name, dialect, asks)],
    ["events.jsonl", `${JSON.stringify(SAMPLE)}\n`],
    ["tsconfig.json", json(TSCONFIG)],
    ["README.md", readme(name, dialect, asks)],
    [".gitignore", "node_modules/\n"],
    [".vscode/launch.json", json(LAUNCH)],
    [".vscode/settings.json", json(SETTINGS)],
  ]);
}

function packageJson(name: string, dialect: Starter, asks: boolean): string {
  const base = JSON.parse(starter("package.json"));
  const isExtension = dialect === "extension";
  const { cordon, devDependencies, ...rest } = base;
  const { hooks, capabilities, $schema } = cordon;
  const types = TYPES[dialect];
  const why = {
    ...(asks ? { ui: "asks you before a dangerous command runs" } : {}),
    ...(isExtension ? { commands: "/stopped says how many commands were stopped" } : {}),
  };
  return json({
    ...rest,
    name,
    keywords: [...rest.keywords, ...(isExtension ? ["pi-package"] : [])],
    cordon: {
      $schema,
      hooks,
      dialect: DIALECTS.find((one) => one === dialect) ?? "pi",
      capabilities: {
        ...capabilities,
        ...(asks ? { ui: isExtension ? ["confirm", "notify"] : ["confirm"] } : {}),
        ...(isExtension ? { commands: ["stopped"] } : {}),
      },
      ...(Object.keys(why).length > 0 ? { why } : {}),
    },
    ...(isExtension ? { pi: { extensions: hooks } } : {}),
    ...(types
      ? { peerDependencies: { [types[0]]: types[1] }, peerDependenciesMeta: { [types[0]]: { optional: true } } }
      : {}),
    devDependencies,
  });
}

const TSCONFIG = {
  $schema: "https://json.schemastore.org/tsconfig",
  compilerOptions: {
    target: "es2024",
    lib: ["es2024", "esnext.disposable"],
    module: "nodenext",
    strict: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    resolveJsonModule: true,
    skipLibCheck: true,
    types: ["node"],
  },
  include: ["*.ts"],
};

/** Runs the hook in Node's debugger, without a sandbox. */
const LAUNCH = {
  version: "0.2.0",
  configurations: [
    {
      type: "node",
      request: "launch",
      name: "Debug the hook",
      program: `${FOLDER}/node_modules/cordon/dist/src/cli/start.js`,
      args: ["run", "--no-discover", "--trusted-hook", "index.ts", "events.jsonl"],
      cwd: FOLDER,
      console: "integratedTerminal",
      skipFiles: ["<node_internals>/**", "**/node_modules/**"],
    },
  ],
};

/** A key `$schema` inside a `package.json` is read by no editor. */
const SETTINGS = { "json.schemas": [{ fileMatch: ["/package.json"], url: `${SCHEMAS}/package-cordon.json` }] };

function readme(name: string, dialect: Starter, asks: boolean): string {
  const types = TYPES[dialect]?.[0];
  const does = asks
    ? "Asks you before an AI agent runs a dangerous command, such as `rm -rf` or `git push --force`, and blocks it where nobody can be asked."
    : "Blocks dangerous commands of an AI agent, such as `rm -rf` and `git push --force`.";
  const why = asks ? ", with a `why` for the person who grants it" : "";
  return `# ${name}

${does}
A hook for ${STARTERS[dialect]}, which [Cordon](https://www.npmjs.com/package/cordon) runs in a sandbox.

## Use it

\`\`\`sh
cordon add npm:${name}
\`\`\`

## Work on it

| command         | does                                                                       |
| --------------- | -------------------------------------------------------------------------- |
| \`npm test\`      | runs the tests, with the hook in a real sandbox                            |
| \`npm run check\` | says what the hook hears, needs and would be refused                       |
| \`npm run dev\`   | judges the events of \`events.jsonl\` with the hook now and after each change |

Breakpoints: "${LAUNCH.configurations[0]?.name}" in VS Code sends it the events of \`events.jsonl\`. It runs there without a sandbox.

Powers: what the hook needs stands in \`package.json\` under \`cordon\`${why}.

Types: your editor reads \`tsconfig.json\`, and \`npx -p typescript tsc\` checks them without one.${types === undefined ? "" : ` Those of the agent come with \`npm install --save-dev ${types}\`.`}
`;
}
