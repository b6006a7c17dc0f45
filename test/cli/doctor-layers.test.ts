import { chmodSync, copyFileSync, mkdirSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { PACKAGE_ROOT } from "../../src/base/package-root.ts";
import { addonFor } from "../../src/runtime/addon.ts";
import { runtimeAddon, runtimeNode } from "../../src/runtime/locate.ts";
import { cordon } from "../support/command.ts";
import { needs } from "../support/needs.ts";
import { onToolCall, temporaryFolder, writeFiles } from "../support/session.ts";

interface Finding {
  what: string;
  ok: boolean;
  note?: boolean;
  detail: string;
}

let folder: string;
let home: string;

beforeEach(() => {
  folder = temporaryFolder();
  home = join(folder, "home");
  mkdirSync(join(home, "agent"), { recursive: true });
});

/** Its findings in this environment by subject: those for programs, and the lines for people. */
async function doctor(env: NodeJS.ProcessEnv) {
  const [asked, shown] = [await cordon(["doctor", "--json"], given(env)), await cordon(["doctor"], given(env))];
  expect([asked.stderr, shown.stderr, shown.code]).toEqual(["", "", asked.code]);
  const findings: Finding[] = JSON.parse(asked.stdout).findings;
  const lines = shown.stdout.trimEnd().split("\n");
  expect(lines).toEqual(
    findings.map(({ what, ok, note, detail }) => `${note ? "note" : ok ? "ok  " : "no  "} ${what}: ${detail}`),
  );
  return {
    code: asked.code,
    of: (what: string) => findings.find((finding) => finding.what === what),
    details: Object.fromEntries(findings.map(({ what, detail }) => [what, detail])),
  };
}

const given = (env: NodeJS.ProcessEnv) => ({ cwd: folder, home, env: { CORDON_RUNTIME: "", ...env } });

/** The environment of a command that sees this machine as another one: Node gives Cordon these answers. */
function on(platform: string, arch: string): NodeJS.ProcessEnv {
  const file = join(folder, "elsewhere.mjs");
  const lie = (name: string, value: string): string =>
    `Object.defineProperty(process, ${JSON.stringify(name)}, { value: ${JSON.stringify(value)} });\n`;
  writeFileSync(file, lie("platform", platform) + lie("arch", arch));
  return { NODE_OPTIONS: `--import=${file}` };
}

const NATIVE = "native code in a sandbox";

/** The layers that systems other than Linux lack, as in docs/compatibility.md. */
test.for([
  {
    platform: "darwin",
    death: "the sandbox is killed, whatever it does",
  },
  {
    platform: "win32",
    death: "the sandbox ends at its next turn of the event loop: an endless loop ends after 30 times its CPU limit",
  },
])(
  "on $platform it names each layer that the system lacks",
  needs(process.platform !== "linux" && "Linux"),
  async ({ platform, death }) => {
    const { code, of, details } = await doctor(runtimeFor(platform, process.arch));
    expect(details).toMatchObject({
      runtime: expect.stringMatching(/^Node 26 from /),
      "files, programs, workers, inspector": "refused by Node's permission model",
      network: "refused by Node's permission model",
      memory: `${platform} has no data limit: bounded by the isolate alone, which some allocations pass`,
      "processor time": "bounded by the clock, ended by force",
      "death of the agent": death,
    });
    expect(of(NATIVE)).toEqual({
      what: NATIVE,
      ok: true,
      note: true,
      standing: true,
      detail: `not held by the kernel: ${platform} has no such layer`,
    });
    for (const what of ["memory", "processor time", "granted files"])
      expect(of(what), what).toMatchObject({ note: true });
    // They are missing by design: the set-up is correct.
    expect(code).toBe(0);
  },
);

test("without a sandbox for the processor, it claims no layer", async () => {
  const { code, of, details } = await doctor(on("darwin", "mips"));
  expect(of("runtime")).toMatchObject({ ok: false, detail: expect.stringContaining("no sandbox runtime") });
  expect(Object.keys(details)).toEqual(["runtime", "layers", "grants", "hooks", "agents", "record"]);
  expect(of("layers")).toMatchObject({ note: true, detail: expect.stringContaining("none without a runtime") });
  expect(code).toBe(1);
});

/** A runtime whose Node claims to be this version, and starts what this script decides. */
function runtime(version: string, start: string): NodeJS.ProcessEnv {
  const place = join(folder, "runtime");
  const file = runtimeNode(place);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `#!/bin/sh\nif [ "$1" = --version ]; then echo v${version}; else ${start}; fi\n`);
  chmodSync(file, 0o755);
  symlinkSync(join(PACKAGE_ROOT, "node_modules", "isolated-vm"), runtimeAddon(place));
  return { CORDON_RUNTIME: place };
}

/** The same for another system, with this machine's addon: a sandbox starts as it would on that system. */
function runtimeFor(platform: string, arch: string): NodeJS.ProcessEnv {
  const { CORDON_RUNTIME: place = "" } = runtime(process.versions.node, itself);
  // There only the name shows that it is Windows.
  if (platform === "win32") symlinkSync(runtimeNode(place), join(dirname(runtimeNode(place)), "node.exe"));
  const addons = join(folder, "addons", "prebuilds", `${platform}-${arch}`);
  mkdirSync(addons, { recursive: true });
  const addon = addonFor(runtimeAddon(place), 26) as string;
  copyFileSync(addon, join(addons, "isolated-vm.abi147.node"));
  unlinkSync(runtimeAddon(place));
  symlinkSync(join(folder, "addons"), runtimeAddon(place));
  return { ...on(platform, arch), CORDON_RUNTIME: place };
}

/** A Node that claims to be 24, with an addon for its real version. */
function runtimeOf24(): NodeJS.ProcessEnv {
  const { CORDON_RUNTIME: place = "" } = runtime("24.3.0", itself);
  const addon = addonFor(runtimeAddon(place), 26) as string;
  const folder = join(dirname(place), "addons-24", "prebuilds", `${process.platform}-${process.arch}`);
  mkdirSync(folder, { recursive: true });
  copyFileSync(addon, join(folder, basename(addon).replace("abi147", "abi137")));
  unlinkSync(runtimeAddon(place));
  symlinkSync(dirname(dirname(folder)), runtimeAddon(place));
  return { CORDON_RUNTIME: place };
}

const itself = `exec '${process.execPath}' "$@"`;

describe("on Linux", needs(process.platform !== "linux" && "Linux"), () => {
  test("it claims the layers that other systems lack", async () => {
    const { code, details } = await doctor({});
    expect(details).toMatchObject({
      memory: "bounded by the isolate and by a data limit on the process",
      "processor time": "measured for each event, ended by SIGKILL",
      "death of the agent": "the sandbox is killed, whatever it does",
    });
    expect(code).toBe(0);
  });

  test.for(["darwin", "win32"])(
    "a sandbox that starts as on %s needs no layer of Linux: its hook is active",
    async (platform) => {
      writeFiles(home, { "agent/hooks/gate.ts": onToolCall("return undefined;") });
      const { code, of } = await doctor(runtimeFor(platform, process.arch));
      expect(of(NATIVE)).toMatchObject({
        note: true,
        detail: expect.stringContaining(`${platform} has no such layer`),
      });
      expect(of("hook gate")).toMatchObject({ ok: true, detail: "active" });
      expect(code).toBe(0);
    },
  );

  test("with Node 24 it says that the network is not refused and the kernel holds nothing, and fails", async () => {
    const { code, of } = await doctor(runtimeOf24());
    expect(of("runtime")).toMatchObject({ ok: true, detail: "Node 24 from CORDON_RUNTIME" });
    expect(of("network")).toEqual({
      what: "network",
      ok: false,
      detail: "Node 24 does not refuse it; run: cordon runtime install",
    });
    expect(of(NATIVE)).toEqual({
      what: NATIVE,
      ok: true,
      note: true,
      detail: "not held by the kernel: that takes Node 26.1 or later; run: cordon runtime install",
    });
    expect(code).toBe(1);
  });

  test("with Node 26.0 it says that the kernel holds nothing, and that the network is refused", async () => {
    const { code, of } = await doctor(runtime("26.0.0", itself));
    expect(of("network")).toMatchObject({ ok: true, detail: "refused by Node's permission model" });
    expect(of(NATIVE)).toMatchObject({ note: true, detail: expect.stringContaining("takes Node 26.1 or later") });
    expect(code).toBe(0);
  });

  test("with a Node that starts no sandbox it claims no layer", async () => {
    const { code, of } = await doctor(runtime(process.versions.node, "exit 7"));
    expect(of(NATIVE)).toEqual({
      what: NATIVE,
      ok: false,
      detail: "no sandbox can be started: its sandbox died (exit code 7)",
    });
    expect(code).toBe(1);
  });
});

/** Numbers of the system calls that a layer needs: `[x64, arm64]`. */
const CALLS = { landlock: [444, 444], seccomp: [317, 277], prlimit64: [302, 261], fcntl: [72, 25], prctl: [157, 167] };
const column = ["x64", "arm64"].indexOf(process.arch);

/**
 * A real Node under a kernel without these calls, as a container's profile makes one: a filter that answers ENOSYS to
 * them, and only then the sandbox.
 */
function kernelWithout(...layers: (keyof typeof CALLS)[]): NodeJS.ProcessEnv {
  const number = (name: keyof typeof CALLS): number => CALLS[name][column] as number;
  const program = join(folder, "lesser-kernel.cjs");
  writeFileSync(
    program,
    `const ffi = require("node:ffi");
const { syscall } = ffi.dlopen(null, { syscall: { return: "i64", arguments: Array(7).fill("u64") } }).functions;
const call = (...all) => {
  if (syscall(...Array.from({ length: 7 }, (_, at) => BigInt(all[at] ?? 0))) < 0) process.exit(9);
};
const [LOAD, IF_EQUAL, RETURN, ALLOW, ABSENT] = [0x20, 0x15, 0x06, 0x7fff0000, 0x00050026];
const steps = [
  [LOAD, 0, 0, 0],
  ...${JSON.stringify(layers.map(number))}.flatMap((one) => [[IF_EQUAL, 0, 1, one], [RETURN, 0, 0, ABSENT]]),
  [RETURN, 0, 0, ALLOW],
];
const filter = new DataView(new ArrayBuffer(8 * steps.length));
steps.forEach(([code, yes, no, constant], at) => {
  filter.setUint16(8 * at, code, true);
  filter.setUint8(8 * at + 2, yes);
  filter.setUint8(8 * at + 3, no);
  filter.setUint32(8 * at + 4, constant, true);
});
const header = new BigUint64Array([BigInt(steps.length), ffi.getRawPointer(filter)]);
// Node lets none of its descriptors pass to another program by itself.
for (const descriptor of [3, 4, 6]) call(${number("fcntl")}, descriptor, 2, 0);
call(${number("prctl")}, 38, 1);
call(${number("seccomp")}, 1, 1, ffi.getRawPointer(header));
process.execve(process.execPath, [process.execPath, ...process.argv.slice(2)], process.env);
`,
  );
  return runtime(process.versions.node, `exec '${process.execPath}' --jitless --no-warnings '${program}' "$@"`);
}

const REST = "; the rest is not offered by this kernel, or by the container around it";

describe(
  "on a Linux kernel",
  needs(!(process.platform === "linux" && column >= 0) && "a Linux kernel of the table"),
  () => {
    test.for([
      { without: [], note: false, holds: /^held by landlock \d+, no new descriptors, seccomp$/ },
      { without: ["landlock"], note: true, holds: `held by no new descriptors, seccomp${REST}` },
      { without: ["seccomp"], note: true, holds: new RegExp(`^held by landlock \\d+, no new descriptors${REST}$`) },
      { without: ["landlock", "seccomp"], note: true, holds: `held by no new descriptors${REST}` },
      { without: ["landlock", "seccomp", "prlimit64"], note: true, holds: `held by nothing of the kernel's${REST}` },
    ] as const)("without $without it names the layers that still hold", async ({ without, note, holds }) => {
      writeFiles(home, { "agent/hooks/gate.ts": onToolCall("return undefined;") });
      const { code, of } = await doctor(kernelWithout(...without));
      expect(of(NATIVE)).toEqual({
        what: NATIVE,
        ok: true,
        note,
        detail: typeof holds === "string" ? holds : expect.stringMatching(holds),
      });
      // A layer that the kernel lacks makes no hook fail.
      expect(of("hook gate")).toMatchObject({ ok: true, detail: "active" });
      expect(code).toBe(0);
    });
  },
);
