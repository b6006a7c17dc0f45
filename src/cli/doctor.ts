import { existsSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import { messageOf } from "../errors.ts";
import { readGrants } from "../grants/grants-file.ts";
import { defaultHome } from "../home.ts";
import { HookHost } from "../host.ts";
import { locateRuntime, type Runtime } from "../runtime/locate.ts";
import { SandboxProcess } from "../sandbox/process.ts";
import { START_DEADLINE_MS } from "../sandbox/supervisor.ts";
import { afterWaking } from "../sandbox/waking-time.ts";
import { printJson, Refused } from "./common.ts";
import { style } from "./terminal.ts";

interface Finding {
  what: string;
  ok: boolean;
  /** Not wrong, and worth knowing: a layer that is missing by design, a hook that waits. */
  note?: boolean;
  detail: string;
}

/** `cordon doctor`: which layers protect this machine, and what of the user's set-up is broken. */
export async function doctor(flags: { cwd?: string; json?: boolean }): Promise<void> {
  const cwd = resolve(flags.cwd ?? ".");
  const home = defaultHome();
  const findings = [...(await runtimeFindings(home, cwd)), ...grantFindings(home), ...(await hookFindings(cwd, home))];
  if (flags.json) printJson({ findings });
  else
    for (const { what, ok, note, detail } of findings)
      process.stdout.write(
        `${note ? style.yellow("note") : ok ? style.green("ok  ") : style.red("no  ")} ${what}${detail ? `: ${detail}` : ""}\n`,
      );
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

/** What the kernel itself refuses a sandbox, by the word of one that is started for the question. */
async function kernelFinding(runtime: Runtime): Promise<Finding> {
  const what = "native code in a sandbox";
  const sandbox = new SandboxProcess(runtime, { memoryMb: 64, jit: false });
  const stop = afterWaking(START_DEADLINE_MS, () =>
    sandbox.kill({ code: "TIMEOUT", what: "it did not start in time" }),
  );
  try {
    await sandbox.ready;
    return { what, ok: true, ...heldByKernel(runtime, sandbox.layers) };
  } catch (error) {
    return { what, ok: false, detail: `no sandbox can be started: ${messageOf(error)}` };
  } finally {
    stop();
    sandbox.kill({ code: "CRASHED", what: "the question is answered" });
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
  const path = join(home, "grants.json");
  try {
    const missing = [...readGrants(path, false).keys()].filter((key) => isAbsolute(key) && !existsSync(key));
    return [
      {
        what: "grants",
        ok: missing.length === 0,
        detail: missing.length > 0 ? `${path} has entries for files that are gone: ${missing.join(", ")}` : path,
      },
    ];
  } catch (error) {
    return [{ what: "grants", ok: false, detail: messageOf(error) }];
  }
}

async function hookFindings(cwd: string, home: string): Promise<Finding[]> {
  try {
    const host = await HookHost.start({ cwd, home, spare: false, log: () => {} });
    const findings = host.hooks.map((hook) => ({
      what: `hook ${hook.path}`,
      ok: hook.state === "active" || hook.state === "pending",
      note: hook.state === "pending",
      detail: hook.reason ? `${hook.state}: ${hook.reason}` : hook.state,
    }));
    await host.close();
    return findings.length > 0 ? findings : [{ what: "hooks", ok: true, detail: "none found" }];
  } catch (error) {
    return [{ what: "hooks", ok: false, detail: messageOf(error) }];
  }
}
