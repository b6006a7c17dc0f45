import { existsSync, lstatSync, readdirSync, statSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import { messageOf } from "../base/errors.ts";
import { defaultHome } from "../disk/home.ts";
import type { GrantEntry } from "../grants/grant.ts";
import { defaultAgentDir } from "../host/discover.ts";
import { locateRuntime, type Runtime } from "../runtime/locate.ts";
import type { HookInfo } from "../session/hook-info.ts";
import { grantsPath, readGrants } from "../store/grants-text.ts";
import { projectOf } from "../store/hooks-lock.ts";
import { SandboxProcess } from "../supervisor/process.ts";
import { START_DEADLINE_MS } from "../supervisor/supervisor.ts";
import { afterWaking } from "../supervisor/waking-time.ts";
import { Refused } from "./common.ts";
import { hooksHere, sessionHere } from "./here.ts";
import { type History, historyIn } from "./history.ts";
import { type Named, shortName } from "./names.ts";
import { print, printJson, style } from "./print.ts";

interface Finding {
  what: string;
  ok: boolean;
  /** No fault, but worth knowing: a layer that is missing by design, a hook that waits. */
  note?: boolean;
  detail: string;
}

/** `cordon doctor`: reports which layers protect this machine, and what is broken in the user's setup. */
export async function doctor(flags: { cwd?: string; json?: boolean }): Promise<void> {
  const cwd = resolve(flags.cwd ?? ".");
  const home = defaultHome();
  const findings = [
    ...(await runtimeFindings(home, cwd)),
    ...grantFindings(home),
    ...linkFindings(cwd),
    ...(await hookFindings(cwd, home)),
  ];
  if (flags.json) printJson({ findings });
  else
    for (const { what, ok, note, detail } of findings) {
      const text = `${what}${detail ? `: ${detail}` : ""}`;
      if (note) print`${style.yellow("note")} ${text}`;
      else if (ok) print`${style.green("ok")}   ${text}`;
      else print`${style.red("no")}   ${text}`;
    }
  if (findings.some((finding) => !finding.ok)) throw new Refused("");
}

async function runtimeFindings(home: string, cwd: string): Promise<Finding[]> {
  let runtime: Runtime;
  try {
    runtime = await locateRuntime({ home, workspaces: [cwd] });
  } catch (error) {
    return [{ what: "runtime", ok: false, detail: messageOf(error) }];
  }
  const linux = process.platform === "linux";
  const yes = (what: string, detail: string): Finding => ({ what, ok: true, detail });
  const lacks = (what: string, detail: string): Finding => ({ what, ok: true, note: true, detail });
  return [
    yes("runtime", `Node ${runtime.major} from ${runtime.origin}`),
    yes("files, programs, workers, inspector", "refused by Node's permission model"),
    runtime.major >= 26
      ? yes("network", "refused by Node's permission model")
      : { what: "network", ok: false, detail: `Node ${runtime.major} does not refuse it; run: cordon runtime install` },
    linux
      ? yes("memory", "bounded by the isolate and by a data limit on the process")
      : lacks(
          "memory",
          `${process.platform} has no data limit: bounded by the isolate alone, which some allocations pass`,
        ),
    linux
      ? yes("processor time", "measured for each event, ended by SIGKILL")
      : lacks("processor time", "bounded by the clock, ended by force"),
    process.platform === "win32"
      ? lacks(
          "death of the agent",
          "the sandbox ends at its next turn of the event loop: an endless loop ends after 30 times its CPU limit",
        )
      : yes("death of the agent", "the sandbox is killed, whatever it does"),
    ...(linux
      ? []
      : [
          lacks(
            "granted files",
            "opened by their real path: who can swap a folder for a link meanwhile wins that race",
          ),
        ]),
    await kernelFinding(runtime),
  ];
}

/** What the kernel refuses to a sandbox, as reported by a sandbox that is started for this. */
async function kernelFinding(runtime: Runtime): Promise<Finding> {
  const what = "native code in a sandbox";
  const sandbox = new SandboxProcess(runtime, { memoryMb: 64, jit: false });
  const stop = afterWaking(START_DEADLINE_MS, () =>
    sandbox.kill({ code: "TIMEOUT", summary: "it did not start in time" }),
  );
  try {
    await sandbox.ready;
    return { what, ok: true, ...heldByKernel(runtime, sandbox.layers) };
  } catch (error) {
    return { what, ok: false, detail: `no sandbox can be started: ${messageOf(error)}` };
  } finally {
    stop();
    sandbox.kill({ code: "CRASHED", summary: "the question is answered" });
    await sandbox.gone;
  }
}

function heldByKernel(runtime: Runtime, layers: readonly string[]): { note: boolean; detail: string } {
  if (process.platform !== "linux")
    return { note: true, detail: `not held by the kernel: ${process.platform} has no such layer` };
  if (!runtime.ffi)
    return {
      note: true,
      detail: "not held by the kernel: that takes Node 26.1 or later; run: cordon runtime install",
    };
  const whole = ["seccomp", "landlock", "no new descriptors"].every((name) =>
    layers.some((layer) => layer.startsWith(name)),
  );
  const missing = whole ? "" : "; the rest is not offered by this kernel, or by the container around it";
  return { note: !whole, detail: `held by ${layers.join(", ") || "nothing of the kernel's"}${missing}` };
}

function grantFindings(home: string): Finding[] {
  const path = grantsPath(home);
  try {
    const missing = [...readGrants(path, false).keys()].filter((key) => {
      const project = projectOf(key);
      return isAbsolute(key) && !existsSync(project ?? key);
    });
    const findings = missing.map((key): Finding => {
      const fault = projectOf(key) === undefined ? "its file is gone" : "its project is gone";
      return { what: `grant ${key}`, ok: false, detail: `${fault}; run: cordon remove ${key}` };
    });
    if (findings.length > 0) return findings;
    if (existsSync(path)) return [{ what: "grants", ok: true, detail: path }];
    return [
      { what: "grants", ok: true, note: true, detail: `none: ${path} is not there, and nobody granted anything yet` },
    ];
  } catch (error) {
    return [{ what: "grants", ok: false, detail: messageOf(error) }];
  }
}

/** Reports dangling links: behind one there is no gate. */
function linkFindings(cwd: string): Finding[] {
  const folders = [join(defaultAgentDir(), "hooks"), join(cwd, ".pi", "hooks")];
  return folders.flatMap((folder) =>
    (statSync(folder, { throwIfNoEntry: false })?.isDirectory() ? readdirSync(folder) : [])
      .map((name) => join(folder, name))
      .filter((path) => lstatSync(path).isSymbolicLink() && !existsSync(path))
      .map((path): Finding => ({ what: `link ${path}`, ok: false, detail: "it leads to nothing: no hook is there" })),
  );
}

async function hookFindings(cwd: string, home: string): Promise<Finding[]> {
  try {
    const histories = await historyIn(home);
    const { hooks, notices } = await sessionHere(cwd, home);
    const grants = readGrants(grantsPath(home), false);
    const here = hooksHere(cwd, home);
    const findings = hooks.flatMap((hook): Finding[] => [
      {
        what: `hook ${shortName(named(hook), here)}`,
        ok: hook.state === "active" || hook.state === "pending",
        ...(hook.state === "pending" ? { note: true } : {}),
        detail: hook.reason ? `${hook.state}: ${hook.reason}` : hook.state,
      },
      ...stoppedFinding(shortName(named(hook), here), histories.get(hook.id)),
      ...unusedFinding(shortName(named(hook), here), grants.get(hook.key ?? hook.id), histories.get(hook.id)),
    ]);
    const known = new Set(hooks.map((hook) => hook.key ?? hook.id));
    const idle = [...grants.keys()].filter((key) => !isAbsolute(key) && !known.has(key));
    const unclaimed = idle.map((key): Finding => {
      const detail = `no hook found here has this id; if no hook should have it, run: cordon remove ${key}`;
      return { what: `grant ${key}`, ok: true, note: true, detail };
    });
    const none: Finding[] = findings.length > 0 ? [] : [{ what: "hooks", ok: true, detail: "none found" }];
    const noticed = notices.map((detail): Finding => ({ what: "hooks", ok: false, detail }));
    return [...findings, ...none, ...unclaimed, ...noticed];
  } catch (error) {
    return [{ what: "hooks", ok: false, detail: messageOf(error) }];
  }
}

const named = ({ id, key = id, path }: HookInfo): Named => ({ id, key, path });

function stoppedFinding(id: string, history: History | undefined): Finding[] {
  if (!history?.stopped) return [];
  const detail = `crashed too often in its last session, and blocks there; run: cordon restart ${id} or cordon remove ${id}`;
  return [{ what: `hook ${id}`, ok: false, detail }];
}

/** Reports powers that a hook was granted long ago and never used, although the hook itself was in use. */
function unusedFinding(id: string, grant: GrantEntry | undefined, history: History | undefined): Finding[] {
  const granted = Date.parse(grant?.grantedAt ?? "");
  if (!(Date.now() - granted > UNUSED_AFTER_MS) || !history?.lastUse || Date.parse(history.lastUse) < granted)
    return [];
  const { events: _events, ui: _ui, ...powers } = grant?.capabilities ?? {};
  const unused = Object.keys(powers).filter((power) => {
    const last = history.used.get(power);
    return last === undefined || Date.parse(last) < granted;
  });
  return unused.map((power) => {
    const detail = `was granted on ${grant?.grantedAt?.slice(0, 10)} and not used since; run: cordon revoke ${id} ${power}`;
    return { what: `power ${power} of ${id}`, ok: true, note: true, detail };
  });
}

const UNUSED_AFTER_MS = 30 * 24 * 60 * 60 * 1000;
