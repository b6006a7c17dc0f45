import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { PACKAGE_ROOT } from "../../src/base/package-root.ts";
import { temporaryFolder } from "../support/session.ts";

interface Package {
  name: string;
  version: string;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

interface Component {
  name: string;
  version: string;
  purl: string;
  licenses?: { license?: { id: string }; expression?: string }[];
  hashes?: { alg: string; content: string }[];
  properties: { name: string; value: string }[];
}

const packageIn = (folder: string): Package => JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));

/** Packages that npm installs with Cordon on this machine, found as Node finds them: `NAME@VERSION`. */
function installedWith(folder: string, found = new Set<string>()): Set<string> {
  const { dependencies, optionalDependencies } = packageIn(folder);
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
    let from = folder;
    while (!existsSync(join(from, "node_modules", name, "package.json")) && from !== dirname(from))
      from = dirname(from);
    const there = join(from, "node_modules", name);
    // A package of another platform.
    if (!existsSync(there)) continue;
    const known = `${name}@${packageIn(there).version}`;
    if (found.has(known)) continue;
    found.add(known);
    installedWith(there, found);
  }
  return found;
}

/** Of all packages of the lock, as an SBOM writes them. */
const lockedHash = new Set<string | undefined>(
  Object.values(
    (JSON.parse(readFileSync(join(PACKAGE_ROOT, "package-lock.json"), "utf8")) as { packages: object }).packages,
  ).flatMap(({ integrity }: { integrity?: string }) =>
    integrity ? [Buffer.from(integrity.replace("sha512-", ""), "base64").toString("hex")] : [],
  ),
);

test("the SBOM of a release names each package that is installed or bundled, with its licence", () => {
  const out = join(temporaryFolder(), "sbom.json");
  execFileSync(process.execPath, ["src/sbom.mjs", out], { cwd: PACKAGE_ROOT, stdio: "pipe" });
  const { bomFormat, metadata, components } = JSON.parse(readFileSync(out, "utf8")) as {
    bomFormat: string;
    metadata: { component: Component };
    components: Component[];
  };
  expect([bomFormat, metadata.component.name, metadata.component.version]).toEqual([
    "CycloneDX",
    "cordon",
    packageIn(PACKAGE_ROOT).version,
  ]);
  const named = new Set(components.map(({ name, version }) => `${name}@${version}`));
  const installed = [...installedWith(PACKAGE_ROOT)];
  expect(installed.map((one) => one.replace(/@[^@]+$/, ""))).toEqual(expect.arrayContaining(["esbuild", "typebox"]));
  expect(installed.filter((one) => !named.has(one))).toEqual([]);

  const isBundled = ({ properties }: Component): boolean => properties.some(({ name }) => name === "cordon:bundled");
  const bundled = components.filter(isBundled).map(({ name }) => name);
  for (const name of ["comlink", "typebox", "@modelcontextprotocol/sdk", "diff", "pacote", "ws", "@sinclair/typebox"])
    expect(bundled).toContain(name);
  expect(bundled.length).toBeGreaterThan(130);
  expect(components.filter(isBundled).filter(({ hashes }) => !lockedHash.has(hashes?.[0]?.content))).toEqual([]);
  expect(components.filter(({ licenses = [] }) => !(licenses[0]?.license?.id || licenses[0]?.expression))).toEqual([]);
  const purl = ({ name, version }: Component): string => `pkg:npm/${name.replace("@", "%40")}@${version}`;
  expect(components.filter((one) => one.purl !== purl(one))).toEqual([]);
  // Nothing of what only tests use.
  for (const name of ["vitest", "knip", "@biomejs/biome"])
    expect(components.map((one) => one.name)).not.toContain(name);
});
