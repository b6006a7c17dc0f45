import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readFileSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, join } from "node:path";
import { expect, test } from "vitest";
import { PACKAGE_ROOT } from "../../src/base/package-root.ts";
import { isSupported } from "../../src/cli/supported-node.ts";
import { needs } from "../support/needs.ts";
import { OLDEST_NODE } from "../support/oldest-node.ts";
import { onToolCall, temporaryFolder, writeFiles } from "../support/session.ts";

type Compare = (one: string, other: string) => boolean;
const { satisfies, intersects }: Record<"satisfies" | "intersects", Compare> = createRequire(import.meta.url)("semver");

const START = join(PACKAGE_ROOT, "dist/src/cli/start.js");
const { engines, dependencies } = JSON.parse(readFileSync(join(PACKAGE_ROOT, "package.json"), "utf8"));
const { packages } = JSON.parse(readFileSync(join(PACKAGE_ROOT, "package-lock.json"), "utf8"));

const MAJORS = Array.from({ length: 20 }, (_, at) => at + 12);
const VERSIONS = MAJORS.flatMap((major) =>
  [0, 1, 14, 15, 16, 22, 23].flatMap((minor) => [0, 1, 2, 3].map((patch) => `${major}.${minor}.${patch}`)),
);

test("the command starts on the versions that engines names, and on no others", () => {
  const odd = VERSIONS.filter((version) => isSupported(version) !== satisfies(version, engines.node));
  expect(odd).toEqual([]);
});

/** The packages whose code is part of what runs on the agent's Node, as the lock calls them. */
function bundledPlaces(): string[] {
  const licences = readFileSync(join(PACKAGE_ROOT, "dist", "LICENCES.md"), "utf8");
  const headings = [...licences.matchAll(/^## (\S+) (\d\S*) \(.+\)$/gm)];
  return headings.flatMap(([, name, version]) =>
    Object.keys(packages).filter(
      (place) => place.endsWith(`node_modules/${name}`) && packages[place].version === version,
    ),
  );
}

test("engines is the range that all packages installed with Cordon, and bundled, support", () => {
  const needed = new Map<string, string>(bundledPlaces().map((at) => [at, packages[at].engines?.node ?? "*"]));
  const visit = (names: string[], place: string): void => {
    for (const name of names) {
      const at = [`${place}/node_modules/${name}`, `node_modules/${name}`].find((path) => packages[path]);
      if (at === undefined || needed.has(at)) continue;
      needed.set(at, packages[at].engines?.node ?? "*");
      visit(Object.keys(packages[at].dependencies ?? {}), at);
    }
  };
  visit(Object.keys(dependencies), "");
  expect(needed.size).toBeGreaterThan(100);
  const within = (version: string): boolean => [...needed.values()].every((range) => satisfies(version, range));
  expect(VERSIONS.filter((version) => within(version) !== satisfies(version, engines.node))).toEqual([]);
  for (const range of needed.values()) expect(intersects(range, engines.node)).toBe(true);
});

const LINE = /^cordon: Node \d+\.\d+\.\d+ is too old: 22\.22\.2, 24\.15\.0, 26\.0\.0 or later .*\n$/;

test.each(["20.20.2", "22.22.1", "24.14.9", "25.9.0", "18.0.0"])("Node %s gets one line", (version) => {
  const pretend = `data:text/javascript,Object.defineProperty(process.versions,"node",{value:"${version}"})`;
  const { status, stdout, stderr } = spawnSync(process.execPath, ["--import", pretend, START, "list"], {
    encoding: "utf8",
  });
  expect([status, stdout]).toEqual([1, ""]);
  expect(stderr).toMatch(LINE);
});

/** A Node of this machine that is too old, if it has one. */
const OLD = (process.env.PATH ?? "")
  .split(delimiter)
  .map((folder) => join(folder, "node"))
  .filter((path) => !path.startsWith(PACKAGE_ROOT) && existsSync(path))
  .find((path) => !isSupported(execFileSync(path, ["-p", "process.versions.node"], { encoding: "utf8" }).trim()));

test("a real Node that is too old gets that line, too", needs(OLD === undefined && "a Node that is too old"), () => {
  const { status, stdout, stderr } = spawnSync(OLD as string, [START, "--help"], { encoding: "utf8" });
  expect([status, stdout]).toEqual([1, ""]);
  expect(stderr).toMatch(LINE);
});

test(
  "the oldest supported Node runs the agent of the examples",
  needs(OLDEST_NODE === undefined && "the oldest supported Node"),
  () => {
    const folder = temporaryFolder();
    writeFiles(folder, { "gate.ts": onToolCall("return undefined;") });
    const args = [join(PACKAGE_ROOT, "examples", "agent.ts"), join(folder, "gate.ts"), "echo hello"];
    const env = { ...process.env, CORDON_HOME: join(folder, "home"), NODE_OPTIONS: "" };
    const { status, stdout } = spawnSync(OLDEST_NODE as string, args, { encoding: "utf8", cwd: folder, env });
    // Sandboxes do not run on that Node: what it prints is its own.
    expect([status, stdout]).toEqual([0, expect.stringMatching(/gate\.ts blocked echo hello: .*\(NO_RUNTIME\)/)]);
  },
);

test(
  "the oldest supported Node runs the command",
  needs(OLDEST_NODE === undefined && "the oldest supported Node"),
  () => {
    const { status, stdout } = spawnSync(OLDEST_NODE as string, [START, "--help"], { encoding: "utf8" });
    expect(status).toBe(0);
    expect(stdout).toContain("Usage: cordon");
  },
);

test(
  "Vitest compiles what the tests of a new hook use and the oldest supported Node lacks",
  needs(OLDEST_NODE === undefined && "the oldest supported Node"),
  () => {
    const folder = temporaryFolder();
    const source = "{ await using hook = { [Symbol.asyncDispose]: async () => console.log('ended') }; void hook; }\n";
    writeFiles(folder, {
      "a.mjs": source,
      "a.test.ts": `import { test } from "vitest";\ntest("it", async () => ${source.trimEnd()});\n`,
    });
    symlinkSync(join(PACKAGE_ROOT, "node_modules"), join(folder, "node_modules"));
    const env = { PATH: process.env.PATH, HOME: folder, NO_COLOR: "1" };
    const run = (...args: string[]) => spawnSync(OLDEST_NODE as string, args, { encoding: "utf8", cwd: folder, env });
    expect(run("a.mjs").stderr).toContain("SyntaxError");
    const { status, stdout } = run(join("node_modules", "vitest", "vitest.mjs"), "run");
    expect([status, stdout]).toEqual([0, expect.stringContaining("ended")]);
  },
);
