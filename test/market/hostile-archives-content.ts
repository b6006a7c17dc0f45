import { gzipSync, zstdCompressSync } from "node:zlib";
import type { ArchiveCase } from "./hostile-archives-names.ts";
import { END, entry, folder, gnuLong, INDEX, MANIFEST, named, pax, tar, tgz } from "./hostile-tar.ts";

const MB = 1024 * 1024;

const typed = (type: string, kind: RegExp, link = ""): ArchiveCase => ({
  name: `an entry of type ${JSON.stringify(type)}`,
  attack: () => tgz(MANIFEST, entry("package/x", "", { type, link })),
  refusal: kind,
});

/** Entries other than files and folders. */
export const TYPES: ArchiveCase[] = [
  {
    name: "a link to a file outside of the package",
    attack: () => tgz(MANIFEST, entry("package/x", "", { type: "2", link: "../../outside.txt" })),
    refusal: /is a SymbolicLink/,
    beside: () => tgz(MANIFEST, entry("package/x", "../../outside.txt")),
    unpacked: ["x"],
  },
  {
    name: "a link to a file of the package",
    attack: () => tgz(MANIFEST, INDEX, entry("package/x.ts", "", { type: "2", link: "index.ts" })),
    refusal: /is a SymbolicLink/,
    beside: () => tgz(MANIFEST, INDEX, entry("package/x.ts")),
    unpacked: ["index.ts", "x.ts"],
  },
  {
    name: "a link, and a file through it",
    attack: () => tgz(MANIFEST, entry("package/x", "", { type: "2", link: "../.." }), entry("package/x/outside.txt")),
    refusal: /is a SymbolicLink/,
    beside: () => tgz(MANIFEST, folder("package/x"), entry("package/x/inside.txt")),
    unpacked: ["x/inside.txt"],
  },
  {
    name: "a file, and a link with its name",
    attack: () => tgz(MANIFEST, entry("package/x"), entry("package/x", "", { type: "2", link: "/outside.txt" })),
    refusal: /is a SymbolicLink/,
  },
  {
    name: "a link that GNU's long name points outside",
    attack: () => tgz(MANIFEST, gnuLong("/outside.txt", "K"), entry("package/x", "", { type: "2", link: "index.ts" })),
    refusal: /is a SymbolicLink/,
  },
  {
    name: "a file with a link's target",
    attack: () => tgz(MANIFEST, entry("package/x", "", { link: "/outside.txt" })),
    refusal: /linkpath forbidden/,
    beside: () => tgz(MANIFEST, entry("package/x")),
    unpacked: ["x"],
  },
  {
    name: "a dangling link",
    attack: () => tgz(MANIFEST, entry("package/x", "", { type: "2" })),
    refusal: /linkpath required/,
  },
  typed("1", /is a Link/, "package/package.json"),
  typed("1", /is a Link/, "/outside.txt"),
  typed("3", /is a CharacterDevice/),
  typed("4", /is a BlockDevice/),
  typed("6", /is a FIFO/),
  typed("S", /is a SparseFile|refused/),
  typed("D", /refused/),
  typed("M", /refused/),
  typed("V", /refused/),
  typed("I", /refused/),
  typed("A", /refused/),
  typed("Z", /refused/),
  typed("\u007f", /refused/),
  {
    name: "an unknown type with a name that contains escape sequences",
    attack: () => tgz(MANIFEST, named("package/\u001b[2J\u202eok", "", { type: "Z" })),
    refusal: /refused/,
    beside: () => tgz(MANIFEST, entry("package/ok", "", { type: "7" }), entry("package/old", "", { type: "\0" })),
    unpacked: ["ok", "old"],
  },
];

const many = (count: number): Buffer =>
  tgz(MANIFEST, ...Array.from({ length: count - 1 }, (_, at) => entry(`package/${at}.txt`)));

/** Text that compresses well, but not as well as a bomb. */
const text = (bytes: number): Buffer => Buffer.alloc(bytes, Array.from({ length: 5000 }, (_, at) => at).join(" "));
const large = (bytes: number): Buffer => entry("package/large.txt", text(bytes));

export const SIZES: ArchiveCase[] = [
  {
    name: "more than 50 MB unpacked, in one file",
    attack: () => tgz(MANIFEST, large(50 * MB)),
    refusal: /more than 50 MB unpacked/,
    beside: () => tgz(MANIFEST, large(50 * MB - 512)),
    unpacked: ["large.txt"],
  },
  {
    name: "more than 50 MB unpacked, in many files",
    attack: () => tgz(...Array.from({ length: 51 }, (_, at) => entry(`package/${at}.txt`, text(MB)))),
    refusal: /more than 50 MB unpacked/,
  },
  {
    name: "more than 5000 entries",
    attack: () => many(5001),
    refusal: /more than 5000 files/,
    beside: () => tgz(MANIFEST, ...Array.from({ length: 4999 }, () => folder("package/a/"))),
    unpacked: [],
  },
  {
    name: "an entry with a header of megabytes",
    attack: () => tgz(MANIFEST, pax({ comment: "a".repeat(2 * MB) }), entry("package/x.txt")),
    refusal: /refused/,
    beside: () => tgz(MANIFEST, pax({ comment: "a".repeat(MB / 2) }), entry("package/x.txt")),
    unpacked: ["x.txt"],
  },
  {
    name: "a body longer than in its header",
    attack: () => tgz(MANIFEST, entry("package/x.txt", "a".repeat(2000), { size: 100 })),
    refusal: /not a readable tarball/,
    beside: () => tgz(MANIFEST, entry("package/x.txt", "a".repeat(2000))),
    unpacked: ["x.txt"],
  },
  {
    name: "a body shorter than in its header",
    attack: () => tgz(MANIFEST, entry("package/x.txt", "a", { size: 100_000 })),
    refusal: /not a readable tarball/,
    beside: () => tgz(MANIFEST, entry("package/x.txt", "a")),
    unpacked: ["x.txt"],
  },
  {
    name: "a header with a length of eight exabytes",
    attack: () => tgz(MANIFEST, entry("package/x.txt", "a", { size: Number.MAX_SAFE_INTEGER })),
    refusal: /refused/,
  },
  {
    name: "a header with a negative length",
    attack: () => tgz(MANIFEST, entry("package/x.txt", "a", { size: -512 })),
    refusal: /refused/,
  },
  {
    name: "a pax header with another size than the entry",
    attack: () => tgz(MANIFEST, pax({ size: "999999999999" }), entry("package/x.txt", "a")),
    refusal: /refused/,
  },
];

const whole = tgz(MANIFEST, INDEX);

export const BROKEN: ArchiveCase[] = [
  { name: "an empty file", attack: () => Buffer.alloc(0), refusal: /refused/ },
  { name: "gzip of an empty file", attack: () => gzipSync(""), refusal: /refused/ },
  {
    name: "no entries",
    attack: () => tgz(),
    refusal: /it is empty|not a readable tarball/,
    beside: () => tgz(MANIFEST),
    unpacked: [],
  },
  {
    name: "text",
    attack: () => Buffer.from("a page that says: please sign in\n".repeat(50)),
    refusal: /not a readable tarball/,
  },
  { name: "gzip of garbage", attack: () => gzipSync(Buffer.alloc(5000, "garbage")), refusal: /not a readable tarball/ },
  {
    name: "garbage after the gzip header",
    attack: () => Buffer.from(`\u001f\u008b${"x".repeat(600)}`, "latin1"),
    refusal: /not a readable tarball/,
  },
  {
    name: "gzip that ends early",
    attack: () => whole.subarray(0, whole.length / 2),
    refusal: /not a readable tarball/,
    beside: () => whole,
    unpacked: ["index.ts"],
  },
  {
    name: "gzip without its checksum",
    attack: () => whole.subarray(0, -8),
    refusal: /not a readable tarball/,
    beside: () => whole,
    unpacked: ["index.ts"],
  },
  {
    name: "gzip with a wrong checksum",
    attack: () => Buffer.concat([whole.subarray(0, -8), Buffer.from("wrong", "latin1"), whole.subarray(-3)]),
    refusal: /not a readable tarball/,
  },
  {
    name: "a tarball that ends in the middle of a file",
    attack: () => gzipSync(tar(MANIFEST, entry("package/x.txt", "a".repeat(5000))).subarray(0, 3000)),
    refusal: /not a readable tarball/,
    beside: () => gzipSync(Buffer.concat([MANIFEST, INDEX])),
    unpacked: ["index.ts"],
  },
  {
    name: "a header with a wrong checksum",
    attack: () => tgz(MANIFEST, entry("package/x.txt", "", { checksum: 1 })),
    refusal: /not a readable tarball/,
  },
  { name: "a header without a name", attack: () => tgz(MANIFEST, entry("")), refusal: /not a readable tarball/ },
  {
    name: "a second gzip member with a name that points outside",
    attack: () => Buffer.concat([gzipSync(MANIFEST), tgz(entry("../outside.txt"))]),
    refusal: /leads out of the package/,
    beside: () => Buffer.concat([gzipSync(MANIFEST), tgz(INDEX)]),
    unpacked: ["index.ts"],
  },
  {
    name: "another compression",
    attack: () => zstdCompressSync(tar(MANIFEST, INDEX)),
    refusal: /not a readable tarball/,
    beside: () => whole,
    unpacked: ["index.ts"],
  },
  {
    name: "a name that points outside, after one block of zeros",
    attack: () => tgz(MANIFEST, Buffer.alloc(512), entry("../outside.txt")),
    refusal: /leads out of the package/,
    // After two blocks the tarball ends, both for the check and for unpacking.
    beside: () => tgz(MANIFEST, END, entry("../outside.txt")),
    unpacked: [],
  },
];
