import { execFile } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { PACKAGE_ROOT } from "../../src/base/package-root.ts";
import { Registry } from "../support/registry.ts";
import { print, type Row, round, Times } from "./measure.ts";

const run = promisify(execFile);
const MAIN = join(PACKAGE_ROOT, "dist", "src", "cli", "start.js");
const TURNS = 5;
const DEPENDENCIES = 30;

const HOOK = `export default (pi) => pi.on("tool_call", async (event) => {
  if (String(event.input.command).includes("rm -rf")) return { block: true, reason: "no" };
});`;

/** A hook without dependencies, and a hook with dependencies of twenty files each. */
function publish(registry: Registry): void {
  const dependencies = Object.fromEntries(Array.from({ length: DEPENDENCIES }, (_, at) => [`part${at}`, "^1.0.0"]));
  const files = Object.fromEntries(
    Array.from({ length: 20 }, (_, at) => [`lib/${at}.js`, `exports.part = "${"x".repeat(2000)}";`]),
  );
  for (const name of Object.keys(dependencies)) registry.publish({ name, version: "1.0.0", files });
  const hook = { version: "1.0.0", files: { "index.js": HOOK }, json: { cordon: { hooks: ["./index.js"] } } };
  registry.publish({ name: "small", ...hook });
  registry.publish({ name: "large", ...hook, dependencies });
}

/** Without the settings that `npm run` hands down, such as the registry of the clone. */
const withoutNpm = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !name.toLowerCase().startsWith("npm_")));

/** Times of `cordon add` and later commands, beside npm's for the same package. Both start with empty caches. */
export async function market(folder: string): Promise<boolean> {
  const registry = await Registry.start();
  publish(registry);
  const times = new Map<string, Times>();
  const measure = async (name: string, act: () => Promise<unknown>): Promise<void> => {
    const started = performance.now();
    await act();
    const of = times.get(name) ?? new Times();
    times.set(name, of);
    of.add((performance.now() - started) * 1000);
  };
  try {
    for (const name of ["small", "large"])
      for (let turn = 0; turn < TURNS; turn++) {
        const place = join(folder, "market");
        rmSync(place, { recursive: true, force: true });
        mkdirSync(join(place, "npm"), { recursive: true });
        writeFileSync(join(place, "npm", "package.json"), '{"name":"plain","version":"1.0.0"}');
        mkdirSync(join(place, "user"));
        writeFileSync(join(place, "user", ".npmrc"), `registry=${registry.url}\n`);
        const env = {
          ...withoutNpm(process.env),
          HOME: join(place, "user"),
          npm_config_cache: join(place, "npm-cache"),
          CORDON_HOME: join(place, "home"),
        };
        const npm = (...args: string[]) => run("npm", args, { cwd: join(place, "npm"), env });
        const cordon = (...args: string[]) => run(process.execPath, [MAIN, ...args], { cwd: place, env });
        const quiet = ["--ignore-scripts", "--no-audit", "--no-fund"];
        await measure(`npm install ${name}`, () => npm("install", name, ...quiet));
        await measure(`cordon add ${name}`, () => cordon("add", name, "--grant", "none"));
        await measure(`npm update ${name}`, () => npm("update", ...quiet));
        await measure(`cordon update ${name}`, () => cordon("update"));
      }
  } finally {
    await registry.close();
  }
  const of = (name: string): Times => times.get(name) as Times;
  const ms = (name: string): string => `${round(of(name).median / 1000)} ms`;
  const row = (what: string, ours: string, theirs: string): Row => ({
    what,
    value: ms(ours),
    beside: `${ms(theirs)} npm ${theirs.includes("install") ? "install" : "update"} --ignore-scripts`,
    ratio: of(ours).median / of(theirs).median,
  });
  return print(`Installing from a registry on this machine (median of ${TURNS}, empty caches)`, [
    row("`cordon add`, no dependencies: fetched, built, rehearsed, installed", "cordon add small", "npm install small"),
    row(`the same with ${DEPENDENCIES} dependencies`, "cordon add large", "npm install large"),
    row("`cordon update` with nothing newer", "cordon update large", "npm update large"),
  ]);
}
