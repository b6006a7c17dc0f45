import { readFileSync, readlinkSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { LAZY_FILES } from "../../sandbox/wire/lazy-files.ts";
import { built } from "../../src/base/package-root.ts";
import { locateRuntime, type Runtime } from "../../src/runtime/locate.ts";
import { SandboxProcess } from "../../src/supervisor/process.ts";
import { needs } from "../support/needs.ts";
import { descriptors, inGroups, processFacts } from "./proc.ts";

let runtime: Runtime;
let sandbox: SandboxProcess;
let withJit: SandboxProcess;
let larger: SandboxProcess;

beforeAll(async () => {
  runtime = await locateRuntime({ home: "/nonexistent", workspaces: [] });
  sandbox = new SandboxProcess(runtime, { memoryMb: 64, jit: false });
  withJit = new SandboxProcess(runtime, { memoryMb: 64, jit: true });
  larger = new SandboxProcess(runtime, { memoryMb: 264, jit: false });
  await Promise.all([sandbox.ready, withJit.ready, larger.ready]);
});

afterAll(async () => {
  for (const process of [sandbox, withJit, larger]) {
    process.kill({ code: "CRASHED", summary: "the test is over" });
    await process.gone;
  }
});

const pidOf = (process: SandboxProcess): number => process.pid as number;
const commandOf = (process: SandboxProcess): string[] => processFacts(pidOf(process))?.command ?? [];
const limitOf = (process: SandboxProcess, name: string): string =>
  new RegExp(`^${name} +(\\S+)`, "m").exec(readFileSync(`/proc/${pidOf(process)}/limits`, "utf8"))?.[1] ?? "";

test("the sandbox process is Node with exactly these flags, and may read only its own files", () => {
  const [node, ...words] = commandOf(sandbox);
  expect(node).toBe(runtime.node);
  const files = [
    built("process.cjs"),
    runtime.addon,
    ...["guest.js", "realm.js", "guest.cache", "realm.cache"].map((name) => built(name)),
    ...LAZY_FILES.map((name) => built("lazy-code", name)),
  ];
  expect(words.slice(-files.length - 1)).toEqual([...files, "progress"]);
  const flags = words.slice(0, -files.length - 1);
  expect(flags).toEqual(
    expect.arrayContaining([
      "--permission",
      "--allow-addons",
      "--no-experimental-sqlite",
      "--disable-sigusr1",
      "--disable-proto=delete",
      "--jitless",
      "--max-semi-space-size=1",
    ]),
  );
  expect(flags.filter((flag) => flag.startsWith("--allow-"))).toEqual([
    "--allow-addons",
    "--allow-ffi",
    ...files.map((file) => `--allow-fs-read=${file}`),
  ]);
});

test("a grant with the JIT removes only that flag", () => {
  expect(commandOf(withJit)).toEqual(commandOf(sandbox).filter((word) => word !== "--jitless"));
});

test("its environment contains only the addon loader's hint", () => {
  expect(readFileSync(`/proc/${pidOf(sandbox)}/environ`, "utf8")).toBe("LIBC=glibc\0");
});

test("its working directory is the root folder", () => {
  expect(readlinkSync(`/proc/${pidOf(sandbox)}/cwd`)).toBe("/");
});

test("it leads a process group of its own, which otherwise contains only its watcher", () => {
  expect(processFacts(pidOf(sandbox))?.group).toBe(pidOf(sandbox));
  const others = inGroups([pidOf(sandbox)]).filter((pid) => pid !== pidOf(sandbox));
  expect(others).toHaveLength(1);
  expect(processFacts(others[0] as number)?.command[0]).toMatch(/sh$/);
});

/** A descriptor of this process that is open in its children as well; see "a descriptor that the host inherited". */
function isInherited(number: number): boolean {
  const flags = /^flags:\s+(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${number}`, "utf8"))?.[1];
  return (Number.parseInt(flags ?? "0", 8) & 0o2000000) === 0;
}

test("its open descriptors are its two pipes, an unnamed file, /dev/null, its event loop and files of Cordon's own", () => {
  const open = descriptors(pidOf(sandbox));
  for (const number of [0, 1, 2]) expect(open.get(number)).toBe("/dev/null");
  for (const number of [3, 4]) expect(open.get(number)).toMatch(/^socket:/);
  expect(open.get(3)).not.toBe(open.get(4));
  expect(open.get(6)).toMatch(/\/cordon-[0-9a-f]{16} \(deleted\)$/);
  const rest = [...open].filter(([number]) => number > 4 && number !== 6).map(([, what]) => what);
  const unexpected = rest.filter(
    (what) => !/^anon_inode:\[(eventpoll|eventfd|io_uring)\]$|^pipe:|^\/dev\/null$/.test(what),
  );
  // Code that a hook may need later, when nothing can be opened any more. No descriptor of these can write.
  const lazy = LAZY_FILES.map((name) => built("lazy-code", name));
  expect(unexpected.sort()).toEqual(lazy.sort());
  for (const [number, what] of open)
    if (lazy.includes(what))
      expect(readFileSync(`/proc/${pidOf(sandbox)}/fdinfo/${number}`, "utf8")).toMatch(/^flags:\s+\d*0$/m);
  const shared = new Set([...descriptors("self")].filter(([number]) => !isInherited(number)).map(([, what]) => what));
  expect(rest.filter((what) => /^(pipe|socket):/.test(what) && shared.has(what))).toEqual([]);
});

test("its data segment is limited to its heap and 168 MB", () => {
  expect(limitOf(sandbox, "Max data size")).toBe(String((64 + 168) * 1024 * 1024));
  expect(limitOf(larger, "Max data size")).toBe(String((264 + 168) * 1024 * 1024));
});

test(
  "with the JIT it may also have the code that V8 sets aside for two isolates",
  needs(process.arch !== "x64" && "an x64 processor"),
  () => {
    expect(limitOf(withJit, "Max data size")).toBe(String((64 + 168 + 1024) * 1024 * 1024));
  },
);

test("none of its open files can grow", () => {
  expect(Number(limitOf(sandbox, "Max file size"))).toBeLessThanOrEqual(1024);
});

test("it never writes a core file", () => {
  expect(limitOf(sandbox, "Max core file size")).toBe("0");
});

test("a kill takes its watcher with it", async () => {
  const extra = new SandboxProcess(runtime, { memoryMb: 64, jit: false });
  await extra.ready;
  const pid = pidOf(extra);
  expect(inGroups([pid])).toHaveLength(2);
  extra.kill({ code: "CRASHED", summary: "the test says so" });
  await extra.gone;
  await expect.poll(() => inGroups([pid])).toEqual([]);
});
