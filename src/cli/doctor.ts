import { existsSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import { messageOf } from "../errors.ts";
import { readGrants } from "../grants/grants-file.ts";
import { defaultHome } from "../home.ts";
import { HookHost } from "../host.ts";
import { locateRuntime, type Runtime } from "../runtime/locate.ts";
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
  return [
    yes("runtime", `Node ${runtime.major} from ${runtime.origin}`),
    yes("files, programs, workers, inspector", "refused by Node's permission model"),
    runtime.major >= 26
      ? yes("network", "refused by Node's permission model")
      : { what: "network", ok: false, detail: `Node ${runtime.major} does not refuse it; run: cordon runtime install` },
    yes(
      "memory",
      linux
        ? "bounded by the isolate and by a data limit on the process"
        : `${process.platform} has no data limit: bounded by the isolate alone, which some allocations pass`,
    ),
    yes("processor time", linux ? "measured for each event, ended by SIGKILL" : "bounded by the clock, ended by force"),
    yes(
      "death of the agent",
      process.platform === "win32"
        ? "the sandbox ends at its next turn of the event loop: an endless loop ends after 30 times its CPU limit"
        : "the sandbox is killed, whatever it does",
    ),
    {
      ...yes("native code exploits", "not contained: there is no landlock or seccomp layer in this version"),
      note: true,
    },
  ];
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
    const host = await HookHost.start({ cwd, home, log: () => {} });
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
