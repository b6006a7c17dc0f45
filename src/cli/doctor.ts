import { existsSync, lstatSync, readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { attemptOr } from "../base/attempt.ts";
import { counted } from "../base/counted.ts";
import { messageOf } from "../base/errors.ts";
import { defaultHome } from "../disk/home.ts";
import { defaultAgentDir, projectFolders } from "../host/discover.ts";
import { workspacesOf } from "../host/find-hooks.ts";
import { wishedRecording } from "../recording/places.ts";
import { locateRuntime, type Runtime } from "../runtime/locate.ts";
import { grantsPath, readGrants } from "../store/grants-text.ts";
import { lockPath } from "../store/hooks-lock.ts";
import { SandboxProcess } from "../supervisor/process.ts";
import { START_DEADLINE_MS } from "../supervisor/supervisor.ts";
import { afterWaking } from "../supervisor/waking-time.ts";
import { type ProjectFlags, Refused } from "./common.ts";
import { type AgentFinding, agentFindings, openAgents } from "./doctor-agents.ts";
import { exportFindings } from "./doctor-export.ts";
import { hookFindings } from "./doctor-hooks.ts";
import { recordFindings } from "./doctor-record.ts";
import { type Finding, fault, fine, remark, standing } from "./finding.ts";
import { sessionHere } from "./here.ts";
import { policyLines } from "./policy-here.ts";
import { printJson, printMarked, style } from "./print.ts";
import { recordedNow } from "./record.ts";

interface Flags extends ProjectFlags {
  quiet?: boolean;
  /** What is worth knowing fails, too, if a command mends it. */
  strict?: boolean;
}

/** `cordon doctor`: reports which layers protect this machine, and what is broken in the user's setup. */
export async function doctor(flags: Flags): Promise<void> {
  const cwd = resolve(flags.cwd ?? ".");
  const home = defaultHome();
  if (flags.quiet) {
    const open = await looked("agents", () => openAgents(home, workspacesOf(cwd)).map(shownAs));
    return reportOf(open, flags);
  }
  const findings = [
    ...(await looked("runtime", () => runtimeFindings(home, cwd))),
    ...(await looked("grants", () => grantFindings(home))),
    ...(await looked("OpenTelemetry", () => exportFindings(process.env))),
    ...(await looked("links", () => linkFindings(cwd, home))),
    ...(await looked("policy", policyFindings)),
    ...(await looked("hooks", () => hookFindings(cwd, home))),
    ...(await looked("agents", () => agents(cwd, home))),
    ...(await looked("recording", () => recordingFindings(home))),
    ...(await looked("record", () => recordFindings(home))),
  ];
  reportOf(findings, flags);
}

function reportOf(findings: readonly Finding[], { json, strict = false }: Flags): void {
  if (json) printJson({ findings });
  else
    for (const { what, ok, note, detail } of findings) {
      const text = `${what}${detail ? `: ${detail}` : ""}`;
      if (note) printMarked`${style.yellow("note")} ${text}`;
      else if (ok) printMarked`${style.green("ok")}   ${text}`;
      else printMarked`${style.red("no")}   ${text}`;
    }
  const failed = findings.filter(({ ok, note, standing }) => !ok || (strict && note && !standing));
  if (failed.length === 0) return;
  const which = [...new Set(failed.map(({ what }) => what))].join(", ");
  throw new Refused(
    strict && !json ? `--strict: ${failed.length} of ${counted(findings.length, "finding")} fail: ${which}` : "",
  );
}

/** By what stopped it: the first look. */
const stopped = new Map<string, string>();

/** What stops a look is a fault by itself, and told once if it stops several. */
async function looked(what: string, look: () => Finding[] | Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await look();
  } catch (error) {
    const text = messageOf(error);
    const first = stopped.get(text);
    stopped.set(text, first ?? what);
    return [fault(what, first === undefined ? `${text}${wayOut(text)}` : `cannot be looked at: see ${first}`)];
  }
}

/** What a person can do about a damaged file of Cordon's. Nothing an agent reads says it: it would take all hooks out. */
function wayOut(text: string): string {
  const home = defaultHome();
  if (text.startsWith(`${grantsPath(home)}: `)) return "; mend it, or move it away and grant anew what hooks need";
  if (text.startsWith(`${lockPath(home)}: `)) return "; mend it, or move it away and add its hooks again";
  return "";
}

/** A policy that cannot be read is a fault: no session starts then. */
const policyFindings = (): Finding[] => policyLines().map((text) => fine("policy in force", text));

/** Nothing is recorded without every report saying so. */
async function recordingFindings(home: string): Promise<Finding[]> {
  const next = wishedRecording(home) === undefined ? [] : ["the next session that begins is recorded"];
  const now = (await recordedNow(home)).map((session) => `${session} is recorded`);
  return [...next, ...now].map((text) => remark("recording", `${text}; to end it: cordon record stop`));
}

async function runtimeFindings(home: string, cwd: string): Promise<Finding[]> {
  const runtime = await locateRuntime({ home, workspaces: [cwd] }).catch((error: unknown) => messageOf(error));
  const linux = process.platform === "linux";
  const onDeath = "the sandbox ends at its next turn of the event loop";
  if (typeof runtime === "string") return [fault("runtime", runtime), NO_LAYERS];
  return [
    ...ofNode(runtime),
    ...(linux ? LIMITS_OF_LINUX : LIMITS_ELSEWHERE),
    process.platform === "win32"
      ? standing("death of the agent", `${onDeath}: an endless loop ends after 30 times its CPU limit`)
      : fine("death of the agent", "the sandbox is killed, whatever it does"),
    ...(linux ? [] : [standing("granted files", OPENED_BY_PATH)]),
    await kernelFinding(runtime),
  ];
}

const NO_LAYERS = remark(
  "layers",
  "none without a runtime, and no hook runs: calls that hooks guard are blocked. With one, this names what holds files, network, memory, processor time and native code",
);

/** What a runtime's Node refuses. */
const ofNode = ({ major, origin }: Runtime): Finding[] => [
  fine("runtime", `Node ${major} from ${origin}`),
  fine("files, programs, workers, inspector", "refused by Node's permission model"),
  major >= 26
    ? fine("network", "refused by Node's permission model")
    : fault("network", `Node ${major} does not refuse it; run: cordon runtime install`),
];

const LIMITS_OF_LINUX = [
  fine("memory", "bounded by the isolate and by a data limit on the process"),
  fine("processor time", "measured for each event, ended by SIGKILL"),
];
const NO_DATA_LIMIT = `${process.platform} has no data limit: bounded by the isolate alone, which some allocations pass`;
const LIMITS_ELSEWHERE = [
  standing("memory", NO_DATA_LIMIT),
  standing("processor time", "bounded by the clock, ended by force"),
];
const OPENED_BY_PATH = "opened by their real path: who can swap a folder for a link meanwhile wins that race";

/** What the kernel refuses to a sandbox, as reported by a sandbox that is started for this. */
async function kernelFinding(runtime: Runtime): Promise<Finding> {
  const sandbox = new SandboxProcess(runtime, { memoryMb: 64, jit: false });
  const stop = afterWaking(START_DEADLINE_MS, () =>
    sandbox.kill({ code: "TIMEOUT", summary: "it did not start in time" }),
  );
  try {
    await sandbox.ready;
    return heldByKernel(runtime, sandbox.layers);
  } catch (error) {
    return fault(NATIVE_CODE, `no sandbox can be started: ${messageOf(error)}`);
  } finally {
    stop();
    sandbox.kill({ code: "CRASHED", summary: "the question is answered" });
    await sandbox.gone;
  }
}

const NATIVE_CODE = "native code in a sandbox";

function heldByKernel(runtime: Runtime, layers: readonly string[]): Finding {
  if (process.platform !== "linux")
    return standing(NATIVE_CODE, `not held by the kernel: ${process.platform} has no such layer`);
  if (!runtime.ffi)
    return remark(NATIVE_CODE, "not held by the kernel: that takes Node 26.1 or later; run: cordon runtime install");
  const whole = ["seccomp", "landlock", "no new descriptors"].every((name) =>
    layers.some((layer) => layer.startsWith(name)),
  );
  const missing = whole ? "" : "; the rest is not offered by this kernel, or by the container around it";
  const detail = `held by ${layers.join(", ") || "nothing of the kernel's"}${missing}`;
  return { ...remark(NATIVE_CODE, detail), note: !whole };
}

const shownAs = ({ what, ok, detail, isStanding }: AgentFinding): Finding =>
  (isStanding ? standing : ok === undefined ? remark : ok ? fine : fault)(what, detail);

async function agents(cwd: string, home: string): Promise<Finding[]> {
  let session: ReturnType<typeof sessionHere> | undefined;
  const hooks = async () => {
    session ??= sessionHere(cwd, home);
    return (await session).hooks;
  };
  const found = await agentFindings(home, workspacesOf(cwd), hooks);
  return found.map(shownAs);
}

function grantFindings(home: string): Finding[] {
  const path = grantsPath(home);
  readGrants(path, false);
  if (existsSync(path)) return [fine("grants", path)];
  return [fine("grants", `none: ${path} is not there, and nobody granted anything yet`)];
}

/** Says whether the audit is exported, if the environment asks for it. */
/** Reports dangling links: behind one there is no gate. */
function linkFindings(cwd: string, home: string): Finding[] {
  const folders = [join(home, "hooks"), join(defaultAgentDir(), "hooks"), ...projectFolders(cwd)];
  const inside = folders.flatMap((folder) =>
    (statSync(folder, { throwIfNoEntry: false })?.isDirectory() ? readdirSync(folder) : []).map((name) =>
      join(folder, name),
    ),
  );
  return [...folders, ...inside]
    .filter((path) => attemptOr(() => lstatSync(path).isSymbolicLink(), false) && !existsSync(path))
    .map((path) => fault(`link ${path}`, "it leads to nothing: no hook is there"));
}
