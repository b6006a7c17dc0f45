import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type CACHED_CODE, LAZY_FILES } from "../../sandbox/wire/lazy-files.ts";
import { JITLESS } from "../../sandbox/wire/v8-flags.ts";
import { built } from "../../src/base/package-root.ts";
import { locateRuntime, type Runtime } from "../../src/runtime/locate.ts";
import { SandboxProcess } from "../../src/supervisor/process.ts";
import { needs } from "../support/needs.ts";
import { writeFiles } from "../support/session.ts";
import { processFacts } from "./proc.ts";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Three isolates with our code, of which each judges a call. Prints what V8 said of the caches that it was given, and the verdicts. */
const PROGRAM = `
import { closeSync, openSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { guestCode } from ${JSON.stringify(here("../../sandbox/process/guest-code.ts"))};
import { GuestIsolate, PreparedIsolate } from ${JSON.stringify(here("../../sandbox/process/isolate.ts"))};
import { lazyCode } from ${JSON.stringify(here("../../sandbox/process/lazy-code.ts"))};

const module = { exports: {} as any };
process.dlopen(module, process.argv[2] as string);
const ivm = module.exports.ivm ?? module.exports;
const said: string[] = [];
class Isolate extends ivm.Isolate {
  compileScriptSync(code: string, options: { cachedData?: unknown }) {
    const script = super.compileScriptSync(code, options);
    if (options.cachedData) said.push(script.cachedDataRejected ? "refused" : "taken");
    return script;
  }
}
const addon = Object.create(ivm, { Isolate: { value: Isolate } });
const text = (at: number) => readFileSync(process.argv[at] as string, "utf8");
const code = guestCode(
  addon,
  { runtime: text(3), realm: text(4) },
  { runtime: readFileSync(process.argv[5] as string), realm: readFileSync(process.argv[6] as string) },
);
const init = JSON.stringify({ hook: "", dialect: "", cwd: "/", failOpen: false, session: [], machine: {} });
const hook = "globalThis.__cordonLoad(() => ({ default(pi) { pi.on('tool_call', ({ toolName }) => ({ block: toolName === 'rm' })); } })); " + process.argv[7];
const verdicts: string[] = [];
const lazy = lazyCode(addon, process.argv.slice(8), { closeSync, openSync, readFileSync });
for (let count = 0; count < 3; count++) {
  const isolate = new GuestIsolate(addon, new PreparedIsolate(addon, 64, code), { memoryMb: 64, entryTimeoutMs: 1000, init }, {
    message() {}, ask: () => "", random: () => "", derive: () => "", lazyCode: lazy, priority() {},
    enter() {},
    settled() {},
    fault: (...fault) => void verdicts.push(fault.join()),
  });
  isolate.start(hook);
  for (const [at, toolName] of ["ls", "rm"].entries())
    verdicts.push(...(isolate.deliver("E" + at + ":" + JSON.stringify({ event: { type: "tool_call", toolName, toolCallId: "1", input: {} }, hasUI: false, sessionFile: null })) ?? []));
}
const leadsTo = (number: string) => { try { return readlinkSync("/proc/self/fd/" + number); } catch { return ""; } };
const open = readdirSync("/proc/self/fd").map(leadsTo).filter((path) => process.argv.slice(8).includes(path));
console.log(JSON.stringify({ said, verdicts, open }));
`;

const folder = mkdtempSync(join(tmpdir(), "cordon-code-cache-"));
let runtime: Runtime;
/** Those of a sandbox process, but for the files that it may read. */
let flags: string[];

beforeAll(async () => {
  writeFiles(folder, { "program.ts": PROGRAM, empty: "", other: "no cache of V8's" });
  await build({
    entryPoints: [join(folder, "program.ts")],
    outfile: join(folder, "program.cjs"),
    bundle: true,
    platform: "node",
    format: "cjs",
    logLevel: "error",
  });
  runtime = await locateRuntime({ home: "/nonexistent", workspaces: [] });
  const sandbox = new SandboxProcess(runtime, { memoryMb: 64, jit: false });
  await sandbox.ready;
  const words = processFacts(sandbox.pid as number)?.command ?? [];
  flags = words.filter((word) => word.startsWith("--") && !word.startsWith("--allow-fs-read="));
  sandbox.kill({ code: "CRASHED", summary: "its flags are known" });
  await sandbox.gone;
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const PASS_AND_BLOCK = ["0p0:", '1r1:{"result":{"block":true,"at":"1:51"}}'];

const GUEST = built("guest.cache");
const REALM = built("realm.cache");

/** Starts the program. `uses`: what hooks do as they load. */
function judged(caches: readonly [guest: string, realm: string], uses = "", lacks?: string) {
  const { stdout, stderr } = spawnSync(
    runtime.node,
    [
      ...flags.filter((flag) => flag !== lacks),
      "--allow-fs-read=*",
      join(folder, "program.cjs"),
      runtime.addon,
      ...[built("guest.js"), built("realm.js"), ...caches, uses],
      ...LAZY_FILES.map((name) => built("lazy-code", name)),
    ],
    { encoding: "utf8", env: { LIBC: "glibc" } },
  );
  expect(stderr).toBe("");
  return JSON.parse(stdout);
}

test.for([
  { claim: "those of the build", said: "taken", guest: () => GUEST, realm: () => REALM },
  {
    claim: "those of another Node or other flags",
    said: "refused",
    lacks: JITLESS,
  },
  { claim: "empty files", said: "refused", guest: () => join(folder, "empty"), realm: () => join(folder, "empty") },
  { claim: "other files", said: "refused", guest: () => join(folder, "other"), realm: () => join(folder, "other") },
  { claim: "each other's", said: "refused", guest: () => REALM, realm: () => GUEST },
])("with code caches that are $claim, hooks judge, and V8 has $said them", ({ said, lacks, guest, realm }) => {
  const given = judged([guest?.() ?? GUEST, realm?.() ?? REALM], "", lacks);
  expect(given.verdicts).toEqual([PASS_AND_BLOCK, PASS_AND_BLOCK, PASS_AND_BLOCK].flat());
  // What V8 refuses is not given again: the third isolate has a cache that the second made.
  const isTaken = said === "taken";
  expect(given.said).toEqual(isTaken ? Array(6).fill("taken") : ["refused", "refused", "taken", "taken"]);
});

const USES: Record<(typeof CACHED_CODE)[number], string> = {
  streams: `globalThis[Symbol.for("cordon.host")].library("streams", { Buffer: class {}, EventEmitter: class {}, StringDecoder: class {} });`,
  text: "new TextDecoder();",
  typebox: `globalThis[Symbol.for("cordon.host")].library("typebox");`,
  url: 'new URL("https://name.example");',
};

test.each(Object.entries(USES))("V8 takes the code cache of lazy code: %s", (name, uses) => {
  const given = judged([GUEST, REALM], uses);
  expect(given.verdicts).toEqual([PASS_AND_BLOCK, PASS_AND_BLOCK, PASS_AND_BLOCK].flat());
  // TypeBox makes a TextEncoder as it loads.
  const caches = name === "typebox" ? 4 : 3;
  expect(given.said).toEqual(Array(3 * caches).fill("taken"));
});

test("lazy code without a code cache gets one for the third isolate", () => {
  const { said, verdicts } = judged([GUEST, REALM], 'atob("YQ==");');
  expect(verdicts).toHaveLength(6);
  expect(said).toEqual(Array(7).fill("taken"));
});

test(
  "a file of lazy code is closed once it is read, and all others stay open",
  needs(!existsSync("/proc/self/fd") && "/proc"),
  () => {
    const { open } = judged([GUEST, REALM], 'new URL("https://name.example"); atob("YQ==");');
    const read = ["url.js", "url.cache", "base64.js"];
    expect(open.sort()).toEqual(
      LAZY_FILES.filter((name) => !read.includes(name))
        .map((name) => built("lazy-code", name))
        .sort(),
    );
  },
);
