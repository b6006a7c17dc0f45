import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { confirm, isCancel, log, select } from "@clack/prompts";
import { MAX_CLAIM } from "../consent.ts";
import { realPathOf } from "../discover/paths.ts";
import { dangersOf } from "../grants/dangers.ts";
import { defaultCapabilities } from "../grants/grant.ts";
import { writeGrant } from "../grants/grants-file.ts";
import { findManifest, type Manifest } from "../grants/manifest.ts";
import { defaultHome } from "../home.ts";
import { HookHost, type HookInfo } from "../host.ts";
import { cleanLine } from "../text.ts";
import { printJson, Refused } from "./common.ts";
import { controllingTerminal, type Terminal } from "./terminal.ts";

interface Flags {
  cwd?: string;
  json?: boolean;
}

type Decision = "granted" | "blocking" | "removed" | "left";

/** `cordon accept`: a person decides about each hook of the project that is pending, changed or gone, at the digest it has now. */
export async function accept(flags: Flags): Promise<void> {
  const cwd = resolve(flags.cwd ?? ".");
  const home = defaultHome();
  const host = await HookHost.start({ cwd, home, spare: false, log: () => {} });
  const places = [realPathOf(join(cwd, ".pi", "hooks")), join(realPathOf(cwd), ".pi", "hooks")];
  const open = host.hooks.filter(
    (hook) => places.some((place) => hook.id.startsWith(`${place}/`)) && hook.state !== "active",
  );
  await host.close();
  if (open.length === 0) {
    if (flags.json) printJson({ decided: [] });
    else process.stdout.write("no hook of this project waits for a decision\n");
    return;
  }
  const terminal = controllingTerminal();
  if (!terminal) {
    const paths = open.map((hook) => hook.path).join(", ");
    const wait = open.length > 1 ? "hooks wait" : "hook waits";
    throw new Refused(
      `${open.length} ${wait} for a decision (${paths}): accepting needs a terminal with a person at it`,
    );
  }
  const decided: { id: string; decision: Decision }[] = [];
  try {
    for (const hook of open) {
      const decision = existsSync(hook.id)
        ? await decide(hook, home, terminal)
        : await decideGone(hook, home, terminal);
      decided.push({ id: hook.id, decision });
    }
  } finally {
    terminal.close();
  }
  if (flags.json) printJson({ decided });
}

const grantsIn = (home: string): string => join(home, "grants.json");

async function decide(hook: HookInfo, home: string, { input, output }: Terminal): Promise<Decision> {
  // Of a changed hook the new version is offered: digest and manifest as they are in its folder.
  const digest = hook.offered ?? hook.digest;
  const accepted = hook.state !== "pending";
  if (digest === undefined) {
    log.warn(`${hook.path} cannot be accepted: ${hook.reason ?? "it does not load"}`, { output });
    return "left";
  }
  const { manifest } = findManifest(hook.id);
  const asks = manifest?.capabilities;
  log.message(screen(hook.path, digest, accepted, manifest).join("\n"), { output });
  const options: { value: Decision; label: string }[] = [
    { value: "left", label: accepted ? "Keep the version accepted before" : "Leave it inactive" },
    { value: "blocking", label: "Accept, without powers: it may hear, ask and block" },
    ...(asks ? [{ value: "granted" as const, label: "Accept, with the powers it asks for" }] : []),
  ];
  const choice = await select({ message: `${hook.path}?`, options, input, output });
  if (isCancel(choice) || choice === "left") return "left";
  if (choice === "granted" && asks?.exec?.some((entry) => entry.fullAccess)) {
    const message = "It asks for full access: with these programs it can do whatever you can. Grant that?";
    if ((await confirm({ message, initialValue: false, input, output })) !== true) return "left";
  }
  const capabilities = choice === "granted" && asks ? asks : defaultCapabilities();
  writeGrant(grantsIn(home), hook.id, { digest, capabilities, grantedAt: new Date().toISOString(), by: "user" });
  return choice as Decision;
}

async function decideGone(hook: HookInfo, home: string, { input, output }: Terminal): Promise<Decision> {
  const choice = await select({
    message: `${hook.path} is gone; the version accepted before still guards. Go on with it?`,
    options: [
      { value: "left", label: "Keep it guarding" },
      { value: "removed", label: "Remove it" },
    ],
    input,
    output,
  });
  if (choice !== "removed") return "left";
  writeGrant(grantsIn(home), hook.id, undefined);
  return "removed";
}

function screen(path: string, digest: string, accepted: boolean, manifest: Manifest | undefined): string[] {
  const asks = Object.entries(manifest?.capabilities ?? {}).map(([power, value]) => {
    const why = manifest?.why?.[power];
    const dangers = dangersOf(power, value, manifest?.capabilities ?? {}).map((danger) => `\n    ! ${danger}`);
    return `  ${power}: ${cleanLine(JSON.stringify(value), 300)}${dangers.join("")}${why ? `\n    "${cleanLine(why, MAX_CLAIM)}"` : ""}`;
  });
  return [
    path,
    digest,
    ...(accepted ? ["It changed since it was accepted."] : []),
    asks.length > 0 ? "It asks for:" : "It asks for nothing beyond hearing, asking and blocking.",
    ...asks,
  ];
}
