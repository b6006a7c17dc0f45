import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { slashed } from "../../src/disk/paths.ts";
import { fs } from "../../src/powers/fs.ts";
import { permits } from "../../src/powers/fs-grant.ts";
import { faultOfPath } from "../../src/powers/fs-path.ts";
import { isRefused } from "../../src/powers/fs-refused-names.ts";
import { temporaryFolder, writeFiles } from "../support/session.ts";
import { CALLS, checked, loadedOn, on } from "./fs-elsewhere.ts";

const NAMES: { fault: string; refused: string[]; near: string[] }[] = [
  {
    fault: "a network or device path",
    refused: [
      "\\\\server\\share\\x",
      "//server/share",
      "\\/server\\share",
      "/\\server/share/x",
      "\\\\?\\C:\\desk\\a.txt",
      "\\\\?\\UNC\\server\\share\\x",
      "\\\\.\\PhysicalDrive0",
      "//./pipe/agent",
      "\\\\.\\C:\\desk\\a.txt",
      "\\\\",
    ],
    near: ["\\server\\share\\x", "/server/share", "server\\\\share", "a//b", ".\\.\\a", "\\?\\x"],
  },
  {
    fault: "a stream of a file",
    refused: [
      "C:\\a\\b.txt:secret",
      "file.txt::$DATA",
      "file.txt:",
      "folder::$INDEX_ALLOCATION\\x",
      "folder:$I30:$INDEX_ALLOCATION",
      ".env::$DATA",
      "C:a:b",
      "C::x",
      "1:x",
      "\u0441:\\a.txt",
      "CON:",
      "file:///C:/a.txt",
    ],
    near: ["C:\\a\\b.txt", "file.txt$DATA", "c:/a/b.txt", "C:a.txt", "folder$INDEX_ALLOCATION", "file.txt;secret"],
  },
  {
    fault: "a short name",
    refused: ["PROGRA~1", "C:\\PROGRA~1\\x", "ENV~1", "GIT~1/config", "x\\A0B1C2~9.TXT", "~1", "LONGNA~12"],
    near: ["PROGRA~", "~", "~x\\a.txt", "PROGRA~A", "a.txt~", "1~"],
  },
  {
    fault: "a device",
    refused: [
      ..."CON PRN AUX NUL CONIN$ CONOUT$ con Con nUl conin$".split(" "),
      ..."COM0 COM1 COM9 com5 LPT0 LPT1 lpt9 COM¹ COM² COM³ LPT¹ lpt² LPT³".split(" "),
      ..."nul.txt lpt9.log CON.tar.gz com1.. COM³.md aux.".split(" "),
      "aux ",
      "C:nul",
      "nul .txt",
      "nul . .",
      "C:\\desk\\nul",
      "desk/con/a.txt",
      ".\\NUL",
      "a\\..\\AUX.h",
    ],
    near: [
      ..."CONS xCON PR NULL nul_ nul-txt CONIN CONOUT $CONIN CONIN$$ auxiliary.txt".split(" "),
      ..."COM COM10 LPT LPT10 lpt9log COM⁴ COMA xlpt1 a.con .nul".split(" "),
      "co n",
    ],
  },
  {
    fault: "a name with a trailing dot or space",
    refused: [
      "a.txt.",
      "a.txt ",
      ".env.",
      ".env ",
      ".env. .",
      ".git.\\config",
      ".git /config",
      "...",
      ".. ",
      ". ",
      "a\\...\\b",
      ".. .\\..\\x",
      " ",
    ],
    near: [".", "..", "a\\..\\b", "./a", ".a", " a", "a b", "a.b", " .a", "..a"],
  },
];

const all = NAMES.flatMap(({ fault, refused, near }) => [
  ...refused.map((name) => ({ name, fault })),
  ...near.map((name) => ({ name, fault: undefined })),
]);

test.each(NAMES)("on Windows $fault is refused, and the nearest other names are not", ({ fault, refused, near }) => {
  on("win32", () => {
    for (const name of refused) expect.soft(faultOfPath(name), JSON.stringify(name)).toBe(fault);
    for (const name of near) expect.soft(faultOfPath(name), JSON.stringify(name)).toBeUndefined();
  });
});

test.each(["linux", "darwin"] as const)("on %s all of them are ordinary names", (platform) => {
  on(platform, () => {
    for (const { name } of all) expect.soft(faultOfPath(name), JSON.stringify(name)).toBeUndefined();
  });
});

const LENGTHS: { name: string; path: string; fault: string | undefined }[] = [
  { name: "a name of 255 characters", path: "n".repeat(255), fault: undefined },
  { name: "a name of 256", path: "n".repeat(256), fault: "a name of more than 255 characters" },
  {
    name: "names of 255 on both sides of a backslash",
    path: "n".repeat(255).concat("\\", "n".repeat(255)),
    fault: undefined,
  },
  { name: "256 behind a backslash", path: `n\\${"n".repeat(256)}`, fault: "a name of more than 255 characters" },
  { name: "a path of 4096 characters", path: "n\\".repeat(2048), fault: undefined },
  { name: "a path of 4097", path: `${"n\\".repeat(2048)}n`, fault: "longer than 4096 characters" },
  { name: "no name", path: "", fault: "no path" },
  { name: "a null byte in a name", path: "a\0b", fault: "no path" },
];

test.each(LENGTHS)("$name has the same result on Windows and on Linux", ({ path, fault }) => {
  for (const platform of ["win32", "linux"] as const) expect(on(platform, () => faultOfPath(path))).toBe(fault);
});

/** A name of each class that a file can have here. On Windows it would mean something else. */
const FILES = [
  "file.txt::$DATA",
  ".env::$DATA",
  "PROGRA~1",
  "nul.txt",
  "COM¹",
  "aux ",
  "lpt9.log",
  "CONIN$",
  "a.txt.",
  "a.txt ",
  "\\\\server\\share\\x",
];

test.each(FILES)(
  "an existing file with the name %j is read on Linux and refused without access on Windows",
  async (name) => {
    const cwd = temporaryFolder();
    writeFiles(cwd, { [name]: "there", "plain.txt": "plain" });
    const read = (path: string) => checked(fs, cwd, { read: ["$CWD/**"] }, "read", [path, "utf8"]);
    expect(await read(name).perform()).toEqual({ text: "there" });
    expect(on("win32", () => read(name).request)).toBeUndefined();
    expect(on("win32", () => read(`${name}/../plain.txt`).request)).toBeUndefined();
    expect(await on("win32", () => read("plain.txt")).perform()).toEqual({ text: "plain" });
  },
);

test("every call refuses such a name in each of its paths, without a question to a person", () => {
  const cwd = temporaryFolder();
  mkdirSync(join(cwd, "plain"));
  const everything = { read: ["/**"], write: ["/**"], watch: ["/**"] };
  expect(
    Object.keys(CALLS)
      .map((verb) => `fs.${verb}`)
      .sort(),
  ).toEqual(Object.keys(fs).sort());
  for (const [verb, { paths, rest }] of Object.entries(CALLS))
    for (let at = 0; at < paths; at++) {
      const asked = (path: string) => Array.from({ length: paths }, (_, index) => (index === at ? path : "plain"));
      const call = (path: string) => checked(fs, cwd, everything, verb, [...asked(path), ...rest]);
      for (const name of FILES) {
        expect.soft(on("win32", () => call(name)).request, `${verb} ${name}`).toBeUndefined();
        expect.soft(on("win32", () => call(name)).wider, `${verb} ${name}`).toBeUndefined();
        expect.soft(call(name).request, `${verb} ${name}`).toBeDefined();
      }
      expect.soft(on("win32", () => call("plain/x")).request, verb).toBeDefined();
      expect.soft(on("win32", () => call("plain/x")).wider, verb).toBeDefined();
    }
});

test("in checks against a grant, backslashes are separators on Windows and parts of a name elsewhere", () => {
  expect(on("win32", () => slashed("C:\\desk\\a b\\c.txt"))).toBe("C:/desk/a b/c.txt");
  expect(on("win32", () => slashed("C:/desk/c.txt"))).toBe("C:/desk/c.txt");
  for (const platform of ["linux", "darwin"] as const)
    expect(on(platform, () => slashed("C:\\desk\\c.txt"))).toBe("C:\\desk\\c.txt");
});

const SECRETS: { path: string; windows: boolean; linux: boolean }[] = [
  { path: "C:\\desk\\.env", windows: true, linux: true },
  { path: "C:\\desk\\.ENV\\x", windows: true, linux: false },
  { path: "C:\\desk\\.Git\\Config", windows: true, linux: false },
  { path: "C:\\desk\\keys\\ID_RSA", windows: true, linux: false },
  { path: "C:/desk/.env", windows: true, linux: true },
  { path: "C:\\desk\\env", windows: false, linux: false },
  { path: "C:\\desk\\.git\\HEAD", windows: false, linux: false },
];

test.each(SECRETS)("whether $path is a secret's name is judged by its parts", ({ path, windows, linux }) => {
  expect(on("win32", () => isRefused(path, "read"))).toBe(windows);
  expect(on("linux", () => isRefused(path, "read"))).toBe(linux);
});

const ROOTS = { $CWD: "C:/Desk", $HOME: "C:/Users/Ä", $TMP: "C:/Temp" };

/** Whether a pattern covers a path: on Windows, and on case-sensitive systems. */
const FOLDED: [pattern: string, path: string, windows: boolean, linux: boolean][] = [
  ["$CWD/**", "C:/Desk/a.txt", true, true],
  ["$CWD/**", "c:/DESK/A.TXT", true, false],
  ["$CWD/**", "C:/Desk-secret/a.txt", false, false],
  ["$CWD/**", "C:/Desk", true, true],
  ["$CWD", "c:/desk", true, false],
  ["D:/Docs/*.md", "d:/docs/x.md", true, false],
  ["D:/Docs/*.md", "c:/docs/x.md", false, false],
  ["D:/Docs/x.md", "d:/docs/x.md", true, false],
  ["$CWD/Docs/*.MD", "c:/desk/dOCS/x.md", true, false],
  ["$CWD/Docs/*.MD", "c:/desk/docs/deep/x.md", false, false],
  ["$CWD/my (notes)/**", "C:/DESK/MY (NOTES)/x", true, false],
  ["$CWD/my (notes)/**", "C:/Desk/my notes/x", false, false],
  ["$HOME/**", "c:/users/a\u0308/x", true, false],
  ["$HOME/**", "C:/Users/A/x", false, false],
  ["$CWD/**", "C:/Desk/.ENV", false, false],
  ["$CWD/**", "C:/Desk/.env. .", false, false],
  ["$CWD/**", "C:/Desk/ID_RSA .", false, false],
  ["$CWD/**", "C:/Desk/ID_RSAX .", true, true],
  ["$CWD/.env*", "C:/Desk/.ENV", false, false],
  ["$CWD/.env", "C:/Desk/.ENV", true, false],
  ["$CWD/.env", "C:/Desk/.env", true, true],
  ["$CWD/.env", "C:/Desk/.env.local", false, false],
];

test("on Windows a grant covers a path in any case, and a secret's name in any case only exactly", async () => {
  vi.resetModules();
  const there = await loadedOn("win32", () => import("../../src/powers/fs-grant.ts"));
  for (const [pattern, path, windows, linux] of FOLDED) {
    expect
      .soft(
        on("win32", () => there.permits([pattern], "read", path, ROOTS)),
        `${pattern} ${path}`,
      )
      .toBe(windows);
    expect.soft(permits([pattern], "read", path, ROOTS), `${pattern} ${path} on Linux`).toBe(linux);
  }
});
