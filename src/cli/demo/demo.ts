import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { HookBlockedError, messageOf } from "../../base/errors.ts";
import { PACKAGE_ROOT } from "../../base/package-root.ts";
import { findManifest } from "../../grants/manifest.ts";
import type { Capabilities } from "../../grants/schema.ts";
import type { HookUIContext, SessionEvent } from "../../hook-api.ts";
import { HookHost } from "../../host/host.ts";
import { wrapToolsWithHooks } from "../../host/wrap-tools.ts";
import type { HookOption } from "../../session/options.ts";
import { type HostFlags, hostOptions, Refused, UsageError } from "../common.ts";
import { terminalDialogs } from "../dialogs.ts";
import { controllingTerminal } from "../terminal.ts";
import { proveIntact } from "./intact.ts";
import { OpenDialogs } from "./open-dialogs.ts";
import { Timeline } from "./timeline.ts";
import { agentTools, type Call } from "./tools.ts";
import { makeWorkplace } from "./workplace.ts";

type Flags = HostFlags & { interactive?: boolean; json?: boolean; verbose?: boolean };

/** `cordon demo`: a scripted agent in a real repository, with the hooks of `hooks/` around its tools. */
export async function demo(flags: Flags): Promise<void> {
  const terminal = flags.interactive ? controllingTerminal() : undefined;
  if (flags.interactive && !terminal) throw new UsageError("--interactive needs a terminal");
  const timeline = new Timeline(flags);
  const workplace = makeWorkplace();
  const delay = monitorEventLoopDelay({ resolution: 5 });
  const notify: HookUIContext["notify"] = (message) => timeline.note(message);
  // A dialog of the script is no picture on the screen.
  const dialogs = new OpenDialogs({
    opened: () => terminal && timeline.hold(),
    closed: () => timeline.release(),
  });
  timeline.heading("Building and loading hooks");
  const given = hostOptions(flags);
  const host = await HookHost.start({
    ...given,
    cwd: workplace.repository,
    home: workplace.home,
    discover: false,
    trial: true,
    hooks: [...shippedHooks(), ...(given.hooks ?? [])],
    hookTimeout: flags.hookTimeout ?? 3000,
    ui: dialogs.watch(terminal ? terminalDialogs(terminal, notify) : scriptedAnswers(timeline, notify)),
    hasUI: true,
    onAudit: (line) => timeline.count(line),
    onSend: (text) => timeline.note(`sent to the model: ${text}`),
    log: (line) => timeline.note(`${line.hook ? `[${line.hook}] ` : ""}${line.text}`),
  });
  const active = host.hooks.filter(({ state }) => state === "active").length;
  try {
    if (host.hooks.every((hook) => hook.state === "failed"))
      throw new Refused(host.hooks[0]?.reason ?? "no hook loads");
    host.onError(({ hookPath, error, code }) => timeline.trouble(basename(hookPath, ".ts"), error, code));
    for (const hook of host.hooks)
      timeline.note(
        `${hook.id}: ${hook.state}, hears ${hook.events.join(", ") || "nothing"}${hook.reason ? `: ${hook.reason}` : ""}`,
      );
    timeline.say(
      `A scripted agent works in a repository; ${terminal ? "hooks ask you" : "a scripted user says no to hooks"}.`,
    );
    delay.enable();
    await session(host, timeline, workplace.repository, dialogs);
    delay.disable();
    timeline.heading("What each hook used, and what it was refused");
    timeline.summary(host.hooks);
  } finally {
    await host.close();
    terminal?.close();
  }
  timeline.heading("Is the agent intact?");
  const proofs = proveIntact(workplace.repository, delay);
  if (flags.json || flags.verbose)
    for (const { what, ok } of proofs) timeline.entry(what, ok ? "done" : "blocked", "", 0);
  timeline.say("");
  timeline.say(
    `intact: ${proofs.filter(({ ok }) => ok).length} of ${proofs.length} (${proofs.map(({ name, ok }) => (ok ? name : `NOT ${name}`)).join(", ")})`,
  );
  timeline.say(
    `${active} hooks, 5 of them hostile: half of the calls waited ${timeline.median.toFixed(1)} ms or less for all.`,
  );
  if (!flags.verbose) timeline.say("--verbose shows all of it; --interactive asks you; --hook FILE adds your own.");
  workplace.remove();
  if (proofs.some(({ ok }) => !ok)) throw new Refused("the agent did not come out of this intact");
}

/** The hooks of `hooks/`, each with the powers its manifest asks for; the hostile ones with what every stranger gets. */
function shippedHooks(): HookOption[] {
  const folder = join(PACKAGE_ROOT, "hooks");
  const files = ["*.ts", "hostile/*.ts"].flatMap((pattern) => globSync(pattern, { cwd: folder }).sort());
  return files.map((file) => {
    const path = join(folder, file);
    const asked = findManifest(path).manifest?.capabilities as Capabilities | undefined;
    return { path, id: basename(path, ".ts"), ...(asked ? { grant: { capabilities: asked } } : {}) };
  });
}

/** Answers dialogs as a careful user would, and shows them. */
function scriptedAnswers(timeline: Timeline, notify: HookUIContext["notify"]): HookUIContext {
  const answer = (title: string, choice: string | null): string | null => {
    timeline.note(`${title.replace(/\s+/g, " ")}  →  ${choice ?? "cancelled"}`);
    return choice;
  };
  return {
    select: async (title, options) =>
      answer(title, options.find((option) => preferred(title).test(option)) ?? options[0] ?? null),
    confirm: async (title) => answer(title, "no") === "yes",
    input: async (title) => answer(title, null),
    notify,
  };
}

const EMPTY_SESSION = { type: "session", entries: [], sessionFile: null, previousSessionFile: null };

/** Answers no, except to the question whether to restore files. */
const preferred = (title: string): RegExp => (title.includes("Restore") ? /^Yes/ : /^(No\b|Keep blocking|Deny)/);

async function session(host: HookHost, timeline: Timeline, repository: string, dialogs: OpenDialogs): Promise<void> {
  const tools = new Map(wrapToolsWithHooks(agentTools(repository), host).map(({ name, execute }) => [name, execute]));
  const say = (reason: SessionEvent["reason"], more: object = {}) =>
    host.emit({ ...EMPTY_SESSION, reason, ...more } as SessionEvent);
  let calls = 0;
  const act = async ({ tool, input }: Call): Promise<void> => {
    const subject = `${tool} ${Object.values(input)[0]}`;
    const started = performance.now() - dialogs.ms;
    const took = (): number => Math.max(0, performance.now() - dialogs.ms - started);
    try {
      const output = await tools.get(tool)?.(`call-${++calls}`, input);
      const text = output?.content.map((item) => item.text).join(" ") ?? "";
      const changed = text.startsWith("[Changed by");
      timeline.entry(subject, changed ? "changed" : "passed", changed ? text : "", took());
    } catch (error) {
      const verdict = error instanceof HookBlockedError ? "blocked" : "failed";
      timeline.entry(subject, verdict, messageOf(error), took());
    }
  };

  timeline.heading("The session starts; a thief looks around");
  await say("start");
  // The thief asks to send a message without waiting for the answer.
  await new Promise((done) => setTimeout(done, 100));
  await dialogs.closed();
  timeline.refused("thief", timeline.refusalsOf("thief"));
  await host.emit({ type: "agent_start" });

  timeline.heading("The user asks; a hook reads along and chooses how hard to think");
  const text = "Please debug why the notes get lost";
  const message = await host.emit({ type: "message", text, metadata: {}, agentId: "demo" });
  const metadata = message && "metadata" in message ? message.metadata : {};
  const model = { provider: "demo", model: "scripted" };
  const params = await host.emit({ type: "params", ...model, message: text, metadata: metadata ?? {} });
  timeline.note(`the request to the model goes with ${JSON.stringify(params)}`);
  timeline.changedBy("think-harder", `to the model: ${JSON.stringify(params)}`);

  timeline.heading("The agent works; gates, protected paths and a redactor watch");
  await host.emit({ type: "turn_start", turnIndex: 0, timestamp: Date.now() });
  await act({ tool: "bash", input: { command: "ls" } });
  await act({ tool: "edit", input: { path: "notes.md", oldText: "first", newText: "second" } });
  await act({ tool: "bash", input: { command: "rm -rf ." } });
  await act({ tool: "bash", input: { command: "rm -r build" } });
  await act({ tool: "read", input: { path: "/home/me/.ssh/id_rsa" } });
  await act({ tool: "write", input: { path: ".env", content: "DEMO_API_KEY=mine\n" } });
  await act({ tool: "read", input: { path: "settings.ini" } });

  timeline.heading("A checkpoint: the agent loses work, the user branches back");
  await host.emit({ type: "turn_start", turnIndex: 1, timestamp: Date.now() });
  await act({ tool: "bash", input: { command: "git restore notes.md" } });
  timeline.note(`notes.md now says: ${lastLine(repository)}`);
  await say("before_branch", { targetTurnIndex: 1 });
  timeline.note(`notes.md now says: ${lastLine(repository)}`);
  timeline.changedBy("git-checkpoint", `the branch has "${lastLine(repository)}" again`);

  timeline.heading("Hostile hooks: a loop, a bomb, a promise that never settles, a forger");
  for (const command of ["echo deploy", "echo build", "echo test", "echo publish"])
    await act({ tool: "bash", input: { command } });
  timeline.note("the user restarts the forger, whose realm is broken");
  await host.reload("forger");
  await act({ tool: "bash", input: { command: "echo still at work" } });
  await host.emit({ type: "agent_end", messages: [] });
  await say("shutdown");
}

const lastLine = (repository: string): string =>
  readFileSync(join(repository, "notes.md"), "utf8").trim().split("\n").at(-1) ?? "";
