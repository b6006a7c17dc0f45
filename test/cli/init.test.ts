import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { delimiter, dirname, join, relative } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { PACKAGE_ROOT } from "../../src/base/package-root.ts";
import { sourceOf } from "../../src/market/source.ts";
import { Terminal } from "../market/journey-terminal.ts";
import { cordon, startCordon } from "../support/command.ts";
import { sampled } from "../support/length.ts";
import { runtimeIn } from "../support/runtime.ts";
import { temporaryFolder, writeFiles } from "../support/session.ts";

const DIALECTS = ["pi", "interceptors", "openclaw", "strands", "extension"];
const FILES = [
  ".gitignore",
  ".vscode/launch.json",
  ".vscode/settings.json",
  "README.md",
  "events.jsonl",
  "index.test.ts",
  "index.ts",
  "package.json",
  "tsconfig.json",
];

const place = () => {
  const folder = temporaryFolder();
  return { folder, settings: { cwd: folder, home: join(folder, "home") } };
};
/** Also those whose names begin with a dot. */
const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort();
const json = (...path: string[]) => JSON.parse(readFileSync(join(...path), "utf8"));

test.each(sampled(DIALECTS))(
  "a new hook of %s loads, says what it asks for, and starts in the debugger's way",
  async (dialect) => {
    const { folder, settings } = place();
    const made = await cordon(["init", "@me/guard", "--dialect", dialect, "--json"], settings);
    const guard = join(folder, "guard");
    expect(made, made.stderr).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(made.stdout)).toEqual({ name: "@me/guard", dialect, folder: guard, files: FILES });
    expect(filesIn(guard)).toEqual(FILES);
    expect(readdirSync(folder).sort()).toEqual(["guard"]);
    mkdirSync(join(guard, "node_modules"));
    symlinkSync(PACKAGE_ROOT, join(guard, "node_modules", "cordon"));
    const { name, keywords, cordon: manifest } = json(guard, "package.json");
    expect({ name, keywords }).toMatchObject({ name: "@me/guard", keywords: expect.arrayContaining(["cordon-hook"]) });
    for (const schema of [manifest.$schema, json(guard, ".vscode", "settings.json")["json.schemas"][0].url])
      expect(json(guard, schema)).toMatchObject({ title: expect.stringContaining("Cordon") });

    const checked = await cordon(["check", "index.ts", "--json"], { ...settings, cwd: guard });
    expect(JSON.parse(checked.stdout)).toMatchObject({
      state: "active",
      dialect: dialect === "extension" ? "pi" : dialect,
      events: ["tool_call"],
      lacks: [],
    });

    // What its README says.
    const { scripts, cordon: asked, peerDependencies = {} } = json(guard, "package.json");
    const readme = readFileSync(join(guard, "README.md"), "utf8");
    const said = [...readme.matchAll(/`npm (?:run )?(\w+)`/g)].map(([, script]) => script);
    expect(said.sort()).toEqual(Object.keys(scripts).sort());
    expect(scripts).toMatchObject({ check: "cordon check index.ts", dev: "cordon dev index.ts --events events.jsonl" });
    expect(sourceOf(/^cordon add (.*)$/m.exec(readme)?.[1] ?? "", guard)).toMatchObject({ origin: "npm:@me/guard" });
    expect(/^Asks you before/m.test(readme)).toBe(asked.capabilities.ui?.includes("confirm") ?? false);
    expect(readme.includes("with a `why`")).toBe(asked.why !== undefined);
    const [types] = Object.keys(peerDependencies);
    expect(/npm install --save-dev (\S+)`/.exec(readme)?.[1]).toBe(types);
    // What npm install would bring, from this repository.
    for (const name of ["@types/node", "vitest", ...(types === undefined ? [] : [types])]) {
      mkdirSync(dirname(join(guard, "node_modules", name)), { recursive: true });
      const at = [PACKAGE_ROOT, join(PACKAGE_ROOT, "test")].map((root) => join(root, "node_modules", name));
      symlinkSync(at.find((path) => existsSync(path)) ?? "", join(guard, "node_modules", name));
    }
    expect(readme).toContain("`npx -p typescript tsc`");
    const compiler = join(PACKAGE_ROOT, "node_modules", "typescript", "lib", "tsc.js");
    const { stdout: faults } = spawnSync(process.execPath, [compiler, "-p", guard], { encoding: "utf8" });
    expect(faults).toBe("");
    const judged = await cordon(["dev", "index.ts", "--events", "events.jsonl", "--once"], { ...settings, cwd: guard });
    expect(judged.stdout).toMatch(
      /blocked: a dangerous command.*\n(?: {2}no event runs command stopped: .*\n)?1 event judged, 0 refusals, 0 errors/,
    );

    const [{ name: debug, program, args }] = json(guard, ".vscode", "launch.json").configurations;
    expect(readme).toContain(`Breakpoints: "${debug}" in VS Code sends it the events of \`events.jsonl\``);
    expect(args).toEqual(["run", "--no-discover", "--trusted-hook", "index.ts", "events.jsonl"]);
    const filled = program.replace(`${"$"}{workspaceFolder}`, guard);
    const env = { ...process.env, CORDON_HOME: settings.home, NO_COLOR: "1" };
    const debugged = execFileSync(process.execPath, [filled, ...args], { cwd: guard, env, encoding: "utf8" });
    expect(debugged).toMatch(/tool_call bash +blocked by @me\/guard: a dangerous command needs a person/);
  },
);

test.each([
  ["a capital letter", ["Guard", "--dialect", "pi"], 2, /"Guard" cannot be the name of a package: .*capital/],
  ["a path", ["../guard", "--dialect", "pi"], 2, /"\.\.\/guard" cannot be/],
  ["a path behind a scope", ["@me/../guard", "--dialect", "pi"], 2, /cannot be the name/],
  ["a name of Node's", ["fs", "--dialect", "pi"], 2, /fs is a core module name/],
  ["a name that cordon add refuses", ["@me/-guard", "--dialect", "pi"], 2, /lower-case letters/],
  ["Cordon's own name", ["@me/c0rdon", "--dialect", "pi"], 2, /take it for Cordon itself/],
  ["215 letters", ["a".repeat(215), "--dialect", "pi"], 2, /more than 214/],
  ["an empty name", ["", "--dialect", "pi"], 2, /length must be greater than zero/],
  ["an unknown dialect", ["guard", "--dialect", "perl"], 2, /no dialect perl; there are: pi, interceptors/],
  ["no dialect, and nobody to ask", ["guard"], 2, /no terminal to ask on: --dialect must be given/],
  ["nothing, and nobody to ask", [], 2, /NAME and --dialect must be given, as in cordon init my-guard/],
  ["a folder with files", ["full", "--dialect", "pi"], 1, /full is not empty/],
  ["a file", ["file", "--dialect", "pi"], 1, /file is there already, and no folder/],
  ["a link to an empty folder", ["link", "--dialect", "pi"], 1, /link is there already, and no folder/],
] as const)("refuses %s, and writes nothing", async (_name, args, code, message) => {
  const { folder, settings } = place();
  writeFiles(folder, { "full/mine.txt": "mine", file: "mine" });
  mkdirSync(join(folder, "empty"));
  symlinkSync(join(folder, "empty"), join(folder, "link"));
  const before = filesIn(folder);
  const { code: ended, stdout, stderr } = await cordon(["init", ...args], settings);
  expect({ ended, stdout, stderr }).toEqual({ ended: code, stdout: "", stderr: expect.stringMatching(message) });
  expect(stderr.trim().split("\n")).toHaveLength(1);
  expect(filesIn(folder)).toEqual(before);
});

test("an empty folder is filled, and what was killed leaves a whole folder or none", async () => {
  const { folder, settings } = place();
  mkdirSync(join(folder, "guard"));
  expect(await cordon(["init", "guard", "--dialect", "pi"], settings)).toMatchObject({ code: 0 });
  expect(existsSync(join(folder, "guard", "index.ts"))).toBe(true);
  // Killed as soon as a draft is there, and so between its files, or a little later.
  for (const [at, ms] of [0, 0, 1, 2].entries()) {
    const child = startCordon(["init", `killed-${at}`, "--dialect", "pi"], settings);
    const ended = new Promise((resolve) => child.on("close", resolve));
    while (child.exitCode === null && !readdirSync(folder).some((name) => name.startsWith(`killed-${at}`)))
      await delay(0);
    await delay(ms);
    child.kill("SIGKILL");
    await ended;
    const whole = join(folder, `killed-${at}`);
    if (existsSync(whole)) expect(filesIn(whole), String(at)).toEqual(FILES);
    // The next one removes what a killed one left.
    if (!existsSync(whole))
      expect(await cordon(["init", `killed-${at}`, "--dialect", "pi"], settings)).toMatchObject({ code: 0 });
  }
  expect(readdirSync(folder).filter((name) => name.endsWith(".tmp"))).toEqual([]);
});

test("on a terminal it asks for the name and the dialect", async () => {
  const { folder, settings } = place();
  const terminal = await Terminal.open({ folder, home: settings.home, work: folder, env: {} });
  await terminal.run("cordon init", async () => {
    await terminal.shows("Name of the package");
    terminal.press("asked", "Enter");
    await terminal.shows("What is the hook written for?");
    terminal.press("Down", "Enter");
  });
  expect(json(folder, "asked", "package.json").cordon.dialect).toBe("interceptors");
});

test("it says where the types of an agent come from", async () => {
  const { settings } = place();
  const said = async (dialect: string) => (await cordon(["init", dialect, "--dialect", dialect], settings)).stdout;
  expect(await said("strands")).toMatch(/\nits types, for your editor: npm install --save-dev @strands-agents\/sdk\n$/);
  expect(await said("pi")).toMatch(/&& npm test\n$/);
});

/** npm of the machine, with this repository's Node 26 first on PATH. */
function npm(args: string[], cwd: string, more: NodeJS.ProcessEnv = {}): string {
  const path = [
    dirname(process.execPath),
    ...(process.env.PATH ?? "").split(delimiter).filter((entry) => !entry.startsWith(PACKAGE_ROOT)),
  ].join(delimiter);
  const all = { ...process.env, ...more, PATH: path, NO_COLOR: "1", VITEST: undefined, NODE_ENV: undefined };
  const env = Object.fromEntries(Object.entries(all).filter(([name]) => !/^npm_|^VITEST/.test(name)));
  return execFileSync("npm", args, { cwd, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], timeout: 240_000 });
}

test("with the packed package installed, npm test is green at once", { timeout: 600_000 }, async () => {
  const { folder, settings } = place();
  const env = { CORDON_RUNTIME: runtimeIn(join(folder, "runtime")) };
  const [packed] = JSON.parse(npm(["pack", "--json", "--ignore-scripts", "--pack-destination", folder], PACKAGE_ROOT));
  const [first, ...others] = sampled(DIALECTS, 5).map((dialect) => `guard-${dialect}`) as [string, ...string[]];
  for (const name of [first, ...others]) await cordon(["init", name, "--dialect", name.slice(6)], settings);
  npm(
    ["install", "--prefer-offline", "--no-audit", "--no-fund", "--save-dev", join("..", packed.filename)],
    join(folder, first),
  );
  for (const name of [first, ...others]) {
    // The others have the same dependencies.
    if (name !== first) symlinkSync(join(folder, first, "node_modules"), join(folder, name, "node_modules"));
    expect(npm(["test"], join(folder, name), env), name).toMatch(/Tests +\d passed/);
  }
  expect(npm(["run", "--silent", "check"], join(folder, first), env)).toMatch(/state +loads/);
});
