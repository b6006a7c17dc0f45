import { execFileSync, spawnSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, delimiter, dirname, join } from "node:path";
import { buildSync } from "esbuild";
import { expect, test } from "vitest";
import { PACKAGE_ROOT } from "../../src/base/package-root.ts";
import { ADDON, addonFor, isReleased } from "../../src/runtime/addon.ts";
import { installedRuntime } from "../../src/runtime/install.ts";
import { needs } from "../support/needs.ts";
import { temporaryFolder } from "../support/session.ts";
import { SEARCH_PROGRAM } from "./search-program.ts";

/** The package as users have it: without the repository's own Node, with or without isolated-vm. */
function installedPackage(addon: boolean): { folder: string; work: string } {
  const folder = temporaryFolder();
  const work = join(folder, "work");
  mkdirSync(join(folder, "node_modules"), { recursive: true });
  mkdirSync(work);
  cpSync(join(PACKAGE_ROOT, "dist", "sandbox"), join(folder, "dist", "sandbox"), { recursive: true });
  buildSync({
    entryPoints: [join(PACKAGE_ROOT, "src", "runtime", "locate.ts")],
    outfile: join(folder, "dist", "src", "locate.js"),
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
  });
  writeFileSync(join(folder, "package.json"), '{"name":"cordon","type":"module"}');
  writeFileSync(join(folder, "search.mjs"), SEARCH_PROGRAM);
  if (addon)
    symlinkSync(join(PACKAGE_ROOT, "node_modules", "isolated-vm"), join(folder, "node_modules", "isolated-vm"));
  return { folder, work };
}

function fakeNode(folder: string, version: string) {
  mkdirSync(folder, { recursive: true });
  const mark = join(folder, "ran");
  writeFileSync(join(folder, "node"), `#!/bin/sh\n: > '${mark}'\necho v${version}\n`);
  chmodSync(join(folder, "node"), 0o755);
  return { ran: () => existsSync(mark) };
}

/** Searches in the working directory, with this Node as the agent's own, or for an agent on Electron without one. */
function search(agent: string, { folder, work }: { folder: string; work: string }, path: string[]) {
  const node = agent === "electron" ? process.execPath : agent;
  const { stdout, stderr } = spawnSync(node, [join(folder, "search.mjs"), folder, work, agent], {
    cwd: work,
    env: { PATH: path.join(delimiter) },
    encoding: "utf8",
  });
  if (!stdout) throw new Error(stderr);
  return JSON.parse(stdout);
}

/** A Node of this machine with another major version than the sandbox needs: any on PATH outside of node_modules. */
const oldNode = (process.env.PATH ?? "")
  .split(delimiter)
  .filter((entry) => !entry.includes("node_modules"))
  .map((entry) => join(entry, "node"))
  .find((file) => existsSync(file) && /^v2[0-3]\./.test(execFileSync(file, ["--version"], { encoding: "utf8" })));

test(
  "on a bare Node 20 there is no runtime, and the error names the command to run",
  needs(!oldNode && "the Node of the system"),
  () => {
    const node = oldNode as string;
    const found = search(node, installedPackage(true), [dirname(node)]);
    expect(found).toMatchObject({ code: "NO_RUNTIME", message: expect.stringContaining("cordon runtime install") });
    expect(found.message).toContain(node);
  },
);

test("without isolated-vm there is no runtime, and the error names the command to run", () => {
  const found = search(process.execPath, installedPackage(false), []);
  expect(found).toMatchObject({
    code: "NO_RUNTIME",
    message: expect.stringMatching(/isolated-vm.*cordon runtime install/),
  });
});

test("a fake node in the project's node_modules/.bin or in the working directory is never run, even if first on PATH", () => {
  const installed = installedPackage(true);
  const { folder, work } = installed;
  const fakes = [
    fakeNode(join(work, "node_modules", ".bin"), "26.1.0"),
    fakeNode(work, "26.1.0"),
    fakeNode(join(work, "bin"), "26.1.0"),
  ];
  const good = fakeNode(join(folder, "trusted"), "26.1.0");
  const path = [join(work, "node_modules", ".bin"), work, "", ".", "bin", "node_modules/.bin", join(folder, "trusted")];
  const found = search("electron", installed, path);
  expect(found).toMatchObject({ node: join(folder, "trusted", "node"), major: 26 });
  expect(fakes.map((fake) => fake.ran())).toEqual([false, false, false]);
  expect(good.ran()).toBe(true);
});

test("a fake node as the only one on PATH is not run: there is no runtime", () => {
  const installed = installedPackage(true);
  const fake = fakeNode(join(installed.work, "node_modules", ".bin"), "26.1.0");
  const found = search("electron", installed, [join(installed.work, "node_modules", ".bin")]);
  expect(found).toMatchObject({ code: "NO_RUNTIME" });
  expect(fake.ran()).toBe(false);
});

test("a Node 24 on PATH is used if there is no Node 26, with the addon built for it", () => {
  const installed = installedPackage(true);
  fakeNode(join(installed.folder, "bin24"), "24.3.0");
  const found = search("electron", installed, [join(installed.folder, "bin24")]);
  expect(found).toMatchObject({ major: 24, addon: expect.stringContaining("abi137") });
});

test.each(["24.3.0", "20.11.0"])("a Node 26 later on PATH is found after a Node %s", (version) => {
  const installed = installedPackage(true);
  fakeNode(join(installed.folder, "first"), version);
  fakeNode(join(installed.folder, "second"), "26.1.0");
  const path = [join(installed.folder, "first"), join(installed.folder, "second")];
  expect(search("electron", installed, path)).toMatchObject({ major: 26 });
});

/** Replaces the addon of an installed package by a copy, changed by `change`. */
function otherAddon({ folder }: { folder: string }, change: (file: string) => void): void {
  const place = join(folder, "node_modules", "isolated-vm");
  const real = realpathSync(place);
  rmSync(place);
  mkdirSync(place);
  for (const name of ["package.json", "prebuilds"]) cpSync(join(real, name), join(place, name), { recursive: true });
  change(addonFor(place, 26) as string);
}

const TAMPERED: [name: string, change: (file: string) => void][] = [
  ["has one byte more", (file) => appendFileSync(file, "\0")],
  ["was built for another Node", (file) => copyFileSync(file.replace("abi147", "abi137"), file)],
  ["is empty", (file) => writeFileSync(file, "")],
];

test.each(TAMPERED)("an addon beside Cordon that %s is not used", (_name, change) => {
  const installed = installedPackage(true);
  otherAddon(installed, change);
  expect(search(process.execPath, installed, [])).toMatchObject({
    code: "NO_RUNTIME",
    message: expect.stringMatching(
      /abi147\S*\.node is not the file that Cordon was released with; run: cordon runtime install$/,
    ),
  });
});

test("a copy of the released addon beside Cordon is used", () => {
  const installed = installedPackage(true);
  otherAddon(installed, () => {});
  expect(search(process.execPath, installed, [])).toMatchObject({ major: 26 });
});

test("every prebuilt file of the pinned isolated-vm is known by its hash", () => {
  const folder = join(PACKAGE_ROOT, "node_modules", "isolated-vm");
  const files = globSync("prebuilds/*/*.node", { cwd: folder });
  expect(files.length).toBeGreaterThan(10);
  expect(files.filter((file) => !isReleased(join(folder, file)))).toEqual([]);
  const { name, version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  expect(ADDON.spec).toBe(`${name}@${version}`);
});

test("an addon that was changed is not the released one, whatever was found before, and whatever its length and its time", () => {
  const original = addonFor(join(PACKAGE_ROOT, "node_modules", "isolated-vm"), 26) as string;
  const file = join(temporaryFolder(), basename(dirname(original)), basename(original));
  mkdirSync(dirname(file));
  copyFileSync(original, file);
  expect([isReleased(file), isReleased(file)]).toEqual([true, true]);
  const { atime, mtime } = statSync(file);
  const bytes = readFileSync(file);
  bytes.writeUInt8(bytes.readUInt8(5000) ^ 1, 5000);
  writeFileSync(file, bytes);
  utimesSync(file, atime, mtime);
  expect([isReleased(file), isReleased(file)]).toEqual([false, false]);
  rmSync(file);
  copyFileSync(original, file);
  expect(isReleased(file)).toBe(true);
});

test("the published package depends on no Node, and on no addon", () => {
  const { optionalDependencies = {}, dependencies = {} } = JSON.parse(
    readFileSync(join(PACKAGE_ROOT, "package.json"), "utf8"),
  );
  const names = Object.keys({ ...dependencies, ...optionalDependencies });
  expect(names.filter((name) => /^node(-bin)?-|isolated-vm/.test(name))).toEqual([]);
});

test.each([
  ["of the versions that are fetched is known", {}, true],
  ["with another Node is not", { node: "26.0.0" }, false],
  ["with another isolated-vm is not", { addon: "6.0.0" }, false],
])(
  "a runtime in the home %s",
  needs(!process.platform.startsWith("linux") && "Linux"),
  async (_name, other, isThere) => {
    const home = temporaryFolder();
    const folder = join(home, "runtime");
    const write = (path: string, name: string, version: string): void =>
      writeFileSync(join(folder, path, "package.json"), JSON.stringify({ name, version }));
    mkdirSync(join(folder, "node", "bin"), { recursive: true });
    symlinkSync(process.execPath, join(folder, "node", "bin", "node"));
    cpSync(join(PACKAGE_ROOT, "node_modules", "isolated-vm"), join(folder, "isolated-vm"), { recursive: true });
    // The repository's own Node and addon are those that users get.
    const own = `node-linux-${process.arch}`;
    const versionOf = (name: string): string =>
      JSON.parse(readFileSync(join(PACKAGE_ROOT, "node_modules", name, "package.json"), "utf8")).version;
    expect(await installedRuntime(home)).toBeUndefined();
    const { node = versionOf(own), addon = versionOf("isolated-vm") } = other as { node?: string; addon?: string };
    write("node", own, node);
    write("isolated-vm", "isolated-vm", addon);
    expect((await installedRuntime(home)) !== undefined).toBe(isThere);
  },
);
