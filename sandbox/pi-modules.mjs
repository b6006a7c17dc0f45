/**
 * Builds the parts of pi's own packages that work in an isolate, into `dist/sandbox/modules`: each of their modules is a file
 * there, so that a hook's bundle contains only those that it uses.
 */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, transformSync } from "esbuild";
import { PART } from "./wire/part-files.ts";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const agents = here("guest/agents/");
const own = (name) => `${agents}pi/${name}.ts`;
const distOf = (name) => dirname(fileURLToPath(import.meta.resolve(`@earendil-works/${name}`)));

const ENTRIES = ["pi-agent-core", "pi-ai", "pi-ai-compat", "pi-ai-providers", "pi-hooks", "pi-tui"];

const AGENT = distOf("pi-coding-agent");
const TUI = distOf("pi-tui");
const AI = distOf("pi-ai");
const CORE = distOf("pi-agent-core");
const PACKAGES = { "pi-coding-agent": AGENT, "pi-tui": TUI, "pi-ai": AI, "pi-agent-core": CORE };

/** Modules of pi's that reach outside an isolate, and ours in their place. */
const INSTEAD = new Map([
  [join(AGENT, "cli/args.js"), own("thinking-levels")],
  [join(AGENT, "config.js"), own("config")],
  [join(AGENT, "core/tools/file-mutation-queue.js"), own("mutation-queue")],
  [join(AGENT, "core/tools/truncate.js"), own("truncate")],
  [join(AGENT, "modes/interactive/theme/theme.js"), own("theme")],
  [join(AGENT, "utils/fs-watch.js"), own("theme-files")],
  [join(AGENT, "utils/image-convert.js"), own("images")],
  [join(AGENT, "utils/image-resize.js"), own("images")],
  [join(AGENT, "utils/shell.js"), own("shell")],
  [join(AGENT, "utils/tools-manager.js"), own("search-programs")],
  [join(CORE, "stream-fn.js"), own("default-stream")],
  [join(TUI, "native-platform.js"), own("native")],
]);

/** Packages and built-ins that pi's modules import, and ours in their place. */
const IMPORTED = new Map([
  ["@earendil-works/pi-ai", `${agents}pi-ai.ts`],
  ["@earendil-works/pi-ai/compat", `${agents}pi-ai-compat.ts`],
  ["@earendil-works/pi-tui", join(TUI, "index.js")],
  ["chalk", own("chalk")],
  ["cross-spawn", own("shell")],
  // All languages: pi knows some without it.
  ["highlight.js/lib/index.js", own("nothing")],
  ["minimatch", own("model-patterns")],
  ["perf_hooks", own("performance")],
  ["proper-lockfile", own("lock-file")],
  ["undici", own("nothing")],
]);

/** The same, for one module of pi's. */
const IMPORTED_BY = new Map([
  [join(AGENT, "core/tools/bash.js"), { child_process: own("shell"), "fs/promises": own("shell") }],
  [join(AGENT, "core/tools/find.js"), { child_process: own("shell") }],
  [join(AGENT, "core/tools/grep.js"), { child_process: own("shell") }],
  [join(AGENT, "modes/interactive/theme/theme.js"), { fs: own("theme-files") }],
  [join(AGENT, "core/session-manager.js"), { fs: own("open-files") }],
  [join(AGENT, "utils/mime.js"), { "fs/promises": own("open-files") }],
  [join(TUI, "terminal-image.js"), { child_process: own("shell") }],
]);

/** Built-ins over a hook's powers are files beside those that are built here. The rest only compute: unenv has them. */
const OVER_POWERS = /^(child_process|crypto|fs|fs\/promises|os|process|readline|stream|timers|util)$/;

/** A module that nothing is imported from is left out: pi's modules do nothing else by being imported. */
const file = (path) => ({ path, sideEffects: false });

const resolution = {
  name: "pi-modules",
  setup({ onResolve, resolve }) {
    onResolve({ filter: /.*/ }, async ({ path, importer, kind, resolveDir, pluginData }) => {
      if (pluginData === "resolved" || kind === "entry-point") return undefined;
      const deep = /^@earendil-works\/(pi-[a-z-]+)\/dist\/(.+)$/.exec(path);
      if (deep) return file(join(PACKAGES[deep[1]], deep[2]));
      if (/^typebox(\/|$)/.test(path)) return { path, external: true };
      const besides = /^\.\.\/(?:\.\.\/)?node\/(.+)\.ts$/.exec(path);
      if (besides) return { path: `./${besides[1]}.js`, external: true };
      const name = path.replace(/^node:/, "");
      const isOurs = importer.startsWith(agents);
      const instead = isOurs ? undefined : (IMPORTED_BY.get(importer)?.[name] ?? IMPORTED.get(name));
      if (instead) return file(instead);
      if (OVER_POWERS.test(name)) return { path: `./${name.replace(/[/_]/, "-")}.js`, external: true };
      if (/^(assert|events|path|string_decoder|url)$/.test(name)) return { path: `node:${name}`, external: true };
      // What our modules import of a library is pi's own version of it.
      const from = isOurs && !path.startsWith(".") ? AGENT : resolveDir;
      const found = await resolve(path, { importer, kind, resolveDir: from, pluginData: "resolved" });
      if (found.errors.length > 0) return { errors: found.errors };
      return file((isOurs ? undefined : INSTEAD.get(found.path)) ?? found.path);
    });
  },
};

/**
 * V8 takes 12 ms to make this expression, and as long to check it before: no bundle that imports a component should wait for it.
 * pi only calls its `test`, and that for few texts.
 */
const EMOJI = "const rgiEmojiRegex = /^\\p{RGI_Emoji}$/v;";
const EMOJI_LATER = `let emoji;
const rgiEmojiRegex = { test: (text) => (emoji ??= new RegExp("^\\\\p{RGI_Emoji}$", "v")).test(text) };`;

const lateEmoji = {
  name: "late-emoji",
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]utils\.js$/ }, ({ path }) => {
      if (path !== join(TUI, "utils.js")) return undefined;
      const source = readFileSync(path, "utf8");
      if (!source.includes(EMOJI)) throw new Error(`pi's ${path} has no such line any more: ${EMOJI}`);
      return { contents: source.replace(EMOJI, () => EMOJI_LATER) };
    });
  },
};

const options = {
  bundle: true,
  platform: "neutral",
  mainFields: ["module", "main"],
  format: "esm",
  target: "es2024",
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: "none",
  splitting: true,
  chunkNames: `${PART}[hash]`,
  // pi looks at the terminal of the agent's process there. A hook has none: an object without variables, which needs no code.
  // The clients of models look there for keys and places: a hook names its own.
  define: { "process.env": "Object.prototype", "globalThis.process": "undefined" },
  loader: { ".json": "json" },
  logLevel: "warning",
  plugins: [resolution, lateEmoji],
};

const root = here("..");

/** Modules of pi's packages and ours: what they alone import is part of the same file. */
const isPart = (path) =>
  (path.startsWith(agents) && path !== own("nothing")) ||
  Object.values(PACKAGES).some((folder) => path.startsWith(folder));

/** Builds them. Resolves with the paths of all modules that were used. */
export async function buildPiModules(outdir) {
  const entries = Object.fromEntries(ENTRIES.map((name) => [name, `${agents}${name}.ts`]));
  const traced = await build({
    ...options,
    outdir,
    write: false,
    metafile: true,
    entryPoints: entries,
    absWorkingDir: root,
  });
  const used = Object.values(traced.metafile.outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [join(root, path)] : [])),
  );
  const parts = used.filter((path) => /\.[jt]s$/.test(path) && isPart(path) && !Object.values(entries).includes(path));
  // A module that is an entry, too, gets a file of its own. Its face as an entry is imported by nobody.
  const faces = Object.fromEntries(parts.map((path, at) => [`face-${at}`, path]));
  await build({ ...options, outdir, entryPoints: { ...entries, ...faces } });
  for (const face of Object.keys(faces)) rmSync(join(outdir, `${face}.js`));
  for (const name of ENTRIES) writeParts(outdir, name);
  return used;
}

/** Writes the parts of a module in a folder beside it: a bundle contains those that it uses. */
export function writeParts(folder, name) {
  const { code } = transformSync(readFileSync(join(folder, `${name}.js`), "utf8"), { minifyWhitespace: true });
  writeFileSync(join(folder, `${name}.parts.json`), JSON.stringify(partsOf(code)));
}

/** The file, and the name there, of each name that a module exports, whose code is nothing but imports and one export. */
function partsOf(code) {
  const named = (list) => list.split(",").map((one) => /^([\w$]+)(?: as ([\w$]+))?$/.exec(one).slice(1));
  const imported = new Map();
  const rest = code.replace(/import(?:\{([^}]*)\}from)?"(\.\/[^"]+|typebox)";/g, (_all, list, from) => {
    for (const [name, local = name] of named(list ?? "_")) imported.set(local, [from, name]);
    return "";
  });
  const [, list] = /^export\{([^}]*)\};\s*$/.exec(rest) ?? [];
  if (list === undefined) throw new Error(`not only imports and exports: ${rest.slice(0, 200)}`);
  return Object.fromEntries(named(list).map(([local, name = local]) => [name, imported.get(local)]));
}
