/** A build process: for each line of its standard input, a {@link BuildRequest}, it writes one with the {@link BuildAnswer}. */

import { isBuiltin } from "node:module";
import { basename, dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { build, type Message, type Metafile, transform } from "esbuild";
import { MAX_BUNDLE_BYTES } from "../../sandbox/wire/messages.ts";
import { readJson } from "../../sandbox/wire/read-json.ts";
import { attemptOr } from "../base/attempt.ts";
import type { ErrorCode } from "../base/errors.ts";
import { didYouMean } from "../base/near-names.ts";
import { inQuotes } from "../base/text.ts";
import { powersIn } from "../grants/signs.ts";
import { writtenIn } from "../grants/written.ts";
import { ALL, addName, type Names, nameIn, specifierOf } from "./asked-names.ts";
import { FOLLOW_FRAMES, usesAsyncHooks, withoutAsync } from "./async-context.ts";
import { type Carried, carriedFiles, carriesIn, carryingCode } from "./carried-files.ts";
import { GLOBAL_MEMBERS, globalsModule, likelyGlobals, namedGlobals } from "./offered-globals.ts";
import { isAgentModule, offeredBeside, offeredModule, partsOf, typeboxNames } from "./offered-modules.ts";
import { offeredNames } from "./offered-names.ts";
import { CARRYING, type Findings, LACKED, ownFolder } from "./own-folder.ts";
import { asksForPart, NO_PART } from "./part-imports.ts";
import { whyLacking } from "./pi-lacking.ts";
import { pluginHere } from "./plugin-found.ts";
import type { BuildAnswer, BuildRequest } from "./protocol.ts";
import { isRefusedModule } from "./refused-modules.ts";
import { isStatic, staticsCalled } from "./stubs.ts";
import { thinned } from "./thinned-map.ts";
import { unavailableIn } from "./unavailable-members.ts";
import { VisibleFiles } from "./visible-files.ts";

/** Warnings that are wrong code here: `module.exports` beside a top-level await never takes effect. */
const FATAL_WARNINGS = new Set(["commonjs-variable-in-esm", "require-resolve-not-external"]);

/** Most errors of a build that are told: who mends one need not come back for the next. */
const MAX_TOLD = 5;

/** The name of the code that loads a hook, which is in no file. */
const LOADING = "<cordon>";

/** A build that failed for static imports of refused built-ins and lacked packages alone, and how that failure is told. */
interface Deferred {
  readonly errors: readonly Message[];
  readonly answer: BuildAnswer;
}

/** What an earlier build of the same hook found out. */
interface Known {
  readonly wanted?: Names;
  readonly deferred?: Deferred;
  /** As in {@link Findings}. */
  readonly offeredAs?: ReadonlyMap<string, string>;
  /** Without the spaces that nobody needs: a large one is written so. */
  readonly dense?: boolean;
  /** The main part of TypeBox is in the bundle itself. */
  readonly hasTypebox?: boolean;
  /** What it carries, by package. */
  readonly carried?: readonly Carried[];
  /** With all that was read to find that out. */
  readonly files?: VisibleFiles;
}

async function bundle(request: BuildRequest, known: Known = {}): Promise<BuildAnswer> {
  const { deferred, dense = false, hasTypebox = false, carried } = known;
  const carrying = carryingCode(carried ?? []);
  const { root, entry } = request;
  const files = known.files ?? new VisibleFiles(root);
  const findings: Findings = {
    offeredAs: new Map(known.offeredAs),
    imports: new Set(),
    lacks: new Set(),
    members: new Map(),
  };
  const { offeredAs, imports } = findings;
  const file = join(root, entry);
  const wanted =
    known.wanted ?? new Map([[globalsModule(), likelyGlobals(attemptOr(() => files.read(file).toString(), ""))]]);
  try {
    const result = await build({
      // Evaluated lazily inside a promise: what the bundle throws is then caught inside the isolate.
      stdin: {
        contents: `globalThis.__cordonLoad(() => import(${JSON.stringify(`./${basename(file)}`)}))`,
        resolveDir: dirname(file),
        sourcefile: LOADING,
      },
      absWorkingDir: root,
      outfile: join(root, "cordon-hook.js"),
      bundle: true,
      write: false,
      format: "esm",
      platform: "neutral",
      mainFields: ["module", "main"],
      conditions: ["module", "node"],
      target: "es2024",
      sourcemap: "external",
      sourcesContent: false,
      legalComments: "none",
      charset: "utf8",
      logLevel: "silent",
      logLimit: 0,
      tsconfigRaw: "{}",
      nodePaths: [],
      inject: [globalsModule(), ...(carrying ? [CARRYING] : [])],
      define: GLOBAL_MEMBERS,
      metafile: true,
      minifyWhitespace: dense,
      plugins: [ownFolder(root, files, findings, wanted, { carrying, defersAll: deferred !== undefined, hasTypebox })],
    });
    const text = (end: string) => result.outputFiles.find((output) => output.path.endsWith(end))?.text;
    const asking = asksForPart(result.metafile, root);
    if (asking !== undefined) return refusal("IMPORT_REFUSED", `${asking}: ${NO_PART}`);
    for (const name of namedGlobals(text(".js") ?? "")) addName(findings.members, globalsModule(), name);
    for (const [file, names] of wanted)
      for (const name of staticsCalled(text(".js") ?? "", names)) addName(findings.members, file, name);
    const more = membersOfParts(findings, wanted);
    if (more) return bundle(request, { ...known, wanted: more });
    if (!hasTypebox && splitsTypebox(result.metafile, root))
      return bundle(request, { ...known, wanted, hasTypebox: true });
    if (request.packed && !carried && [...imports].some((name) => READS_FILES.test(name))) {
      const found = carriedFiles(result.metafile, root, files);
      if (found.length > 0) return bundle(request, { ...known, wanted, carried: found, files });
    }
    if (deferred) {
      const evaluated = evaluatedAtLoad(result.metafile, entry);
      if (deferred.errors.some(({ location }) => evaluated.has(location?.file ?? entry))) return deferred.answer;
    }
    const fatal = result.warnings.filter((warning) => FATAL_WARNINGS.has(warning.id));
    if (fatal.length > 0) return await failed(fatal, root, offeredAs);
    const built = {
      code: text(".js") ?? "",
      map: text(".map") ?? "{}",
    };
    if (requiresAsync(built.code))
      return refusal("LOAD_FAILED", "require() of a module with a top-level await: import it instead");
    const followed = usesAsyncHooks(result.metafile, root) ? await withoutAsync(built, FOLLOW_FRAMES) : built;
    const { code, map, branches } = request.branches
      ? await counted(followed, files)
      : { ...followed, branches: undefined };
    const plugin = pluginHere(request, files);
    const bytes = Buffer.byteLength(code);
    if (bytes > MAX_BUNDLE_BYTES && !dense) return bundle(request, { ...known, wanted, dense: true });
    if (bytes > MAX_BUNDLE_BYTES)
      return refusal("BUNDLE_TOO_LARGE", `the bundle has ${bytes} bytes; the limit is ${MAX_BUNDLE_BYTES}`);
    return {
      ok: true,
      code,
      map: thinned(map, files.isOwnCode),
      files: files.seen,
      absent: files.absent,
      ...(carried ? { carries: carriesIn(carried, root) } : {}),
      ...(branches ? { branches } : {}),
      imports: [...imports].sort(),
      ...plugin,
      uses: [...powersIn(files.ownCode()), ...(/\bWebAssembly\s*\./.test(code) ? ["limits.wasm"] : [])],
      written: writtenIn(files.ownCode()),
      lacks: [...findings.lacks, ...lackedNames(wanted, offeredAs), ...unavailableIn(files.ownCode())].sort(),
      // esbuild reports which names a built-in module lacks.
      node: process.versions.node.replace(/\.\d+$/, ""),
    };
  } catch (error) {
    const { errors, message } = error as Error & { errors?: Message[] };
    // esbuild used too much memory or CPU time, or crashed: this process ends, too.
    if (message.startsWith("The service ")) throw error;
    const missing = errors ? missingNames(errors, root, findings, wanted) : undefined;
    if (missing) return bundle(request, { ...known, wanted: missing, offeredAs });
    if (errors && !deferred && errors.every(mayBeDeferred))
      return bundle(request, { ...known, wanted, deferred: { errors, answer: await failed(errors, root, offeredAs) } });
    return errors?.length ? failed(errors, root, offeredAs) : refusal("LOAD_FAILED", message);
  }
}

const READS_FILES = /^(?:node:)?fs(?:\/promises)?$/;

/** Whether it matters only where the importing module is evaluated. */
const mayBeDeferred = ({ detail, text }: Message): boolean =>
  detail === LACKED || (detail === "IMPORT_REFUSED" && isRefusedModule(text));

/** A bundle with another part of TypeBox has to have the main one, too: they share what a program sets for all of them. */
function splitsTypebox({ inputs }: Metafile, root: string): boolean {
  const parts = Object.keys(inputs).filter((path) => dirname(resolve(root, path)) === dirname(typeboxNames()));
  return parts.length > 1 && parts.some((path) => resolve(root, path) === typeboxNames());
}

/** The same with counters. The parser loads at first use. */
const counted = async (built: { code: string; map: string }, files: VisibleFiles) =>
  (await import("./branches.ts")).withBranches(built, files.isOwnCode);

/** The files that are evaluated when the bundle loads: those that static imports lead to. */
function evaluatedAtLoad({ inputs }: Metafile, entry: string): Set<string> {
  const found = new Set<string>();
  const visit = (path: string): void => {
    if (found.has(path)) return;
    found.add(path);
    for (const { kind, path: next } of inputs[path]?.imports ?? []) if (kind === "import-statement") visit(next);
  };
  visit(entry);
  return found;
}

/** Names that a hook imports and that Cordon's modules lack, with their modules. */
const lackedNames = (wanted: Names, offeredAs: ReadonlyMap<string, string>): string[] =>
  [...wanted].flatMap(([file, names]) =>
    [...names].flatMap((name) =>
      name === ALL || isStatic(name) || partsOf(file)?.has(name)
        ? []
        : `${name} of ${specifierOf(offeredAs, file, name)}`,
    ),
  );

/** The wanted names, with those members of modules in parts that a bundle turned out to use; undefined if there are none. */
function membersOfParts({ members }: Findings, wanted: Names): Names | undefined {
  const found: Names = new Map();
  for (const [file, names] of members)
    for (const name of names)
      if ((name === ALL ? partsOf(file) : isStatic(name) || isKnown(file, name)) && !wanted.get(file)?.has(name))
        addName(found, file, name);
  return found.size === 0 ? undefined : joined(wanted, found);
}

/** Whether a module in parts has a name, or lacks one that the agent's package has. */
function isKnown(file: string, name: string): boolean {
  const parts = partsOf(file);
  return parts !== undefined && (parts.has(name) || whyLacking(name) !== undefined);
}

const joined = (one: Names, other: Names): Names =>
  new Map([...one, ...other].map(([file]) => [file, new Set([...(one.get(file) ?? []), ...(other.get(file) ?? [])])]));

const refusal = (code: ErrorCode, message: string): BuildAnswer => ({ ok: false, code, message });

/** esbuild accepts such a `require` where modules are evaluated lazily, but its result is then not available yet. */
function requiresAsync(code: string): boolean {
  const waiting = [...code.matchAll(/\b(init_[\w$]+) = __esm\(\{\s*async /g)].map((match) => match[1] as string);
  return waiting.some((name) => code.includes(`(${name}(), __toCommonJS(`));
}

async function failed(
  messages: readonly Message[],
  root: string,
  offeredAs: ReadonlyMap<string, string>,
): Promise<BuildAnswer> {
  const named = await Promise.all(messages.map((message) => withoutOwnPaths(message, root, offeredAs)));
  const isRefused = ({ detail }: Message): boolean => detail === "IMPORT_REFUSED";
  const sorted = [...named.filter(isRefused), ...named.filter((message) => !isRefused(message))];
  const shown = sorted.slice(0, MAX_TOLD).map(({ location, text }) => {
    const position =
      location && location.file !== LOADING ? `${location.file}:${location.line}:${location.column + 1}: ` : "";
    return `${position}${text}`;
  });
  const more = sorted.length > MAX_TOLD ? ` (and ${sorted.length - MAX_TOLD} more)` : "";
  return refusal(named.some(isRefused) ? "IMPORT_REFUSED" : "LOAD_FAILED", `${shown.join("; ")}${more}`);
}

/** A name that an offered module does not have is an import that cannot be offered. */
async function withoutOwnPaths(
  message: Message,
  root: string,
  offeredAs: ReadonlyMap<string, string>,
): Promise<Message> {
  const missing = missingIn(message, root, offeredAs);
  if (!missing) return message;
  const { name, specifier, file } = missing;
  const near = didYouMean(name, await offeredNames(file, specifier));
  const text = `import of ${name} from ${inQuotes(specifier)} cannot be offered to a hook${near}`;
  return { ...message, detail: "IMPORT_REFUSED", text };
}

function missingIn({ text: words, location }: Message, root: string, offeredAs: ReadonlyMap<string, string>) {
  const [, path, name] = /^No matching export in "(.*)" for import "(.*)"$/.exec(words) ?? [];
  if (path === undefined || name === undefined) return undefined;
  const file = resolve(root, path);
  const { lineText = "", column = 0 } = location ?? {};
  const [, written] = /\bfrom\s*["']([^"']+)["']/.exec(lineText.slice(column)) ?? [];
  const specifier =
    written !== undefined && (offeredModule(written) ?? offeredBeside(written)) === file
      ? written
      : offeredAs.get(file);
  return specifier === undefined ? undefined : { file, specifier, name };
}

/**
 * The wanted names of a build that failed for names which it did not want before, if the real modules have them. Code that uses
 * one which Cordon lacks then fails where it uses it. (The names of an agent's package are not known here.) Other errors stay, and
 * are the only ones then.
 */
function missingNames(
  errors: readonly Message[],
  root: string,
  { offeredAs }: Findings,
  wanted: Names,
): Names | undefined {
  const found: Names = new Map();
  for (const error of errors) {
    const missing = missingIn(error, root, offeredAs);
    if (!missing || missing.name === "default" || !/^[\w$]+$/.test(missing.name)) continue;
    const { file, specifier, name } = missing;
    if (wanted.get(file)?.has(name)) continue;
    if (
      isBuiltin(specifier) ? !Object.hasOwn(process.getBuiltinModule(specifier) ?? {}, name) : !isAgentModule(specifier)
    )
      continue;
    addName(found, file, name);
    offeredAs.set(nameIn(file, name), specifier);
  }
  return found.size === 0 ? undefined : joined(wanted, found);
}

// Starts esbuild's own process: a build process may be there before there is something to build.
await transform("");
for await (const line of createInterface({ input: process.stdin }))
  process.stdout.write(`${JSON.stringify(await bundle(readJson(line)))}\n`);
process.exit();
