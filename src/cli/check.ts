import { dirname } from "node:path";
import { findManifest } from "../grants/manifest.ts";
import { isAsked } from "../grants/signs.ts";
import { HookHost } from "../host.ts";
import { cleanLine } from "../text.ts";
import { printJson, Refused } from "./common.ts";
import { hookFile } from "./hook-file.ts";
import { style } from "./terminal.ts";

/** `cordon check PATH`, or the id of an installed hook: builds the hook, loads it without powers, and says what it hears and wants. */
export async function check(path: string, options: { json?: boolean }): Promise<void> {
  const file = hookFile(path);
  const errors: string[] = [];
  const host = await HookHost.start({
    cwd: dirname(file),
    hooks: [{ path: file, id: "checked", grant: { capabilities: { events: { see: ["*"], block: true } } } }],
    discover: false,
    spare: false,
    log: () => {},
  });
  const stop = host.onError((error) => errors.push(`${error.error} (${error.code})`));
  const [hook] = host.hooks;
  stop();
  await host.close();
  if (!hook) throw new Refused(`${path}: not a hook`);
  const { manifest } = findManifest(file);
  const asked = { ...manifest?.capabilities };
  const seems = host.uses("checked");
  const unasked = seems.filter((power) => power !== "ui" && !isAsked(asked, power));
  const report = {
    path: file,
    state: hook.state,
    ...(hook.reason === undefined ? {} : { reason: hook.reason }),
    digest: hook.digest,
    dialect: hook.dialect,
    events: hook.events,
    ...(hook.unsupported ? { unsupported: hook.unsupported } : {}),
    imports: host.imports("checked"),
    asks: asked,
    optional: manifest?.optional ?? {},
    seemsToUse: seems,
    refusedUnlessGranted: [
      ...new Set([...Object.keys(asked).filter((power) => power !== "events" && power !== "ui"), ...unasked]),
    ],
  };
  if (options.json) printJson(report);
  else print(report, unasked);
  if (hook.state !== "active") throw new Refused(options.json ? "" : `${path} does not load: ${hook.reason}`);
}

function print(
  report: {
    path: string;
    state: string;
    dialect: string;
    digest: string | undefined;
    events: string[];
    unsupported?: readonly string[];
    imports: readonly string[];
    asks: object;
    optional: object;
  },
  unasked: string[],
): void {
  const line = (name: string, value: string): void =>
    void process.stdout.write(`${style.bold(name.padEnd(10))} ${value}\n`);
  line("hook", report.path);
  line("state", report.state === "active" ? style.green("loads") : style.red(report.state));
  line("dialect", report.dialect);
  line("digest", report.digest ?? "none");
  line("hears", cleanLine(report.events.join(", "), 4000) || "nothing");
  if (report.unsupported) line("left out", `${report.unsupported.join(", ")}: not supported here`);
  line("imports", report.imports.join(", ") || "nothing of Cordon's");
  for (const [power, value] of Object.entries(report.asks))
    line("asks for", `${power}: ${cleanLine(JSON.stringify(value), 4000)}`);
  for (const [power, value] of Object.entries(report.optional))
    line("may ask", `${power}: ${cleanLine(JSON.stringify(value), 4000)}`);
  if (unasked.length > 0)
    line(
      "refused",
      style.yellow(`${unasked.join(", ")}: used by its code, as it seems, and not asked for in a manifest`),
    );
}
