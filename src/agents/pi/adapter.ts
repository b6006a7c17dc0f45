import { realpathSync } from "node:fs";
import { messageOf } from "../../base/errors.ts";
import { defaultHome } from "../../disk/home.ts";
import { recordAgent } from "../../disk/open-agents.ts";
import { realPathOf } from "../../disk/paths.ts";
import type { SessionEventResult } from "../../hook-api.ts";
import { HookHost } from "../../host/host.ts";
import type { SendHandler } from "../../powers/lent-session.ts";
import { takeWish } from "../../recording/places.ts";
import type { HookHostOptions } from "../../session/options.ts";
import { Monitors } from "../setup/monitor.ts";
import { endDialogs, piDialogs } from "./dialogs.ts";
import { PASSED_EVENTS, passToHooks } from "./extension-events.ts";
import { PiMarkdown } from "./markdown.ts";
import { MESSAGE_EVENTS, passMessage, passParams } from "./message-events.ts";
import { PiMessages } from "./messages.ts";
import { OWN_COMMAND, PiOffers } from "./offers.ts";
import { ownCommand } from "./own-command.ts";
import type { PiApi, PiContext, PiEvent, PiHandler } from "./pi-api.ts";
import { PiLink } from "./pi-link.ts";
import type { PiSdk } from "./pi-sdk.ts";
import { PiProviders } from "./providers.ts";
import { piModels, piServices } from "./services.ts";
import { sessionEvent, sessionResult } from "./session-events.ts";
import { SessionRecord } from "./session-record.ts";
import { showStatus } from "./status.ts";
import { judgeCall, passResult, wouldBlockText } from "./tool-events.ts";
import { PiTyping } from "./typing.ts";

/** Which hooks run in pi. Default: those that `cordon list` shows. */
export type PiOptions = Pick<
  HookHostOptions,
  "hooks" | "discover" | "agentDir" | "home" | "grantsFile" | "hookTimeout" | "trial"
>;

type Origin = Parameters<SendHandler>[2];

/** Events that nothing need follow: the many parts of a message or a result, and the end. */
const OFTEN = new Set(["message_update", "tool_execution_update", "provider_stream_event", "session_shutdown"]);

const SESSION_EVENTS = [
  "session_before_switch",
  "session_before_fork",
  "session_before_compact",
  "session_compact",
] as const;

/** Runs hooks in one session of pi. pi makes a new one for each session, and when it reloads its extensions. */
export class PiAdapter {
  readonly #pi: PiApi;
  readonly #options: PiOptions;
  readonly #home: string;
  readonly #sdk: () => Promise<PiSdk>;
  readonly #link: PiLink;
  readonly #messages: PiMessages;
  readonly #record = new SessionRecord();
  readonly #listening = new Set<string>();
  #running:
    | { host: HookHost; offers: PiOffers; providers: PiProviders; markdown: PiMarkdown; typing: PiTyping; cwd: string }
    | undefined;
  /** Why there is no host: then every tool call is blocked. */
  #failure = "it has not started";
  #hasBegun = false;
  /** pi takes nothing from an extension whose session is over. */
  #hasEnded = false;
  #status = "";

  /** `sdk`: loads the package of the pi that runs. */
  constructor(pi: PiApi, options: PiOptions, sdk: () => Promise<PiSdk>) {
    this.#pi = pi;
    this.#sdk = sdk;
    this.#options = options;
    this.#home = options.home === undefined ? defaultHome() : realPathOf(options.home);
    this.#link = new PiLink(pi);
    this.#messages = new PiMessages(this.#link);
  }

  /** Never rejects: pi would go on without an extension that fails to load. */
  async load(): Promise<void> {
    recordAgent(this.#home);
    this.#on("tool_call", (event, context) => this.#judge(event, context));
    this.#on("tool_result", (event) => this.#running && passResult(this.#running.host, event));
    this.#on("session_start", (event, context) => this.#begin(event, context));
    this.#on("session_shutdown", (event, context) => this.#end(event, context));
    for (const type of SESSION_EVENTS) this.#on(type, (event, context) => this.#announce(event, context));
    this.#pi.registerCommand(
      OWN_COMMAND,
      ownCommand(() => ({ host: this.#host(), record: this.#record }), this.#link),
    );
    await this.#start(process.cwd());
  }

  #host(): HookHost {
    if (!this.#running) throw new Error(this.#failure);
    return this.#running.host;
  }

  async #start(cwd: string): Promise<void> {
    try {
      const monitors = new Monitors(this.#home);
      const wish = takeWish(this.#home);
      const host = await HookHost.start({
        ...this.#options,
        cwd,
        monitor: () => monitors.isOn("pi", cwd),
        ...(wish === undefined ? {} : { record: wish }),
        remedy: { restart: `/${OWN_COMMAND} restart` },
        ui: piDialogs(this.#link),
        hasUI: false,
        agent: piServices(this.#link, this.#sdk),
        model: piModels(this.#link),
        onSend: (text, _attachments, origin) => this.#send(text, origin),
        onAudit: this.#record.audit,
        log: this.#messages.log,
      });
      const refused = (text: string): void => this.#messages.log({ level: "warn", text });
      const offers = new PiOffers(host, this.#link, refused);
      const providers = new PiProviders(host, this.#pi, refused);
      const markdown = new PiMarkdown(host, this.#link);
      this.#running = { host, offers, providers, markdown, typing: new PiTyping(host, this.#link), cwd };
      host.onError(this.#messages.error);
      host.onState(() => this.#refresh());
      host.onOffers(() => this.#refresh());
      this.#refresh();
    } catch (error) {
      this.#failure = `Cordon did not start: ${messageOf(error)}`;
      this.#messages.log({ level: "error", text: this.#failure });
    }
  }

  /** Never throws: a verdict or a redacted result would be lost with the handler that it ends. */
  #refresh(): void {
    try {
      if (!this.#hasEnded) this.#takeOver();
    } catch (error) {
      this.#messages.log({ level: "error", text: messageOf(error) });
    }
  }

  /** Takes over what hooks hear and offer by now. */
  #takeOver(): void {
    if (!this.#running) return;
    const { host, offers, providers, markdown, typing } = this.#running;
    // pi prepares some events only if an extension hears them, and a large session makes that expensive.
    for (const type of PASSED_EVENTS)
      if (!this.#listening.has(type) && host.hasHandlers(type)) {
        this.#listening.add(type);
        this.#on(type, (event) => this.#running && passToHooks(this.#running.host, event));
      }
    for (const [ours, type] of MESSAGE_EVENTS)
      if (!this.#listening.has(ours) && host.hasHandlers(ours)) {
        this.#listening.add(ours);
        this.#on(type, (event, context) => this.#passOther(ours, event, context));
      }
    offers.update();
    providers.update();
    markdown.update();
    typing.update();
    if (this.#hasBegun && this.#link.context.hasUI)
      this.#status = showStatus(this.#link.context.ui, this.#status, {
        states: host.states,
        blocked: this.#record.blocked,
        monitors: host.isMonitoring,
        records: host.recording !== undefined,
      });
  }

  #on(type: string, handle: PiHandler): void {
    this.#pi.on(type, async (event, context) => {
      if (this.#hasBegun) this.#link.hears(context);
      // Before the session begins, pi asks who trusts the project, and lends its dialogs for that.
      else if (type === "project_trust") this.#lend(context);
      const result = await handle(event, context);
      if (!OFTEN.has(type)) this.#refresh();
      return result;
    });
  }

  async #judge(event: PiEvent, context: PiContext): Promise<unknown> {
    if (!this.#running) return { block: true, reason: `Blocked by Cordon: ${this.#failure}` };
    const verdict = await judgeCall(this.#running.host, event, context, (block) =>
      this.#messages.log({ level: "warn", text: wouldBlockText(block) }),
    );
    if (verdict) this.#record.block({ tool: event.toolName, reason: verdict.reason });
    return verdict;
  }

  async #begin(event: PiEvent, context: PiContext): Promise<void> {
    this.#link.hears(context);
    // pi opens a session in the folder that the session began in.
    if (this.#running && realpathSync(context.cwd) !== realpathSync(this.#running.cwd)) {
      await this.#running.host.close();
      this.#running = undefined;
      await this.#start(context.cwd);
    }
    // In rpc mode pi begins a new session twice.
    const isAgain = this.#hasBegun;
    this.#hasBegun = true;
    this.#messages.begin();
    if (!this.#running) return;
    const { host, offers } = this.#running;
    this.#lend(context);
    this.#link.watchTerminal();
    host.setSessionFile(context.sessionManager.getSessionFile() ?? null);
    if (isAgain) return;
    offers.tellFlags();
    this.#link.hearsAnswers = context.mode !== "rpc" || event.reason !== "startup";
    try {
      await this.#announce(event, context);
    } finally {
      this.#link.hearsAnswers = true;
    }
  }

  async #passOther(ours: "message" | "params", event: PiEvent, context: PiContext): Promise<unknown> {
    if (!this.#running) return undefined;
    const { host } = this.#running;
    return ours === "message" ? passMessage(host, event) : passParams(host, this.#link, context);
  }

  #lend(context: PiContext): void {
    this.#link.hears(context);
    this.#running?.host.setUIContext(piDialogs(this.#link), context.hasUI);
  }

  async #announce(event: PiEvent, context: PiContext): Promise<unknown> {
    const shown = this.#running && sessionEvent(event, context);
    if (!this.#running || !shown) return undefined;
    return sessionResult(event, (await this.#running.host.emit(shown)) as SessionEventResult | undefined);
  }

  async #end(event: PiEvent, context: PiContext): Promise<void> {
    await this.#announce(event, context);
    endDialogs(this.#link);
    this.#hasEnded = true;
    if (!this.#running) return;
    const { host, offers } = this.#running;
    if (event.reason === "quit") await host.close();
    // A command that replaced the session goes on in the new one.
    else void offers.whenIdle().then(() => host.close());
  }

  #send(text: string, origin: Origin): void {
    // A hook may call its own commands in this way, and nobody else's.
    const isOwn = origin?.expandPromptTemplates === true && this.#running?.offers.isCommandOf(origin.hook, origin.text);
    const given = isOwn ? { text: origin.text, how: { expandPromptTemplates: true } } : { text, how: {} };
    const deliverAs = origin?.deliverAs ?? "followUp";
    this.#link.sends.sendUserMessage(given.text, {
      ...given.how,
      ...(this.#link.context.isIdle() ? {} : { deliverAs }),
    });
  }
}
