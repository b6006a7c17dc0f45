import { entry, folder, gnuLong, INDEX, MANIFEST, named, pax, tgz } from "./hostile-tar.ts";

/** A tarball that is refused, and the closest harmless one. */
export interface ArchiveCase {
  name: string;
  attack: () => Buffer;
  refusal: RegExp;
  /** Left out if there is no similar harmless one. */
  beside?: () => Buffer;
  /** The files of the harmless one, besides the manifest. */
  unpacked?: string[];
}

const OUT = /leads out of the package/;
const ABSOLUTE = /is an absolute name/;
const BACKSLASH = /has a backslash/;
const UNSHOWN = /too long, or has characters that cannot be shown/;
const NO_NAME = /is not a valid name on every system/;

/** A file with this name, and a similar harmless name. */
const file = (attack: string, refusal: RegExp, beside: string): ArchiveCase => ({
  name: `a file ${JSON.stringify(attack)}`,
  attack: () => tgz(MANIFEST, named(attack)),
  refusal,
  beside: () => tgz(MANIFEST, named(beside)),
  unpacked: [beside.replace(/^[^/]*\//, "")],
});

const long = (length: number): string => `package/${"a".repeat(length - "package/.ts".length)}.ts`;
const deep = (folders: number): string => `package/${"d/".repeat(folders - 2)}x.ts`;

export const TRAVERSAL: ArchiveCase[] = [
  file("../outside.txt", OUT, "package/..outside.txt"),
  file("package/../../outside.txt", OUT, "package/a..b/inside.txt"),
  file("package/a/../inside.txt", OUT, "package/a/...inside.txt"),
  file("package/a/..", OUT, "package/a/..b"),
  file("package/./inside.txt", OUT, "package/.inside.txt"),
  file("./package/../../outside.txt", OUT, "package/inside.txt"),
  file("package//inside.txt", OUT, "package/a/inside.txt"),
  file("package/a/.", OUT, "package/a/.b"),
  file("/outside.txt", ABSOLUTE, "package/outside.txt"),
  file("//outside/share.txt", ABSOLUTE, "package/outside/share.txt"),
  file("/proc/self/environ", ABSOLUTE, "package/proc/self/environ"),
  file("\\outside.txt", ABSOLUTE, "package/outside.txt"),
  file("\\\\?\\C:\\outside.txt", ABSOLUTE, "package/C/outside.txt"),
  file("..\\outside.txt", BACKSLASH, "package/outside.txt"),
  file("package\\..\\..\\outside.txt", BACKSLASH, "package/outside.txt"),
  file("package/a\\..\\..\\outside.txt", BACKSLASH, "package/a/outside.txt"),
  file("C:/outside.txt", ABSOLUTE, "package/C/outside.txt"),
  file("c:outside.txt", ABSOLUTE, "package/c-outside.txt"),
  file("package/C:/outside.txt", NO_NAME, "package/C/outside.txt"),
  {
    name: "a name in the header that points outside",
    attack: () => tgz(MANIFEST, entry("package/../../outside.txt")),
    refusal: OUT,
    beside: () => tgz(MANIFEST, entry("package/..outside.txt")),
    unpacked: ["..outside.txt"],
  },
  {
    name: "a prefix that points outside",
    attack: () => tgz(MANIFEST, entry("outside.txt", "", { prefix: "package/../.." })),
    refusal: OUT,
    beside: () => tgz(MANIFEST, entry("inside.txt", "", { prefix: "package/a" })),
    unpacked: ["a/inside.txt"],
  },
  {
    name: "GNU's long name that points outside",
    attack: () => tgz(MANIFEST, gnuLong("package/../../outside.txt"), entry("package/x.txt")),
    refusal: OUT,
    beside: () => tgz(MANIFEST, gnuLong("package/inside.txt"), entry("package/x.txt")),
    unpacked: ["inside.txt"],
  },
  {
    name: "two long names for one entry, the second of which points outside",
    attack: () => tgz(MANIFEST, gnuLong("package/x.txt"), pax({ path: "../outside.txt" }), entry("package/y.txt")),
    refusal: OUT,
    beside: () => tgz(MANIFEST, gnuLong("package/x.txt"), pax({ mtime: "1" }), entry("package/y.txt")),
    unpacked: ["x.txt"],
  },
  {
    name: "a folder that points outside",
    attack: () => tgz(MANIFEST, folder("package/../../outside/")),
    refusal: OUT,
    beside: () => tgz(MANIFEST, folder("package/inside/"), entry("package/inside/x.txt")),
    unpacked: ["inside/x.txt"],
  },
];

/** Invisible characters, and characters that move visible ones. */
export const CHARACTERS: ArchiveCase[] = [
  {
    // It would end a pax header.
    name: "a line break in a name",
    attack: () => tgz(MANIFEST, gnuLong("package/a\nb.txt"), entry("package/x.txt")),
    refusal: UNSHOWN,
    beside: () => tgz(MANIFEST, gnuLong("package/a b.txt"), entry("package/x.txt")),
    unpacked: ["a b.txt"],
  },
  file("package/a\tb.txt", UNSHOWN, "package/a b.txt"),
  file("package/a  b.txt", UNSHOWN, "package/a b.txt"),
  file("package/\u001b[2Ja.txt", UNSHOWN, "package/[2Ja.txt"),
  file("package/\u009b2Ja.txt", UNSHOWN, "package/2Ja.txt"),
  file("package/\u001b]0;Cordon\u0007.txt", UNSHOWN, "package/]0;Cordon.txt"),
  file("package/\u202etxt.exe", UNSHOWN, "package/txt.exe"),
  file("package/\u2066a.txt", UNSHOWN, "package/a.txt"),
  file("package/a\u200b.txt", UNSHOWN, "package/ä.txt"),
  file("package/a\ufeff.txt", UNSHOWN, "package/a\u{1f600}.txt"),
  file("package/a\u{e0041}.txt", UNSHOWN, "package/\u4e2d\u6587.txt"),
  file("package/a\u2028.txt", UNSHOWN, "package/a-.txt"),
  file("package/a\u007f.txt", UNSHOWN, "package/a~.txt"),
];

export const OTHER_SYSTEMS: ArchiveCase[] = [
  file("package/x.", NO_NAME, "package/x.y"),
  file("package/x ", UNSHOWN, "package/x y"),
  file("package/x /y.txt", NO_NAME, "package/x y/y.txt"),
  file("package/x./y.txt", NO_NAME, "package/x.z/y.txt"),
  file("package/x.ts::$DATA", NO_NAME, "package/x.ts$DATA"),
  file("package/x?.ts", NO_NAME, "package/x!.ts"),
  file("package/*.ts", NO_NAME, "package/+.ts"),
  file("package/<x>.ts", NO_NAME, "package/(x).ts"),
  file("package/a|b.ts", NO_NAME, "package/a-b.ts"),
  file('package/".ts', NO_NAME, "package/'.ts"),
  file("package/con", NO_NAME, "package/cons"),
  file("package/CON.ts", NO_NAME, "package/console.ts"),
  file("package/nul.tar.gz", NO_NAME, "package/nil.tar.gz"),
  file("package/aux/x.ts", NO_NAME, "package/auxiliary/x.ts"),
  file("package/prn.ts", NO_NAME, "package/print.ts"),
  file("package/com1.ts", NO_NAME, "package/com10.ts"),
  file("package/Lpt9", NO_NAME, "package/lpt"),
  file("package/COM\u00b9.ts", NO_NAME, "package/COM.ts"),
  file("package/conin$", NO_NAME, "package/conin"),
  file(long(201), UNSHOWN, long(200)),
  file(long(4000), UNSHOWN, long(199)),
  file(deep(21), /nested deeper than 20 folders/, deep(20)),
];

const twice = (first: string, second: string, refusal: RegExp, beside: string): ArchiveCase => ({
  name: `${JSON.stringify(first)} and ${JSON.stringify(second)}`,
  attack: () => tgz(MANIFEST, named(first, "first"), named(second, "second")),
  refusal,
  beside: () => tgz(MANIFEST, named(first, "first"), named(beside, "second")),
  unpacked: [first, beside].map((path) => path.replace(/^[^/]*\//, "")),
});

const ONE_NAME = /are one name on some systems/;
const TWICE = /appears twice/;

/** Names that are equal on some file systems: the files that are shown would not be those that are built. */
export const COLLISIONS: ArchiveCase[] = [
  twice("package/x.ts", "package/x.ts", TWICE, "package/y.ts"),
  twice("package/x.ts", "package/X.ts", ONE_NAME, "package/xx.ts"),
  twice("package/A/x.ts", "package/a/y.ts", ONE_NAME, "package/A/y.ts"),
  twice("package/\u00e9.ts", "package/e\u0301.ts", ONE_NAME, "package/e.ts"),
  twice("package/\u00e9/x.ts", "package/e\u0301/y.ts", ONE_NAME, "package/\u00e9/y.ts"),
  twice("package/\u00c9.ts", "package/e\u0301.ts", ONE_NAME, "package/e.ts"),
  twice("package/k.ts", "package/\u212a.ts", ONE_NAME, "package/\u03ba.ts"),
  twice("package/ss.ts", "package/\u00df.ts", ONE_NAME, "package/s.ts"),
  twice("package/s.ts", "package/\u017f.ts", ONE_NAME, "package/z.ts"),
  twice("package/fi.ts", "package/\ufb01.ts", ONE_NAME, "package/f.ts"),
  twice("package/x.ts", "other/x.ts", /beside the package's folder/, "package/other/x.ts"),
  twice("package/x.ts", "Package/y.ts", /beside the package's folder|one name/, "package/y.ts"),
  twice("package/x", "package/x/y.ts", /is a file and a folder/, "package/y/x"),
  twice("package/x/y.ts", "package/x", /is a file and a folder|twice/, "package/x/z"),
  {
    name: "a file, and then a folder with its name",
    attack: () => tgz(MANIFEST, entry("package/x"), folder("package/x/")),
    refusal: /is a file and a folder|twice/,
    beside: () => tgz(MANIFEST, folder("package/x/"), folder("package/x/"), entry("package/x/y")),
    unpacked: ["x/y"],
  },
  {
    name: "package.json twice",
    attack: () => tgz(MANIFEST, INDEX, MANIFEST),
    refusal: TWICE,
    beside: () => tgz(MANIFEST, entry("package/a/package.json")),
    unpacked: ["a/package.json"],
  },
  {
    name: "package.json in another case",
    attack: () => tgz(MANIFEST, entry("package/Package.json", "{}")),
    refusal: ONE_NAME,
    beside: () => tgz(MANIFEST, entry("package/package.jsonc", "{}")),
    unpacked: ["package.jsonc"],
  },
  {
    name: "a file instead of the package's folder",
    attack: () => tgz(MANIFEST, entry("package.json", "{}")),
    refusal: /beside the package's folder/,
    beside: () => tgz(folder("package/"), MANIFEST),
    unpacked: [],
  },
];
