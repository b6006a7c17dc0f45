import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Ajv } from "ajv";
import { afterAll, expect, test } from "vitest";
import { PACKAGE_ROOT } from "../../src/base/package-root.ts";
import { findManifest } from "../../src/grants/manifest.ts";
import { readPolicies } from "../../src/grants/policy.ts";
import { checkIndex } from "../../src/market/hook-index.ts";
import { parseGrants } from "../../src/store/grants-text.ts";
import { parseLock } from "../../src/store/hooks-lock.ts";

const folder = mkdtempSync(join(tmpdir(), "cordon-schemas-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const ajv = new Ajv({
  allErrors: true,
  strict: true,
  allowUnionTypes: true,
  strictTypes: false,
  strictTuples: false,
  strictRequired: false,
});

const schemaOf = (name: string) =>
  JSON.parse(readFileSync(join(PACKAGE_ROOT, "dist", "schemas", `${name}.json`), "utf8"));

const inFile = (name: string, read: (path: string) => unknown) => (value: unknown) => {
  const path = join(folder, name);
  writeFileSync(path, JSON.stringify(value));
  return read(path);
};

/** The readers of the files, as Cordon uses them. Each throws for what it refuses. */
const READERS = {
  manifest: inFile("hook.hook.json", () => findManifest(join(folder, "hook.ts"))),
  grants: (value: unknown) => parseGrants(JSON.stringify(value), join(folder, "grants.json")),
  policy: inFile("policy.json", (path) => readPolicies([path])),
  lock: (value: unknown) => parseLock(JSON.stringify(value), join(folder, "hooks.lock")),
  index: (value: unknown) => checkIndex(value, "index.json"),
  "package-cordon": inFile("package.json", () => findManifest(join(folder, "in-package.ts"))),
};
type File = keyof typeof READERS;
const FILES = Object.keys(READERS) as File[];

const accepts = Object.fromEntries(FILES.map((name) => [name, ajv.compile(schemaOf(name))]));

const readerTakes = (file: File, value: unknown): boolean => {
  try {
    READERS[file](value);
    return true;
  } catch {
    return false;
  }
};

const DIGEST = `sha256-${"a".repeat(64)}`;
const SHA512 = `sha512-${"A".repeat(86)}==`;
const grant = (entry: object) => ({ version: 1, hooks: { "npm:a": entry } });
const installed = (more: object) => ({
  version: 1,
  hooks: {
    a: {
      ...{ version: "1.0.0", source: "npm:a", integrity: SHA512, digest: DIGEST, requested: {} },
      ...{ provenance: "none", package: "a", file: "index.ts" },
      ...more,
    },
  },
});
const index = (hooks: object) => ({ version: 1, name: "ours", hooks });
const program = (entry: object) => ({ exec: [{ program: "git", args: ["status"], ...entry }] });

/** Powers, and whether they are accepted. */
const POWERS: [powers: object, accepted: boolean][] = [
  [{}, true],
  [{ events: { see: ["tool_call"], block: true, rewriteInput: ["*"] } }, true],
  [{ events: { block: true } }, false],
  [{ events: { see: ["tool_call"], blocks: true } }, false],
  [{ events: { see: "tool_call" } }, false],
  [{ ui: ["confirm", "typing"] }, true],
  [{ ui: ["confirm", "alert"] }, false],
  [{ shell: true }, false],
  [{ send: { perMinute: 600 } }, true],
  [{ send: { perMinute: 601 } }, false],
  [{ session: ["entries"] }, true],
  [{ session: ["all"] }, false],
  [{ env: ["CI", "GITHUB_*", "_a"] }, true],
  [{ env: ["*"] }, false],
  [{ env: ["A B"] }, false],
  [{ env: ["9A"] }, false],
  [{ env: ["A*B"] }, false],
  [{ env: ["A\n"] }, false],
  [{ fs: { read: ["$CWD/**", "$HOME", "$TMP/a.txt", "/etc/**/a*b*", "C:/a"] } }, true],
  [{ fs: { read: ["src/**"] } }, false],
  [{ fs: { read: ["$CWDX/a"] } }, false],
  [{ fs: { watch: ["$CWD/../a"] } }, false],
  [{ fs: { write: ["$CWD/./a"] } }, false],
  [{ fs: { write: ["/a/.."] } }, false],
  [{ fs: { write: ["/a/..b/.c"] } }, true],
  [{ fs: { read: ["/**/a/**"] } }, true],
  [{ fs: { read: ["/**/a/**/b/**"] } }, false],
  [{ fs: { read: ["/a*b*"] } }, true],
  [{ fs: { read: ["/a*b*c*"] } }, false],
  [{ fs: { read: ["/*/*/*/*/*/*/*/*"] } }, true],
  [{ fs: { read: ["/*/*/*/*/*/*/*/*/*"] } }, false],
  [{ fs: { read: [""] } }, false],
  [program({ program: "date", args: ["-u", { kind: "text" }] }), true],
  [program({ program: "date", args: ["-uf", { kind: "text" }] }), false],
  [program({ program: "date", args: ["--file", { kind: "relpath" }] }), true],
  [program({ args: ["commit", "-m", { kind: "text" }] }), true],
  [program({ args: ["commit", "--fi", { kind: "text" }] }), false],
  [program({ args: ["blame", "--contents", { kind: "text" }], fullAccess: true }), true],
  [{ sqlite: [{ path: "$CWD/a.db", write: true }, { path: ":memory:" }] }, true],
  [{ sqlite: [{ path: ":memory:", write: true }] }, false],
  [{ sqlite: [{ path: "a.db" }] }, false],
  [
    { net: { connect: ["api.example.com:443", "[::1]:65535", "10.0.0.1:1"], listen: ["127.0.0.1:0", "[::1]:80"] } },
    true,
  ],
  [{ net: { connect: ["api.example.com"] } }, false],
  [{ net: { connect: ["api.example.com:0"] } }, false],
  [{ net: { connect: ["api.example.com:00"] } }, false],
  [{ net: { connect: ["https://api.example.com:443"] } }, false],
  [{ net: { connect: ["*.example.com:443"] } }, false],
  [{ net: { connect: ["a b:443"] } }, false],
  [{ net: { connect: ["a:123456"] } }, false],
  [{ net: { listen: ["0.0.0.0:80"] } }, false],
  [{ net: { listen: ["localhost:80"] } }, false],
  [program({}), true],
  [program({ args: ["stash", "apply", { kind: "sha" }], timeoutMs: 1 }), true],
  [program({ args: ["push"] }), false],
  [program({ args: ["push"], fullAccess: true, gitNetwork: true }), true],
  [program({ args: ["log", "--output=x"] }), false],
  [program({ args: ["diff", "--output", "x"] }), false],
  [program({ args: ["show", "--outp=x"] }), false],
  [program({ args: ["show", "--oneline"] }), true],
  ...["ext-diff", "textconv", "recurse-submodules", "ignore-submodules=none", "submodule=diff"].flatMap(
    (option): [object, boolean][] => [
      [program({ args: ["log", "-p", `--${option}`] }), false],
      [program({ args: ["log", "-p", `--${option.slice(0, 5)}`] }), false],
      [program({ args: ["log", "-p", `--${option}`], fullAccess: true }), true],
    ],
  ),
  ...["--text", "--ignore-submodules", "--ignore-submodules=all", "--no-ext-diff", "--stat", "--submodules", "-o"].map(
    (option): [object, boolean] => [program({ args: ["log", option] }), true],
  ),
  [program({ args: ["log", "--output=x"], fullAccess: true }), true],
  [program({ args: ["status"], fullAccess: true, gitNetwork: true }), false],
  [program({ program: "/usr/bin/git" }), false],
  [program({ program: "/usr/bin/git", fullAccess: true }), true],
  [program({ args: [] }), false],
  [program({ args: [{ kind: "text" }] }), false],
  [program({ args: ["diff", { kind: "text" }] }), false],
  [program({ args: ["diff", { rest: "relpath" }] }), true],
  [program({ args: ["log", { kind: "text", max: 5 }] }), true],
  [program({ program: "cat", args: [{ kind: "relpath" }] }), true],
  [program({ program: "cat", args: [{ rest: "text" }] }), false],
  [program({ program: "echo", args: [{ rest: "text" }] }), true],
  [program({ program: "npm", args: ["test"] }), false],
  [program({ program: "npm", args: ["test"], fullAccess: false }), false],
  [program({ program: "npm", args: ["test"], fullAccess: true, stdin: true }), true],
  [program({ stdin: true }), false],
  [program({ args: ["status", { kind: "glob" }] }), false],
  [program({ env: { LANG: "C", TZ: { kind: "text" } } }), true],
  [program({ env: { LANG: 5 } }), false],
  [program({ maxOutputBytes: 2_000_000 }), true],
  [program({ maxOutputBytes: 2_000_001 }), false],
  [
    {
      providers: [
        { name: "mine", url: "https://a.example/v1" },
        { name: "mine", streams: true },
      ],
    },
    true,
  ],
  [{ providers: [{ name: "mine", url: "https://a.example", login: true }] }, false],
  [{ providers: [{ name: "mine", streams: false }] }, false],
  [{ providers: [{ name: "my *" }] }, false],
  [{ providers: [{ name: "mine", url: "https://a.example/v1/" }] }, false],
  [{ providers: [{ name: "mine", url: "ftp://a.example" }] }, false],
  [{ agents: [{ tools: ["read"], atOnce: 16 }] }, true],
  [{ agents: [{ tools: ["read"], atOnce: 17 }] }, false],
  [{ agent: ["setLabel"], calls: ["bash"], bus: ["a"], tools: ["*"], commands: ["x"], model: ["anthropic"] }, true],
  [{ agent: ["everything"] }, false],
];

/** What a JSON Schema does not say: the reader alone refuses it, in words. */
const READER_ONLY: object[] = [
  program({ args: ["log", { rest: "text" }, "a"] }),
  program({ env: { LD_PRELOAD: "/x.so" } }),
  { net: { connect: ["a:65536"] } },
  { net: { listen: ["[::2]:80"] } },
  { providers: [{ name: "mine", url: "https://A.example/v1" }] },
];

const ROWS: [file: File, value: unknown, accepted: boolean][] = [
  ...POWERS.flatMap(([capabilities, accepted]): [File, unknown, boolean][] => [
    ["manifest", { capabilities }, accepted],
    ["manifest", { optional: capabilities }, accepted],
    ["package-cordon", { name: "a", cordon: { hooks: ["./a.ts"], capabilities } }, accepted],
    ["grants", grant({ capabilities }), accepted],
  ]),
  ["manifest", {}, true],
  ["manifest", [], false],
  ["manifest", { dialect: "pi", why: { ui: "asks" }, priority: -1000, failure: "closed" }, true],
  ["manifest", { dialect: "perl" }, false],
  ["manifest", { priority: 1001 }, false],
  ["manifest", { priority: 0.5 }, false],
  ["manifest", { why: { ui: 1 } }, false],
  ["manifest", { limits: { memoryMb: 2048, cpuMs: 10, wasm: true } }, true],
  ["manifest", { limits: { memoryMb: 2049 } }, false],
  ["manifest", { limits: { memoryMB: 64 } }, false],
  ["manifest", { capabilites: {} }, false],
  ["grants", { version: 1, hooks: {} }, true],
  ["grants", { version: 2, hooks: {} }, false],
  ["grants", { hooks: {} }, false],
  ["grants", grant({ digest: DIGEST, by: "user", grantedAt: "2026-01-01T00:00:00Z", failure: "open" }), true],
  ["grants", grant({ digest: "sha256-a" }), false],
  ["grants", grant({ grantedat: "" }), false],
  ["grants", { version: 1, hooks: { "a\nb": { capabilites: {} } } }, false],
  ["policy", { version: 1 }, true],
  ["policy", { version: 1, sources: ["npm:@acme/*"], provenance: "attested", maximum: { ui: ["notify"] } }, true],
  ["policy", { version: 1, provenance: "none" }, false],
  ["policy", { version: 1, maximum: { ui: ["alert"] } }, false],
  ["policy", { version: 1, maximum: { shell: true } }, false],
  ["policy", { sources: [] }, false],
  ["lock", installed({}), true],
  ["lock", installed({ requested: { ui: ["confirm"], limits: { wasm: true } }, publisher: "ada" }), true],
  ["lock", installed({ file: "../index.ts" }), false],
  ["lock", installed({ file: "/index.ts" }), false],
  ["lock", installed({ digest: "" }), false],
  ["lock", installed({ provenance: "verified" }), false],
  ["lock", installed({ dependencies: { "node_modules/b": { name: "b", version: "1.0.0", integrity: SHA512 } } }), true],
  [
    "lock",
    installed({ dependencies: { "node_modules/..": { name: "b", version: "1.0.0", integrity: SHA512 } } }),
    false,
  ],
  ["lock", installed({ pending: { version: "2.0.0", wider: ["exec"] } }), true],
  ["lock", installed({ pending: { version: "2.0.0" } }), false],
  ["lock", { version: 1, hooks: { "a\nb": {} } }, false],
  ["manifest", { why: { "a\nb": 1 } }, false],
  ["manifest", { capabilities: program({ fullAccess: true, env: { "A\nB": 5 } }) }, false],
  ["index", index({ "no-force-push": { spec: "npm:no-force-push", powers: ["ui"], integrity: SHA512 } }), true],
  ["index", index({ "No Force": { spec: "npm:a" } }), false],
  ["index", index({ a: { spec: "" } }), false],
  ["index", index({ a: { spec: "npm:a", stars: 5 } }), false],
  ["index", { version: 1, hooks: {} }, false],
  ["package-cordon", { name: "a", keywords: [], cordon: {} }, true],
  ["package-cordon", { name: "a", cordon: { capabilites: {} } }, false],
];

test("reader and schema agree on what is right, and on what is wrong", () => {
  const disagree = ROWS.flatMap(([file, value, accepted]) => {
    const [reader, schema] = [readerTakes(file, value), accepts[file]?.(value)];
    return reader === accepted && schema === accepted
      ? []
      : [{ file, value: JSON.stringify(value), accepted, reader, schema }];
  });
  expect(disagree).toEqual([]);
});

test("a schema refuses nothing that its reader accepts, also where it cannot say all that is wrong", () => {
  for (const capabilities of READER_ONLY) {
    expect(readerTakes("manifest", { capabilities }), JSON.stringify(capabilities)).toBe(false);
    expect(accepts.manifest?.({ capabilities }), JSON.stringify(capabilities)).toBe(true);
  }
});

test("each file may name its schema, and the value is the same as without", () => {
  for (const [file, value] of ROWS.filter(([, , accepted]) => accepted)) {
    const cordon = file === "package-cordon" ? (value as { cordon: object }).cordon : undefined;
    const naming = ($schema: unknown): object =>
      cordon ? { ...(value as object), cordon: { $schema, ...cordon } } : { $schema, ...(value as object) };
    expect(READERS[file](naming("./schema.json"))).toEqual(READERS[file](value));
    expect(accepts[file]?.(naming("./schema.json"))).toBe(true);
    expect(readerTakes(file, naming(5))).toBe(false);
    expect(accepts[file]?.(naming(5))).toBe(false);
  }
});

/** JSON in the repository that is such a file: manifests of hooks and packages, and examples in the documents. */
function examples(): [file: File, where: string, value: unknown][] {
  const found = (pattern: string): string[] => globSync(pattern, { cwd: PACKAGE_ROOT });
  const json = (path: string) => JSON.parse(readFileSync(join(PACKAGE_ROOT, path), "utf8"));
  const pages = ["README.md", ...found("docs/*.md")];
  const blocks = pages.flatMap((page) =>
    [...readFileSync(join(PACKAGE_ROOT, page), "utf8").matchAll(/^```json (\w+)[^\n]*\n(.*?)^```/gms)].flatMap(
      ([, word = "", text = ""]) => {
        const file = word === "package" ? "package-cordon" : FILES.find((one) => one === word);
        const value = file && (JSON.parse(text.replace(/sha512-(\.\.\.|…)/, SHA512)) as Record<string, unknown>);
        return file ? [[file, `${page}: ${text.slice(0, 80)}`, value] as [File, string, unknown]] : [];
      },
    ),
  );
  return [
    ...found("hooks/*.hook.json").map((path): [File, string, unknown] => ["manifest", path, json(path)]),
    ...found("examples/*/package.json").map((path): [File, string, unknown] => ["package-cordon", path, json(path)]),
    ...blocks,
  ];
}

test("schemas and readers accept every example in the repository", () => {
  const all = examples();
  expect(new Set(all.map(([file]) => file))).toEqual(
    new Set(["manifest", "package-cordon", "grants", "policy", "index"]),
  );
  for (const [file, where, value] of all) {
    expect(readerTakes(file, value), where).toBe(true);
    expect(accepts[file]?.(value), `${where} ${JSON.stringify(accepts[file]?.errors)}`).toBe(true);
  }
});

test("editors find a title, and a description of every key", () => {
  for (const file of FILES) {
    const schema = schemaOf(file);
    expect(schema).toMatchObject({ $id: `urn:cordon:schemas:${file}`, title: expect.any(String) });
    expect(ajv.validateSchema(schema)).toBe(true);
    const bare = undescribed(schema, "");
    expect(bare).toEqual([]);
  }
});

/** Keys of objects without a description. The arguments of programs explain themselves in that of their list. */
function undescribed(schema: Record<string, unknown>, at: string): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  const own = Object.entries(schema.properties ?? {}).flatMap(([key, part]) =>
    (part as { description?: unknown }).description === undefined && key !== "cordon" ? [`${at}.${key}`] : [],
  );
  const nested = [...Object.entries(schema.properties ?? {}), ...Object.entries(schema.patternProperties ?? {})];
  if (schema.items) nested.push(["[]", schema.items]);
  if (schema.additionalProperties) nested.push(["*", schema.additionalProperties]);
  return [...own, ...nested.flatMap(([key, part]) => undescribed(part as Record<string, unknown>, `${at}.${key}`))];
}
