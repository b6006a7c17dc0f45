import { chmodSync, copyFileSync, existsSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { expect, test } from "vitest";
import { PACKAGE_ROOT } from "../../src/base/package-root.ts";
import { addonFor } from "../../src/runtime/addon.ts";
import { locateRuntime, runtimeAddon, runtimeNode } from "../../src/runtime/locate.ts";
import { nodeHere } from "../../src/runtime/nodes.ts";
import { temporaryFolder } from "../support/session.ts";

const ADDON = join(PACKAGE_ROOT, "node_modules", "isolated-vm");

/** A program that claims to be a Node of this version, and creates a mark when it runs. */
function fakeNode(file: string, version: string): { file: string; ran(): boolean } {
  const mark = `${file}.ran`;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `#!/bin/sh\n: > '${mark}'\necho v${version}\nexit 0\n`);
  chmodSync(file, 0o755);
  return { file, ran: () => existsSync(mark) };
}

/** A runtime folder as `cordon runtime install` makes it, with a fake Node. */
function runtimeFolder(folder: string, version = "26.1.0") {
  const node = fakeNode(runtimeNode(folder), version);
  symlinkSync(ADDON, runtimeAddon(folder));
  return node;
}

const search = (home: string, env: NodeJS.ProcessEnv, workspaces: string[] = []) =>
  locateRuntime({ home, workspaces, env });

test("CORDON_RUNTIME takes precedence over everything else", async () => {
  const folder = temporaryFolder();
  const named = runtimeFolder(join(folder, "named"));
  const installed = runtimeFolder(join(folder, "home", "runtime"));
  const found = await search(join(folder, "home"), { CORDON_RUNTIME: join(folder, "named"), PATH: "" });
  expect(found).toMatchObject({ node: named.file, major: 26, origin: "CORDON_RUNTIME" });
  expect(installed.ran()).toBe(false);
});

test("the installed runtime takes precedence over this process's own Node and PATH", async () => {
  const folder = temporaryFolder();
  const installed = runtimeFolder(join(folder, "home", "runtime"));
  const onPath = fakeNode(join(folder, "bin", "node"), "26.1.0");
  const found = await search(join(folder, "home"), { PATH: join(folder, "bin") });
  expect(found).toMatchObject({ node: installed.file, major: 26 });
  expect(onPath.ran()).toBe(false);
});

test("this process's own Node takes precedence over PATH", async () => {
  const folder = temporaryFolder();
  const onPath = fakeNode(join(folder, "bin", "node"), "26.1.0");
  const found = await search(join(folder, "home"), { PATH: join(folder, "bin") });
  expect(found.major).toBe(26);
  expect(found.addon).toContain("abi147");
  expect(onPath.ran()).toBe(false);
});

test("each runtime gets the addon that was built for its Node", () => {
  expect(addonFor(ADDON, 26)).toMatch(/abi147\.glibc\.node$|abi147\.musl\.node$|abi147\.node$/);
  expect(addonFor(ADDON, 24)).toContain("abi137");
  expect(addonFor(ADDON, 22)).toBeUndefined();
});

const BROKEN: { name: string; make(folder: string): string; says: RegExp }[] = [
  { name: "a relative folder", make: () => "runtime", says: /CORDON_RUNTIME must be an absolute folder/ },
  {
    name: "a missing folder",
    make: (folder) => join(folder, "none"),
    says: /no working Node.*cordon runtime install/,
  },
  {
    name: "a folder whose Node does not run",
    make: (folder) => {
      const { file } = runtimeFolder(join(folder, "r"));
      writeFileSync(file, "#!/bin/sh\nexit 1\n");
      return join(folder, "r");
    },
    says: /no working Node.*cordon runtime install/,
  },
  {
    name: "a folder without the addon",
    make: (folder) => {
      fakeNode(runtimeNode(join(folder, "r")), "26.1.0");
      return join(folder, "r");
    },
    says: /no isolated-vm for Node 26.*cordon runtime install/,
  },
  {
    name: "a Node without a matching addon",
    make: (folder) => {
      runtimeFolder(join(folder, "r"), "22.12.0");
      return join(folder, "r");
    },
    says: /no isolated-vm for Node 22.*cordon runtime install/,
  },
];

test.each(BROKEN)(
  "CORDON_RUNTIME as $name is NO_RUNTIME with the remedy, and nothing else is tried",
  async ({ make, says }) => {
    const folder = temporaryFolder();
    runtimeFolder(join(folder, "home", "runtime"));
    const found = search(join(folder, "home"), { CORDON_RUNTIME: make(folder), PATH: process.env.PATH });
    await expect(found).rejects.toMatchObject({ code: "NO_RUNTIME", message: expect.stringMatching(says) });
  },
);

const OURS = nodeHere() ?? { spec: "none@0", program: 0 };
const AS_FETCHED = { size: OURS.program, version: OURS.spec.split("@")[1], mode: 0o755 };

test.each([
  { name: "as it was fetched", change: {}, isAsked: false },
  { name: "a byte shorter", change: { size: OURS.program - 1 }, isAsked: true },
  { name: "a byte longer", change: { size: OURS.program + 1 }, isAsked: true },
  { name: "of another version", change: { version: "26.9.0" }, isAsked: true },
  { name: "that nobody may run", change: { mode: 0o644 }, isAsked: true },
])("the installed Node $name is asked for its version: $isAsked", async ({ change, isAsked }) => {
  const { size, version, mode } = { ...AS_FETCHED, ...change };
  const folder = temporaryFolder();
  const runtime = join(folder, "home", "runtime");
  const { file, ran } = runtimeFolder(runtime);
  // A shell runs its first lines.
  truncateSync(file, size);
  chmodSync(file, mode);
  writeFileSync(join(runtime, "node", "package.json"), JSON.stringify({ name: OURS.spec.split("@")[0], version }));
  const found = search(join(folder, "home"), { PATH: "" });
  if (mode & 0o111) await expect(found).resolves.toMatchObject({ node: file, major: 26, ffi: true });
  else await expect(found).rejects.toMatchObject({ code: "NO_RUNTIME" });
  expect(ran()).toBe(isAsked && mode === 0o755);
});

test("a copy of this Node in a runtime folder is recognised by its real version", async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "r", "node", "bin"), { recursive: true });
  copyFileSync(process.execPath, runtimeNode(join(folder, "r")));
  chmodSync(runtimeNode(join(folder, "r")), 0o755);
  symlinkSync(ADDON, runtimeAddon(join(folder, "r")));
  const found = await search(join(folder, "home"), {
    CORDON_RUNTIME: join(folder, "r"),
    PATH: [folder].join(delimiter),
  });
  expect(found).toMatchObject({ major: Number.parseInt(process.versions.node, 10), origin: "CORDON_RUNTIME" });
});
