/**
 * Writes a CycloneDX SBOM of what a release brings: the packages that npm installs with it, as `npm sbom` sees them, and those whose
 * code is bundled into `dist`. Usage: node src/sbom.mjs OUT
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { packagesIn } from "../sandbox/licences.mjs";

const inRoot = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const read = (path) => JSON.parse(readFileSync(inRoot(path), "utf8"));

/** The SBOM of the installed packages. The workspaces of this repository are left out: the agents of its tests fit badly together. */
function installed() {
  const { name, version, license, dependencies, optionalDependencies } = read("package.json");
  const root = { name, version, license, dependencies, optionalDependencies };
  const { packages, ...lock } = read("package-lock.json");
  const kept = Object.entries(packages).filter(
    ([path, { dev, peer, link }]) => path.startsWith("node_modules/") && !dev && !peer && !link,
  );
  const place = mkdtempSync(join(tmpdir(), "cordon-sbom-"));
  // npm names the SBOM after the folder.
  const folder = join(place, name);
  try {
    mkdirSync(folder);
    writeFileSync(join(folder, "package.json"), JSON.stringify(root));
    writeFileSync(
      join(folder, "package-lock.json"),
      JSON.stringify({ ...lock, packages: { "": root, ...Object.fromEntries(kept) } }),
    );
    const args = ["sbom", "--package-lock-only", "--sbom-format", "cyclonedx", "--sbom-type", "application"];
    return JSON.parse(
      execFileSync("npm", args, { cwd: folder, encoding: "utf8", maxBuffer: 64 * 1024 * 1024, stdio: "pipe" }),
    );
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

/** The packages whose code is part of `dist`, from the headings of its licences. */
function bundled() {
  const { packages } = read("package-lock.json");
  const text = readFileSync(inRoot("dist/LICENCES.md"), "utf8");
  return packagesIn(text).map(({ name, version, licence }) => {
    const locked = Object.entries(packages).find(
      ([path, one]) => path.endsWith(`node_modules/${name}`) && one.version === version && one.integrity,
    );
    if (!locked) throw new Error(`${name}@${version} is bundled, and package-lock.json has no hash of it`);
    return component(name, version, licence, locked[1].integrity);
  });
}

function component(name, version, licence, integrity) {
  const [algorithm, ...base64] = integrity.split("-");
  const isExpression = / (OR|AND|WITH) /.test(licence);
  return {
    "bom-ref": `${name}@${version}#bundled`,
    type: "library",
    name,
    version,
    scope: "required",
    purl: `pkg:npm/${name.replace("@", "%40")}@${version}`,
    hashes: [
      {
        alg: algorithm.replace("sha", "SHA-"),
        content: Buffer.from(base64.join("-"), "base64").toString("hex"),
      },
    ],
    licenses: [isExpression ? { expression: licence } : { license: { id: licence } }],
    properties: [{ name: "cordon:bundled", value: "true" }],
  };
}

const bom = installed();
bom.components.push(...bundled());
writeFileSync(process.argv[2], `${JSON.stringify(bom)}\n`);
