import { globSync, readFileSync } from "node:fs";
import { findPackageJSON, isBuiltin } from "node:module";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { build, transform } from "esbuild";
import { beforeAll, describe, expect, test } from "vitest";
import { PACKAGE_ROOT } from "../src/base/package-root.ts";
import { circles } from "./support/circles.ts";

/** Folders of `src`, the lowest first. Each imports from itself and from those before it, types included. */
const LAYERS = [
  "base",
  "disk",
  "runtime",
  "audit",
  "supervisor",
  "powers",
  "grants",
  "store",
  "bundle",
  "recording",
  "session",
  "broker",
  "verdicts",
  "host",
  "agents",
  "market",
  "rpc",
  "daemon",
  "shim",
  "report",
  "cli",
];
/** Files at the root of `src`: pi's API, which every layer may name, and what agents and tests import. */
const LOWEST = ["src/agent-values.ts", "src/extension-events.ts", "src/hook-api.ts", "src/hook-screen.ts"];
const HIGHEST = ["src/index.ts", "src/testing.ts"];

interface Rule {
  name: string;
  /** Files it is about. */
  from: RegExp;
  /** Modules, or globals by name, that break it. */
  forbids: RegExp;
  /** Files that may. */
  except?: RegExp;
  /** A file and its content that must be caught. */
  planted: [file: string, content: string];
}

/** What may be imported where. Types vanish before this graph is made, and are free. */
const RULES: Rule[] = [
  {
    name: "src takes nothing of the sandbox but the wire",
    from: /^src\//,
    forbids: /^sandbox\/(?!wire\/)/,
    planted: ["src/planted.ts", 'import { confine } from "../sandbox/process/confine.ts";\nconfine();\n'],
  },
  {
    name: "nothing in src imports the hooks we ship, or tests",
    from: /^src\//,
    forbids: /^(hooks|test)\//,
    planted: ["src/planted.ts", 'import gate from "../hooks/permission-gate.ts";\nconsole.log(gate);\n'],
  },
  {
    name: "the agent's process never loads the addon",
    from: /^src\//,
    forbids: /^isolated-vm$/,
    planted: ["src/planted.ts", 'import ivm from "isolated-vm";\nconsole.log(ivm);\n'],
  },
  {
    name: "programs are started in the listed places only",
    from: /^src\//,
    forbids: /^(node:)?child_process$/,
    except:
      /^src\/(supervisor\/launch|bundle\/build-process|runtime\/locate|powers\/(program-watch|run-program)|shim\/ask-event|agents\/mcp\/stdio-server|cli\/(opener|demo\/(tools|workplace|intact)))\.ts$/,
    planted: ["src/planted.ts", 'import { execSync } from "node:child_process";\nexecSync("true");\n'],
  },
  {
    name: "the net power alone opens sockets, the daemon and its shim one of this machine, and a sandbox's pipe takes over its own",
    from: /^src\//,
    forbids: /^(node:)?(net|http|https|http2|tls|dgram|dns)(\/|$)|^ws$/,
    except:
      /^src\/(powers\/net-.*|daemon\/(server|listens)|shim\/(exchange|shim)|supervisor\/pipe)\.ts$|^src\/daemon\/daemon\.ts$/,
    planted: ["src/planted.ts", 'import { connect } from "node:net";\nconnect(1);\n'],
  },
  {
    name: "an index of hooks, an MCP server and a receiver that a person named, alone are reached without npm's libraries",
    from: /^(src|sandbox)\//,
    forbids: /^global fetch$/,
    except: /^src\/(market\/hook-index|agents\/mcp\/http-server|cli\/doctor-export)\.ts$/,
    planted: ["src/grants/planted.ts", 'await fetch("http://example.org");\n'],
  },
  {
    name: "the environment is read in the listed places only",
    from: /^(src|sandbox)\//,
    forbids: /^global process\.env$/,
    except:
      /^(sandbox\/process\/confine|src\/(audit\/export(-worker)?|runtime\/locate|market\/npm-config|host\/(begin|discover)|grants\/policy|disk\/home|shim\/ask-event|agents\/pi\/pi-link|cli\/(agent-version|doctor|doctor-agents|install|missing-runtime|opener|print|sample-env)))\.ts$/,
    planted: ["src/broker/planted.ts", "console.log(process.env.HOME);\n"],
  },
  {
    name: "OpenTelemetry's SDK is loaded by the thread that exports alone",
    from: /^(src|sandbox)\//,
    forbids: /^@opentelemetry\//,
    except: /^src\/audit\/export-worker\.ts$/,
    planted: ["src/audit/planted.ts", 'import { trace } from "@opentelemetry/api";\nconsole.log(trace);\n'],
  },
  {
    name: "nothing waits in the wire, the guest's core and dialects, and what only judges or reads",
    from: /^(sandbox\/(wire|guest\/(core|dialects))|src\/(base|disk|grants|store|broker|verdicts|market))\//,
    forbids: /^global (setTimeout|setInterval|setImmediate)$|^(node:)?timers(\/|$)/,
    planted: ["src/verdicts/planted.ts", "setTimeout(() => {}, 1);\n"],
  },
  {
    name: "sandbox imports nothing of src",
    from: /^sandbox\//,
    forbids: /^(src|test|hooks(?!\/guards))\//,
    planted: ["sandbox/planted.ts", 'import { cleanText } from "../src/base/text.ts";\ncleanText("", 1);\n'],
  },
  {
    name: "the wire imports nothing",
    from: /^sandbox\/wire\//,
    forbids: /^(?!sandbox\/wire\/|global )/,
    planted: ["sandbox/wire/planted.ts", 'import { confine } from "../process/confine.ts";\nconfine();\n'],
  },
  {
    name: "the main.ts of a process alone imports Node's modules",
    from: /^sandbox\/(?!(process|database)\/main\.ts|guest\/)/,
    forbids: /^node:|^(fs|net|child_process|crypto)$/,
    planted: ["sandbox/planted.ts", 'import { readFileSync } from "node:fs";\nreadFileSync("");\n'],
  },
  {
    name: "the sandbox process takes nothing of the guest",
    from: /^sandbox\/(?!guest\/)/,
    forbids: /^sandbox\/guest\//,
    planted: [
      "sandbox/process/planted.ts",
      'import { harden } from "../guest/core/harden.ts";\nharden({ eval: false });\n',
    ],
  },
  {
    name: "the guest takes nothing of Node, and of the sandbox only what the wire declares for it",
    from: /^sandbox\/guest\//,
    forbids:
      /^node:|^isolated-vm$|^sandbox\/(?!guest\/|wire\/(conversions|database-values|environment|escaped|events|lazy-code|messages|openclaw-hooks|plugin-settings|providers|read-json|registrations|screens|walk-json)\.ts$)|^(src|test)\//,
    planted: ["sandbox/guest/planted.ts", 'import { encodeFrame } from "../wire/frame.ts";\nencodeFrame(1, 1, "");\n'],
  },
  {
    name: "the library of interceptors, which hosts use too, takes nothing of the guest",
    from: /^sandbox\/guest\/interceptors\//,
    forbids: /^(?!sandbox\/guest\/interceptors\/|hooks\/guards\/|global )/,
    planted: [
      "sandbox/guest/interceptors/planted.ts",
      'import { failure } from "../core/outcome.ts";\nfailure("", "");\n',
    ],
  },
  {
    name: "that library alone offers the guards",
    from: /^sandbox\//,
    forbids: /^hooks\/guards\//,
    except: /^sandbox\/guest\/interceptors\/guards\.ts$/,
    planted: [
      "sandbox/guest/core/planted.ts",
      'import { dangerOf } from "../../../hooks/guards/command-safety.ts";\ndangerOf("");\n',
    ],
  },
  {
    name: "the guards, which run in hosts and in hooks, take a parser of shell commands and nothing else",
    from: /^hooks\/guards\//,
    forbids: /^(?!hooks\/guards\/|unbash$)/,
    planted: [
      "hooks/guards/planted.ts",
      'import { createInterceptorRegistry } from "../../sandbox/guest/interceptors/registry.ts";\ncreateInterceptorRegistry();\n',
    ],
  },
];

const GLOBALS = ["fetch", "process.env", "setTimeout", "setInterval", "setImmediate"];
const marker = (name: string): string => `__global_${name.replace(".", "_")}`;

/** Globals that a file uses, as its imports are named. */
async function globalsOf(source: string): Promise<string[]> {
  const define = Object.fromEntries(GLOBALS.map((name) => [name, marker(name)]));
  const { code } = await transform(source, { loader: "ts", define });
  return GLOBALS.filter((name) => code.includes(marker(name))).map((name) => `global ${name}`);
}

/** Files that are only thought to be there, each under a name of its own. */
const planted = new Map(
  RULES.map(({ planted: [file, content] }, at) => [file.replace(/(\.ts)$/, `-${at}$1`), content]),
);

/** What each file imports, as a path of the repository or a package's name, and the globals it uses. */
async function uses(): Promise<Map<string, string[]>> {
  const { metafile } = await build({
    absWorkingDir: PACKAGE_ROOT,
    entryPoints: [
      "src/**/*.ts",
      "sandbox/**/*.ts",
      "hooks/guards/**/*.ts",
      ...[...planted.keys()].map((file) => `./${file}`),
    ],
    bundle: true,
    write: false,
    outdir: "out",
    metafile: true,
    packages: "external",
    platform: "node",
    format: "esm",
    // What files share is written once, and not into each of a thousand bundles.
    splitting: true,
    treeShaking: false,
    logLevel: "silent",
    plugins: [
      {
        name: "planted",
        setup({ onResolve, onLoad }) {
          onResolve({ filter: /planted-\d+\.ts$/ }, ({ path }) => ({ path: join(PACKAGE_ROOT, path) }));
          onLoad({ filter: /planted-\d+\.ts$/ }, ({ path }) => ({
            contents: planted.get(path.slice(PACKAGE_ROOT.length + 1)) ?? "",
            loader: "ts",
            resolveDir: dirname(path),
          }));
        },
      },
    ],
  });
  const entries = Object.entries(metafile.inputs).map(async ([file, { imports }]): Promise<[string, string[]]> => {
    const source = planted.get(file) ?? readFileSync(join(PACKAGE_ROOT, file), "utf8");
    return [file, [...imports.map(({ path }) => path), ...(await globalsOf(source))]];
  });
  return new Map(await Promise.all(entries));
}

let used: Map<string, string[]>;
beforeAll(async () => {
  used = await uses();
});

const breaks = ({ from, forbids, except }: Rule, isPlanted: boolean): string[] =>
  [...used].flatMap(([file, found]) =>
    planted.has(file) === isPlanted && from.test(file) && !except?.test(file)
      ? found.filter((one) => forbids.test(one)).map((one) => `${file} uses ${one}`)
      : [],
  );

describe.each(RULES)("$name", (rule) => {
  test("so it is", () => {
    expect(breaks(rule, false)).toEqual([]);
  });

  test("a planted file that breaks it is caught", () => {
    const [file] = [...planted][RULES.indexOf(rule)] as [string, string];
    expect(breaks(rule, true).filter((text) => text.startsWith(file))).toHaveLength(1);
  });
});

/** Relative imports of a source, as they are written: those of types among them. */
const importsIn = (file: string, source: string): string[] =>
  [...source.matchAll(/(?:from |import\(|import )"(\.[^"]+)"/g)].map(([, path]) =>
    normalize(join(dirname(file), path as string)),
  );

const graph = (folder: string): Map<string, string[]> =>
  new Map(
    globSync(`${folder}/**/*.ts`, { cwd: PACKAGE_ROOT }).map((file) => [
      file,
      importsIn(file, readFileSync(join(PACKAGE_ROOT, file), "utf8")).filter((path) => path.startsWith(`${folder}/`)),
    ]),
  );

/** Names other than `default` that a source takes of a CommonJS package which it imports later: a bundle has none of them. */
const lostNames = (source: string): string[] =>
  [...source.matchAll(/\{([^{}]*)\}\s*=\s*await import\("([^."][^"]*)"\)/g)].flatMap(([, names = "", name = ""]) => {
    const isCommonJs = !isBuiltin(name) && fileURLToPath(import.meta.resolve(name)).endsWith(".js") && !isModule(name);
    return isCommonJs && !/^\s*default:/.test(names) ? [`${names.trim()} of ${name}`] : [];
  });

const isModule = (name: string): boolean =>
  JSON.parse(readFileSync(findPackageJSON(name, import.meta.url) as string, "utf8")).type === "module";

test("of a CommonJS package that is imported later, src takes what it exports as a whole", () => {
  const sources = globSync("src/**/*.ts", { cwd: PACKAGE_ROOT }).map((file) =>
    readFileSync(join(PACKAGE_ROOT, file), "utf8"),
  );
  expect(sources.flatMap(lostNames)).toEqual([]);
  expect(lostNames('const { getTrustedRoot } = await import("@sigstore/tuf");')).toEqual([
    "getTrustedRoot of @sigstore/tuf",
  ]);
});

/** Libraries that take 30 to 100 ms to load. */
const SLOW = /^(npm-registry-fetch|pacote|npm-packlist|@npmcli\/.*|sigstore|@sigstore\/.*|node:https?)$/;

/** What a file loads when it is loaded: modules by name, and files, theirs included. Types and what is imported later are not. */
function loadedWith(file: string, seen = new Set<string>()): Set<string> {
  const source = readFileSync(join(PACKAGE_ROOT, file), "utf8");
  for (const [, names = "", name = ""] of source.matchAll(/^(?:import|export)\s+([^;"]*?\sfrom\s+)?"([^"]+)";/gm)) {
    if (/^(type\s|\{(\s*type [^,}]+,?)+\s*\}\s+from)/.test(names)) continue;
    const path = name.startsWith(".") ? normalize(join(dirname(file), name)) : name;
    if (seen.has(path)) continue;
    seen.add(path);
    if (name.startsWith(".") && path.startsWith("src")) loadedWith(path, seen);
  }
  return seen;
}

const slowIn = (file: string): string[] => [...loadedWith(file)].filter((name) => SLOW.test(name));

test("a command loads what fetches packages when it fetches", () => {
  const commands = globSync("src/cli/*.ts", { cwd: PACKAGE_ROOT }).filter((file) => !file.endsWith("update.ts"));
  expect(commands.flatMap((file) => slowIn(file).map((name) => `${file} loads ${name}`))).toEqual([]);
  expect(loadedWith("src/cli/list.ts").size).toBeGreaterThan(100);
  // It has a package to ask for in nearly every case.
  expect(slowIn("src/cli/update.ts")).toContain("npm-registry-fetch");
});

function layerOf(file: string): number {
  if (LOWEST.includes(file)) return -1;
  if (HIGHEST.includes(file)) return LAYERS.length;
  const [, folder = ""] = file.split("/");
  const layer = LAYERS.indexOf(folder);
  if (layer < 0) throw new Error(`${file} lies in no layer`);
  return layer;
}

const upward = (imports: ReadonlyMap<string, readonly string[]>): string[] =>
  [...imports].flatMap(([file, found]) =>
    found.filter((path) => layerOf(path) > layerOf(file)).map((path) => `${file} imports ${path}`),
  );

test("every folder of src is a layer, and imports from those below it alone", () => {
  const imports = graph("src");
  expect(imports.size).toBeGreaterThan(150);
  expect(upward(imports)).toEqual([]);
});

test.each(["src", "sandbox", "hooks"])("no files of %s import each other in a circle", (folder) => {
  expect(circles(graph(folder))).toEqual([]);
});

test("a planted import of a type from a higher layer is caught, and a planted circle", () => {
  const file = "src/grants/planted.ts";
  const imports = importsIn(file, 'import type { HookHost } from "../host/host.ts";\n');
  expect(upward(new Map([[file, imports]]))).toEqual(["src/grants/planted.ts imports src/host/host.ts"]);
  const circle = new Map([
    ["src/base/a.ts", importsIn("src/base/a.ts", 'export type { B } from "./b.ts";')],
    ["src/base/b.ts", importsIn("src/base/b.ts", 'await import("./c.ts");')],
    ["src/base/c.ts", importsIn("src/base/c.ts", 'import "./a.ts";')],
  ]);
  expect(circles(circle)).toEqual(["src/base/a.ts > src/base/b.ts > src/base/c.ts > src/base/a.ts"]);
});

test("the guest is type-checked without Node's or the DOM's types", () => {
  const config = JSON.parse(readFileSync(join(PACKAGE_ROOT, "sandbox/guest/tsconfig.json"), "utf8"));
  expect(config.compilerOptions.types).toEqual([]);
  expect(config.compilerOptions.lib).toEqual(["es2024"]);
});

/** Paths in Cordon's home that a source names by itself: an uninstall knows those of the list alone. */
const namedInHome = (source: string): string[] =>
  [...source.matchAll(/join\((?:\w+\.)*#?(?:home|defaultHome\(\)), ([^,)]*)/g)].flatMap(([, name = ""]) =>
    name === '"hooks"' ? [] : [name],
  );

test("what Cordon keeps in its home is in one list", () => {
  const files = globSync("src/**/*.ts", { cwd: PACKAGE_ROOT }).filter(
    (file) => file !== join("src", "disk", "home.ts"),
  );
  const named = files.flatMap((file) =>
    namedInHome(readFileSync(join(PACKAGE_ROOT, file), "utf8")).map((name) => `${file}: ${name}`),
  );
  // It looks through its home, and names nothing.
  expect(named).toEqual(["src/cli/uninstall-all.ts: name"]);
  expect(namedInHome('join(this.#home, "a") + join(home, "hooks") + join(defaultHome(), B)')).toEqual(['"a"', "B"]);
});
