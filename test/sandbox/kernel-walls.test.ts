import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PACKAGE_ROOT } from "../../src/base/package-root.ts";
import { locateRuntime, type Runtime } from "../../src/runtime/locate.ts";
import { SandboxProcess } from "../../src/supervisor/process.ts";
import { needs } from "../support/needs.ts";
import { KERNEL_PROBES, PRELUDE } from "./kernel-probes.ts";
import { type Finding, runProbes } from "./probe.ts";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "cordon-walls-")));
const data = join(folder, "data");
let runtime: Runtime;
let bystander: ChildProcess;
let confined: Map<string, Finding>;
let bare: Map<string, Finding>;

describe("against native code in the sandbox process", needs(process.platform !== "linux" && "Linux"), () => {
  beforeAll(async () => {
    mkdirSync(data);
    bystander = spawn("/bin/sleep", ["600"], { stdio: "ignore" });
    const targets = {
      folder: data,
      secret: join(data, "secret.txt"),
      victim: join(data, "victim.txt"),
      bystander: bystander.pid,
      host: process.pid,
    };
    writeFileSync(targets.secret, "the secret");
    writeFileSync(targets.victim, "");
    runtime = await locateRuntime({ home: join(folder, "home"), workspaces: [] });
    const run = (where: "confined" | "bare") =>
      runProbes(where, join(folder, where), runtime, KERNEL_PROBES, targets, PRELUDE);
    confined = await run("confined");
    expect(readdirSync(data).sort()).toEqual(["secret.txt", "victim.txt"]);
    bare = await run("bare");
  });

  afterAll(() => {
    bystander.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  });

  const names = KERNEL_PROBES.map(({ name }) => name);

  test.each(names)("the kernel refuses %s", (name) => {
    expect(confined.get(name)).toHaveProperty("refused", expect.stringMatching(/^errno (1|13|38)$/));
  });

  test.each(names)("the probe succeeds in a bare Node: %s", (name) => {
    expect(bare.get(name)).toHaveProperty("got");
  });

  test("the sandbox reports its layers, and the kernel confirms them", async () => {
    const sandbox = new SandboxProcess(runtime, { memoryMb: 64, jit: false });
    await sandbox.ready;
    expect(sandbox.layers).toEqual([expect.stringMatching(/^landlock \d+$/), "no new descriptors", "seccomp"]);
    const tasks = `/proc/${sandbox.pid}/task`;
    const threads = readdirSync(tasks);
    expect(threads.length).toBeGreaterThan(1);
    for (const thread of threads) {
      const status = readFileSync(join(tasks, thread, "status"), "utf8");
      expect(status).toMatch(/^NoNewPrivs:\t1$/m);
      expect(status).toMatch(/^Seccomp:\t2$/m);
    }
    sandbox.kill({ code: "CRASHED", summary: "the test is over" });
    await sandbox.gone;
  });

  test("landlock alone refuses files and ports", () => {
    const program = join(folder, "landlock.ts");
    writeFileSync(
      program,
      `import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import * as ffi from "node:ffi";
import { landlock } from ${JSON.stringify(join(PACKAGE_ROOT, "sandbox", "process", "landlock.ts"))};
import { native } from ${JSON.stringify(join(PACKAGE_ROOT, "sandbox", "process", "native.ts"))};
const code = (act) => { try { act(); return "done"; } catch (error) { return error.code; } };
const tries = () => [code(() => readFileSync(${JSON.stringify(join(data, "secret.txt"))})), code(() => writeFileSync(${JSON.stringify(join(data, "victim.txt"))}, "x"))];
const before = tries();
landlock(native(ffi));
const after = tries();
createServer().on("error", (error) => console.log(JSON.stringify([before, after, error.code]))).listen(0, "127.0.0.1", () => console.log("listens"));
`,
    );
    const { stdout, stderr } = spawnSync(runtime.node, ["--no-warnings", program], { encoding: "utf8" });
    expect(stderr).toBe("");
    expect(JSON.parse(stdout)).toEqual([["done", "done"], ["EACCES", "EACCES"], "EACCES"]);
  });
});
