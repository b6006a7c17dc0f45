import { entry, folder, HOOK, INDEX, manifestOf, tgz } from "./hostile-tar.ts";

/** A package whose manifest is refused, and the closest harmless one. */
export interface ManifestCase {
  name: string;
  attack: () => Buffer;
  refusal: RegExp;
  beside?: () => Buffer;
}

/** A package with this text as its manifest. */
const saying = (text: string, ...more: Buffer[]): Buffer => tgz(entry("package/package.json", text), INDEX, ...more);

const deep = (levels: number): string => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
const cordon = (value: unknown): string => manifestOf({ cordon: value });
const hooks = ["./index.ts"];

const row = (name: string, attack: string, refusal: RegExp, beside: string): ManifestCase => ({
  name,
  attack: () => saying(attack),
  refusal,
  beside: () => saying(beside),
});

const named = (name: string, beside: string): ManifestCase =>
  row(
    `the name ${JSON.stringify(name.slice(0, 40))}`,
    manifestOf({ name }),
    /name|Invalid/,
    manifestOf({ name: beside }),
  );

const versioned = (version: unknown, beside: string): ManifestCase =>
  row(`the version ${JSON.stringify(version)}`, manifestOf({ version }), /version/i, manifestOf({ version: beside }));

export const SHAPES: ManifestCase[] = [
  row("no JSON", "{", /JSON/, manifestOf()),
  row("JSON with a comment", `// a\n${manifestOf()}`, /JSON/, ` \n${manifestOf()}`),
  row("a list", "[]", /package\.json|JSON|name/, manifestOf()),
  row("null", "null", /package\.json|JSON|name/, manifestOf()),
  row("a text", '"gate"', /package\.json|JSON|name/, manifestOf()),
  row(
    "more than a megabyte",
    manifestOf({ a: "a".repeat(1024 * 1024) }),
    /larger than/,
    manifestOf({ a: "a".repeat(1000_000) }),
  ),
  row(
    "a hundred thousand levels where Cordon reads",
    manifestOf({ cordon: "X" }).replace('"X"', deep(100_000)),
    /package\.json|refused|JSON|unknown key/,
    manifestOf({ other: "X" }).replace('"X"', deep(100)),
  ),
  {
    name: "a folder instead of the manifest",
    attack: () => tgz(folder("package/package.json/"), INDEX),
    refusal: /package\.json/,
  },
  { name: "no manifest", attack: () => tgz(INDEX), refusal: /package\.json/, beside: () => saying(manifestOf()) },
  row("hooks that are a text", cordon({ hooks: "./index.ts" }), /hooks/, cordon({ hooks })),
  row("hooks that are numbers", cordon({ hooks: [1] }), /hooks/, cordon({ hooks })),
  row("an unknown key", cordon({ hooks, postinstall: "x" }), /unknown key "postinstall"/, cordon({ hooks, why: {} })),
  row(
    "a power that nobody knows",
    cordon({ hooks, capabilities: { root: true } }),
    /unknown key "root"/,
    cordon({ hooks, capabilities: {} }),
  ),
  row(
    "a key of a power that nobody knows",
    cordon({ hooks, capabilities: { fs: { exec: ["/"] } } }),
    /unknown key "exec"/,
    cordon({ hooks, capabilities: { fs: { read: ["$CWD/a"] } } }),
  ),
  row(
    "powers that are a list",
    cordon({ hooks, capabilities: ["fs"] }),
    /capabilities/,
    cordon({ hooks, capabilities: {} }),
  ),
  row("a reason that is no text", cordon({ hooks, why: { fs: {} } }), /why/, cordon({ hooks, why: { fs: "x" } })),
  row("a priority before all others", cordon({ hooks, priority: 1e9 }), /priority/, cordon({ hooks, priority: 1000 })),
  row(
    "__proto__ among Cordon's keys",
    manifestOf().replace('"cordon":{', '"cordon":{"__proto__":{"capabilities":{}},'),
    /unknown key "__proto__"/,
    manifestOf(),
  ),
  row(
    "__proto__ among the powers",
    cordon({ hooks, capabilities: { a: 1 } }).replace('"a":1', '"__proto__":{"exec":[]}'),
    /unknown key "__proto__"/,
    cordon({ hooks, capabilities: {} }),
  ),
  row(
    "constructor among the powers",
    cordon({ hooks, capabilities: { constructor: {} } }),
    /unknown key "constructor"/,
    cordon({ hooks, capabilities: {} }),
  ),
  row(
    "dependencies that are a list",
    manifestOf({ dependencies: ["a"] }),
    /dependencies/,
    manifestOf({ dependencies: {} }),
  ),
  row(
    "a dependency that is a list",
    manifestOf({ dependencies: { a: [] } }),
    /dependencies|Invalid/,
    manifestOf({ dependencies: {} }),
  ),
];

export const NAMES: ManifestCase[] = [
  named("Gate", "gate"),
  named("g\u0430te", "gate"),
  named("gate\u200b", "gate"),
  named("\u202eetag", "etag"),
  named("gate\u001b[2J", "gate2j"),
  named("gate\n", "gate"),
  named("gate\nInstall gate? yes", "gate-yes"),
  named("..", "a.."),
  named("../gate", "gate"),
  named("../../../outside", "outside"),
  named("@../gate", "@gate/gate"),
  named("@gate/../../gate", "@gate/gate"),
  named("/gate", "gate"),
  named("C:gate", "c-gate"),
  named("a\\..\\gate", "gate"),
  named("gate#index.ts", "gate-index.ts"),
  named(".gate", "g.gate"),
  named("_gate", "g_gate"),
  named("node_modules/gate", "gate"),
  named("", "g"),
  named("g".repeat(215), "g".repeat(214)),
  named("__proto__", "proto"),
  versioned("banana", "1.0.0-banana"),
  versioned("1.0", "1.0.0"),
  versioned("1.0.0\u001b[2J", "1.0.0-2j"),
  versioned("1.0.0 (safe)", "1.0.0+safe"),
  versioned("\u202e0.0.1", "0.0.1"),
  versioned("latest", "1.0.0"),
  versioned(1, "1.0.0"),
  versioned(undefined, "0.0.0"),
  versioned(`1.0.${"0".repeat(300)}1`, "1.0.1"),
];

const offers = (
  name: string,
  path: string,
  refusal: RegExp,
  more: Buffer[] = [],
  beside = "./index.ts",
): ManifestCase => ({
  name: `a hook at ${name}`,
  attack: () => saying(cordon({ hooks: [path] }), ...more),
  refusal,
  beside: () => saying(cordon({ hooks: [beside] }), ...more),
});

const OUTSIDE = /outside of the package/;

export const PLACES: ManifestCase[] = [
  offers("a folder above", "../x.ts", OUTSIDE),
  offers("a way out and back", "a/../../gate/index.ts", OUTSIDE, [], "a/../index.ts"),
  offers("an absolute name", "/etc/passwd", OUTSIDE),
  offers("a name with backslashes", "..\\..\\x.ts", OUTSIDE),
  offers("a name with a NUL", "index.ts\0.md", OUTSIDE),
  offers("a home", "~/x.ts", /not there/),
  offers("nothing", "./missing.ts", /not there/),
  offers("no text at all", "", /hooks/),
  offers("a file that is no code", "./package.json", /refused|not code/),
  offers("a folder without hooks", "./empty", /names no hooks/, [entry("package/empty/x.md")], "./full"),
  offers("a folder without hooks that has the name of one", "./f.ts", /names no hooks/, [
    folder("package/f.ts/"),
    entry("package/f.ts/x.md"),
  ]),
  offers("a name of a thousand letters", `./${"a".repeat(1000)}.ts`, /hooks/),
  {
    name: "a hundred and one hooks",
    attack: () => saying(cordon({ hooks: Array.from({ length: 101 }, (_, at) => `./${at}.ts`) })),
    refusal: /hooks/,
  },
  {
    name: "a folder with too many hooks",
    attack: () =>
      saying(
        cordon({ hooks: ["./many"] }),
        ...Array.from({ length: 1000 }, (_, at) => entry(`package/many/${at}.ts`, HOOK)),
      ),
    refusal: /more than \d+ hooks/,
    beside: () =>
      saying(cordon({ hooks: ["./many"] }), entry("package/many/1.ts", HOOK), entry("package/many/2.ts", HOOK)),
  },
].map((one) =>
  one.name.includes("without hooks")
    ? { ...one, beside: () => saying(cordon({ hooks: ["./full"] }), entry("package/full/x.ts", HOOK)) }
    : one,
);
