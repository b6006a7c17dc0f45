/**
 * Copies what hooks get of packages into `dist/sandbox/offered`, by the names of the packages. Who installs Cordon installs none of
 * them, and a hook's build finds each file by its place.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { PURE_MODULES } from "./wire/pure-modules.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const packages = join(root, "node_modules");
const offered = join(root, "dist", "sandbox", "offered");
const unenv = join(packages, "unenv", "dist", "runtime", "node");

const options = {
  absWorkingDir: root,
  bundle: true,
  metafile: true,
  platform: "neutral",
  mainFields: ["module", "main"],
  format: "esm",
  target: "es2024",
  logLevel: "warning",
};

const descriptionOf = (name) => JSON.parse(readFileSync(join(packages, name, "package.json"), "utf8"));

/** Writes down which package the files of a folder are of, and whether they do something by being imported. */
function describe(name) {
  const { version, type, sideEffects } = descriptionOf(name);
  writeFileSync(join(offered, name, "package.json"), JSON.stringify({ name, version, type, sideEffects }));
}

/** Its package has 1,000 small files, each of which a hook's build would read: these are a few large ones. */
async function bundleTypebox(name) {
  const parts = Object.keys(descriptionOf(name).exports);
  const { metafile } = await build({
    ...options,
    entryPoints: parts.map((part) => ({ in: `${name}${part.slice(1)}`, out: part.slice(2) || "index" })),
    outdir: join(offered, name),
    splitting: true,
    minify: true,
    lineLimit: 120,
    legalComments: "none",
  });
  describe(name);
  return metafile;
}

/**
 * The names of TypeBox's main part: most bundles have these alone, and the sandbox process has the code. Each is read when a bundle
 * uses it.
 */
function nameTypebox({ outputs }) {
  const [, { exports }] = Object.entries(outputs).find(([path]) => path.endsWith("typebox/index.js"));
  // It exports a `Symbol` of its own.
  const library = 'globalThis[globalThis.Symbol.for("cordon.host")].library("typebox")';
  const lines = exports.map((name) => {
    const value = `/* @__PURE__ */ part(${JSON.stringify(name)});`;
    return name === "default" ? `export default ${value}` : `export const ${name} = ${value}`;
  });
  const text = [`const part = (name) => ${library}[name];`, ...lines, ""].join("\n");
  writeFileSync(join(offered, "typebox", "names.js"), text);
}

/** In place of Node's own modules. */
const builtins = {
  name: "builtins",
  setup({ onResolve }) {
    onResolve({ filter: /.*/ }, ({ path, kind }) => {
      const name = path.replace(/^node:/, "");
      if (kind === "entry-point" || !isBuiltin(name)) return undefined;
      return { path: join(unenv, `${name}.mjs`) };
    });
  },
};

const GLOBAL = /^((?:export )?const (\w+) = )globalThis\.\2;$/gm;

/** Takes a global as it is now, without making it: a hook may replace it later. */
const LATE =
  "const late = (name) => { const { get, value } = Object.getOwnPropertyDescriptor(globalThis, name) ?? {}; return () => get ? get.call(globalThis) : value; };";

/**
 * A module that exports globals as its own members. To read a large one makes it: a hook's build leaves these out where nobody uses
 * them, and the default export has them when they are read.
 */
function withLateGlobals(text) {
  const names = [...text.matchAll(GLOBAL)].map(([, , name]) => name);
  if (names.length === 0) return text;
  const taken = names.map((name) => `const late${name} = /* @__PURE__ */ late("${name}");\n`);
  const member = (all, name) =>
    names.includes(name)
      ? `get ${name}() { return late${name}(); }, set ${name}(value) { Object.defineProperty(this, "${name}", { value, writable: true, enumerable: true, configurable: true }); },`
      : all;
  const changed = text.replace(GLOBAL, "$1/* @__PURE__ */ late$2();");
  const [before, ...rest] = changed.split(/^(?=export default \{$)/m);
  return [`${LATE}\n`, ...taken, before, ...rest.map((part) => part.replace(/^\t(\w+),$/gm, member))].join("");
}

/** Modules with all that they import: a hook's build decides what to leave out of them. */
async function copyModules(entryPoints) {
  const { metafile } = await build({ ...options, entryPoints, outdir: offered, write: false, plugins: [builtins] });
  const paths = Object.keys(metafile.inputs);
  const files = paths.map((path) => relative(packages, join(root, path)));
  for (const file of files) {
    mkdirSync(join(offered, dirname(file)), { recursive: true });
    writeFileSync(join(offered, file), withLateGlobals(readFileSync(join(packages, file), "utf8")));
  }
  for (const name of new Set(files.map((file) => file.split(sep)[0]))) describe(name);
  return paths;
}

/**
 * Resolves with the paths of all files that were used.
 *
 * @param imported what Cordon's own modules import of unenv
 */
export async function buildOffered(imported) {
  rmSync(offered, { recursive: true, force: true });
  const [newer, older] = [await bundleTypebox("typebox"), await bundleTypebox("@sinclair/typebox")];
  nameTypebox(newer);
  return [
    ...(await copyModules([...PURE_MODULES.map((name) => `unenv/node/${name}`), ...imported])),
    ...Object.keys(newer.inputs),
    ...Object.keys(older.inputs),
  ];
}
