import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, constants, existsSync, lstatSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import { FrameReader } from "../../sandbox/wire/frame.ts";
import { built } from "../../src/base/package-root.ts";
import { locateRuntime } from "../../src/runtime/locate.ts";
import { needs } from "../support/needs.ts";
import { temporaryFolder } from "../support/session.ts";
import { KERNEL_PROBES, PRELUDE } from "./kernel-probes.ts";
import type { Finding, Probe } from "./probe.ts";

/** What SQLite needs of the kernel on any path: it looks at what is there, and reads nothing. */
const LOOKS = ["a file's facts", "the target of a link", "deleting a file"];

/** What native code in the process of a database tries on files, beside those of {@link KERNEL_PROBES}. */
const ON_FILES: readonly Probe[] = [
  { name: "reading its own file", source: "return sys('openat', HERE, text($.own), 0);" },
  { name: "reading another file of its folder", source: "return sys('openat', HERE, text($.beside), 0);" },
  { name: "writing its own file", source: "return sys('openat', HERE, text($.own), 1);" },
  { name: "making a file in its folder", source: "return sys('openat', HERE, text($.own + '-wal'), 0o1101, 0o600);" },
  { name: "deleting a file in its folder", source: "return sys('unlinkat', HERE, text($.beside), 0);" },
  { name: "deleting a file elsewhere", source: "return sys('unlinkat', HERE, text($.victim), 0);" },
  {
    name: "making a link in its folder",
    source: "return sys('symlinkat', text($.secret), HERE, text($.own + '-shm'));",
  },
  { name: "making a folder in its folder", source: "return sys('mkdirat', HERE, text($.own + '-folder'), 0o700);" },
];

const COMMON = ["reading its own file", "reading another file of its folder"];
const CHANGES = ["writing its own file", "making a file in its folder", "deleting a file in its folder"];

/** The built process of a database, which runs these probes where it would serve. */
async function probeDatabase(readOnly: boolean): Promise<{ findings: Map<string, Finding>; victim: string }> {
  const folder = temporaryFolder();
  const own = join(folder, "mine", "a.db");
  mkdirSync(join(folder, "mine"));
  const bystander = spawn("/bin/sleep", ["60"], { stdio: "ignore" });
  const targets = {
    folder,
    own,
    beside: join(folder, "mine", "beside.txt"),
    secret: join(folder, "secret.txt"),
    victim: join(folder, "victim.txt"),
    bystander: bystander.pid,
    host: process.pid,
  };
  for (const path of [own, targets.beside, targets.secret, targets.victim]) writeFileSync(path, "");
  const runs = [...KERNEL_PROBES, ...ON_FILES].map(
    ({ name, source }) => `tell(${JSON.stringify(name)}, () => { ${source} });`,
  );
  const program = readFileSync(built("database.cjs"), "utf8").replace(
    /\nserve\(database\d*\);\s*$/,
    `\n{ const { sys, text, at, HERE, scratch } = beforehand;
const $ = ${JSON.stringify(targets)};
const tell = (name, act) => { let finding; try { finding = { got: act() }; } catch (error) { finding = { refused: String(error.message) }; } send(9, 0, JSON.stringify({ name, ...finding })); };
${runs.join("\n")}
send(9, 0, JSON.stringify({ name: "end" })); }`,
  );
  expect(program).toContain("const tell");
  const file = join(folder, "database.cjs");
  writeFileSync(
    file,
    `const beforehand = (() => {\n${PRELUDE}\nreturn { sys, text, at, HERE, scratch };\n})();\n${program}`,
  );
  const { node } = await locateRuntime({ home: join(folder, "home"), workspaces: [] });
  const { dev, ino } = lstatSync(own, { bigint: true });
  const target = {
    path: own,
    readOnly,
    file: { dev: String(dev), ino: String(ino) },
    foreignKeys: true,
    doubleQuoted: false,
    timeout: 0,
  };
  const held = openSync(join(folder, "mine"), constants.O_RDONLY | constants.O_DIRECTORY);
  const flags = [
    "--permission",
    "--allow-ffi",
    `--allow-fs-read=${folder}/*`,
    `--allow-fs-write=${folder}/*`,
    "--no-warnings",
    "--jitless",
  ];
  const child = spawn(node, [...flags, file, JSON.stringify(target)], {
    stdio: ["ignore", "ignore", "inherit", "pipe", "pipe", "ignore", held],
  });
  closeSync(held);
  try {
    return { findings: await findingsOf(child), victim: targets.victim };
  } finally {
    child.kill("SIGKILL");
    bystander.kill("SIGKILL");
  }
}

const findingsOf = (child: ChildProcess): Promise<Map<string, Finding>> =>
  new Promise((resolve, reject) => {
    const findings = new Map<string, Finding>();
    const reader = new FrameReader((kind, _number, text) => {
      if (kind !== 9) return;
      const { name, ...finding } = JSON.parse(text);
      if (name === "end") resolve(findings);
      else findings.set(name, finding);
    });
    (child.stdio[4] as Readable).on("data", (chunk: Buffer) => reader.push(chunk));
    child.on("exit", (code, signal) =>
      reject(new Error(`it ended by ${code ?? signal} after ${[...findings.keys()].at(-1)}`)),
    );
  });

describe("against native code in the process of a database", needs(process.platform !== "linux" && "Linux"), () => {
  test.each([
    ["that is written", false, [...COMMON, ...CHANGES]],
    ["that is read", true, COMMON],
  ])("the kernel leaves it the folder of the file, of one %s", async (_name, readOnly, allowed) => {
    const { findings, victim } = await probeDatabase(readOnly);
    const got = [...findings].filter(([, finding]) => "got" in finding).map(([name]) => name);
    expect(got.sort()).toEqual([...LOOKS, ...allowed].sort());
    expect(findings.size).toBe(KERNEL_PROBES.length + ON_FILES.length);
    expect(existsSync(victim)).toBe(true);
  });
});
