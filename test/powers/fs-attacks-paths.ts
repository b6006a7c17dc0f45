import { type FileAttack, failing, READ } from "./fs-attack.ts";

/** An attack that reads one path, an expression, and a path that may be read. */
const reading = (name: string, path: string, near: string, content = "alpha", more: Partial<FileAttack> = {}) => ({
  name,
  body: `return fs.readFileSync(${path}, "utf8");`,
  grant: READ,
  works: { body: `return fs.readFileSync(${near}, "utf8");`, answer: content },
  ...more,
});

const url = (text: string) => `new URL("file://" + W + ${JSON.stringify(text)})`;
const invalid = (kind: string) => ({ answer: failing(`ERR_INVALID_${kind}`) });

/** Ways to spell a path. */
export const spellings: FileAttack[] = [
  reading("a path with .. in it", '"../outside/note.txt"', '"docs/../a.txt"'),
  reading("a path that goes down first", '"docs/../../outside/note.txt"', '"./docs/deep/../../a.txt"'),
  reading(
    "more .. than there are folders",
    '"../".repeat(40) + W + "/outside/note.txt"',
    '"../".repeat(40) + W + "/proj/a.txt"',
  ),
  reading("an absolute path", 'W + "/outside/note.txt"', 'W + "/proj/a.txt"'),
  reading(
    "an absolute path that leaves the project",
    'W + "/proj/../outside/note.txt"',
    'W + "/outside/../proj/a.txt"',
  ),
  reading("slashes in a row", '"/" + W + "//outside///note.txt"', '"/" + W + "//proj///a.txt"'),
  reading("a folder whose name starts with the project's", '"../proj-secret/note.txt"', '"-secret/note.txt"', "mine", {
    files: { "proj/-secret/note.txt": "mine" },
  }),
  reading("the project's name with more behind it", 'W + "/proj" + "-secret/note.txt"', 'W + "/proj" + "/a.txt"'),
  reading("encoded dots, which are only a name", '"%2e%2e/outside/note.txt"', '"%2e%2e/x"', "named so", {
    answer: failing("ENOENT"),
    files: { "proj/%2e%2e/x": "named so" },
  }),
  reading("backslashes, which are only a name", '"..\\\\outside\\\\note.txt"', '"..\\\\x"', "named so", {
    answer: failing("ENOENT"),
    files: { "proj/..\\x": "named so" },
  }),
  reading("a text that looks like a URL", '"file://" + W + "/outside/note.txt"', '"file:/x"', "named so", {
    answer: failing("ENOENT"),
    files: { "proj/file:/x": "named so" },
  }),
  reading("a home folder's tilde, which is only a name", '"~/../../outside/note.txt"', '"~/x"', "named so", {
    files: { "proj/~/x": "named so" },
  }),
  reading("a file behind a file", '"a.txt/../../outside/note.txt"', '"docs/b.txt"', "beta"),
  reading(
    "a path of more than 4096 characters",
    '"./".repeat(2046) + "a.txt"',
    '"./".repeat(2045) + "a.txt"',
    "alpha",
    {
      answer: failing("ENAMETOOLONG"),
    },
  ),
  reading("a name of more than 255 bytes", '"n".repeat(256)', '"n".repeat(255)', "long", {
    files: { [`proj/${"n".repeat(255)}`]: "long" },
    answer: failing("ENAMETOOLONG"),
  }),
];

/** Paths that are not strings. */
export const disguises: FileAttack[] = [
  reading("a URL with encoded dots", url("/proj/%2e%2e/outside/note.txt"), url("/proj/docs/%2e%2e/a.txt")),
  reading("a URL with encoded letters", url("/%6futside/note.txt"), url("/proj/%61.txt")),
  reading(
    "a URL with a host",
    'new URL("file://host" + W + "/proj/a.txt")',
    'new URL("file://localhost" + W + "/proj/a.txt")',
    "alpha",
    invalid("FILE_URL_HOST"),
  ),
  reading(
    "a URL with an encoded slash",
    url("/proj/..%2foutside%2Fnote.txt"),
    url("/proj/docs/b.txt"),
    "beta",
    invalid("FILE_URL_PATH"),
  ),
  reading("a URL with an encoded null", url("/proj/a.txt%00.png"), url("/proj/a%20b"), "spaced", {
    ...invalid("ARG_VALUE"),
    files: { "proj/a b": "spaced" },
  }),
  reading(
    "a URL of another scheme",
    'new URL("http://x" + W + "/proj/a.txt")',
    url("/proj/a.txt"),
    "alpha",
    invalid("URL_SCHEME"),
  ),
  reading(
    "an object in the shape of a URL",
    '{ href: "file:///a.txt", protocol: "file:", hostname: "", pathname: W + "/outside/note.txt" } as any',
    url("/proj/a.txt"),
  ),
  reading("a Buffer", 'Buffer.from("../outside/note.txt")', 'Buffer.from("a.txt")'),
  reading("a Uint8Array", 'new TextEncoder().encode("../outside/note.txt")', 'new TextEncoder().encode("a.txt")'),
  reading(
    "bytes that say they are another text",
    'Object.assign(new TextEncoder().encode("../outside/note.txt"), { toString: () => "a.txt" })',
    'Object.assign(new TextEncoder().encode("a.txt"), { toString: () => "../outside/note.txt" })',
  ),
  reading("a null byte", '"a.txt\\0.png"', '"a.txt"', "alpha", invalid("ARG_VALUE")),
  reading(
    "a null byte in a Buffer",
    'Buffer.from("a.txt\\0.png")',
    'Buffer.from("a.txt")',
    "alpha",
    invalid("ARG_VALUE"),
  ),
  reading(
    "an object that is another text each time",
    '{ times: 0, toString() { return this.times++ ? "../outside/note.txt" : "a.txt"; } } as any',
    'String({ toString: () => "a.txt" })',
    "alpha",
    invalid("ARG_TYPE"),
  ),
  reading(
    "a String object",
    'new String("../outside/note.txt") as any',
    'new String("a.txt").valueOf()',
    "alpha",
    invalid("ARG_TYPE"),
  ),
  reading("a list", '["../outside/note.txt"] as any', '["a.txt"][0]', "alpha", invalid("ARG_TYPE")),
  reading("the number of an open file of the process", "3", '"3"', "three", {
    answer: failing("EBADF"),
    files: { "proj/3": "three" },
  }),
  {
    name: "a direct request to the host",
    body: 'return (globalThis as any)[Symbol.for("cordon.host")].sync("fs.read", [W + "/outside/note.txt", "utf8"]);',
    grant: READ,
    works: {
      body: 'return JSON.stringify((globalThis as any)[Symbol.for("cordon.host")].sync("fs.read", [W + "/proj/a.txt", "utf8"])).includes("alpha");',
      answer: true,
    },
  },
];
