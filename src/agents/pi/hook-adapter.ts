import { messageOf } from "../../base/errors.ts";
import { cleanText } from "../../base/text.ts";
import { defaultHome } from "../../disk/home.ts";
import { recordAgent } from "../../disk/open-agents.ts";
import type {
  HookAPI,
  HookEvent,
  HookEventContext,
  SessionEventResult,
  ToolCallEvent,
  ToolResultEvent,
} from "../../hook-api.ts";
import { HookHost } from "../../host/host.ts";
import { takeWish } from "../../recording/places.ts";
import { errorText } from "../../session/hook-error.ts";
import { type LogLine, logText } from "../../session/log-line.ts";
import { Monitors } from "../setup/monitor.ts";
import { reportRows } from "./rows.ts";
import { judgeCall, passResult, wouldBlockText } from "./tool-events.ts";

/** Longest report: longer ones are a hook's. */
const MAX_SAID = 4000;

const TOLD = ["session", "agent_start", "agent_end", "turn_start", "turn_end"] as const;

/** As `cordon install` enters it: see `pi-hooks.ts` there. */
const NAME = "pi-0.27";

const CHECKING = "Withheld by Cordon: no hook could check this result in time";

/** Cordon as a hook of pi 0.27: one for each of pi's processes. */
export class PiHookAdapter {
  readonly #pi: HookAPI;
  readonly #started: Promise<HookHost>;
  #context: HookEventContext | undefined;
  /** What was reported before pi had a screen. */
  #waiting: string[] = [];

  constructor(pi: HookAPI) {
    this.#pi = pi;
    this.#started = this.#start();
    this.#started.catch((error: unknown) => this.#say(`Cordon did not start: ${messageOf(error)}`));
  }

  listen(): void {
    recordAgent(defaultHome());
    this.#pi.on("tool_call", (event, context) => this.#judge(event, context));
    this.#pi.on("tool_result", (event, context) => this.#pass(event, context));
    // One signature of several: what a hook may answer depends on the event.
    for (const type of TOLD)
      this.#pi.on(type as "session", async (event: HookEvent, context) => {
        const host = await this.#hostIn(context);
        return (await host?.emit(event)) as SessionEventResult | undefined;
      });
  }

  /** pi runs the hooks of its own folders itself. */
  async #start(): Promise<HookHost> {
    const [cwd, monitors] = [process.cwd(), new Monitors(defaultHome())];
    const wish = takeWish(defaultHome());
    const host = await HookHost.start({
      cwd,
      monitor: () => monitors.isOn(NAME, cwd),
      ...(wish === undefined ? {} : { record: wish }),
      discover: "own",
      hasUI: false,
      onSend: (text, attachments) => this.#pi.send(text, attachments),
      log: this.#log,
    });
    host.onError((error) => this.#say(errorText(error)));
    return host;
  }

  /** The host, with the session as it is now. `undefined` if it did not start. */
  async #hostIn(context: HookEventContext): Promise<HookHost | undefined> {
    this.#context = context;
    for (const text of this.#waiting.splice(0)) this.#say(text);
    try {
      const host = await this.#started;
      host.setUIContext(context.ui, context.hasUI);
      host.setSessionFile(context.sessionFile);
      return host;
    } catch {
      return undefined;
    }
  }

  async #judge(event: ToolCallEvent, context: HookEventContext): Promise<{ block: true; reason: string } | undefined> {
    const host = await this.#hostIn(context);
    if (host) return judgeCall(host, event, { signal: undefined }, (block) => this.#say(wouldBlockText(block)));
    return { block: true, reason: "Blocked by Cordon: it did not start; run: cordon doctor" };
  }

  /**
   * pi waits for a hook only as long as its settings say, which a project can change, and then gives the model the object that
   * the event came with. So that object holds no result until hooks have seen it.
   */
  async #pass(event: ToolResultEvent, context: HookEventContext): Promise<Partial<ToolResultEvent> | undefined> {
    const content = [...event.content];
    const hold = (parts: ToolResultEvent["content"]): void => void event.content.splice(0, Infinity, ...parts);
    hold([{ type: "text", text: CHECKING }]);
    const host = await this.#hostIn(context);
    if (!host) return undefined;
    const passed = await passResult(host, { ...event, content });
    hold(passed?.content ?? content);
    return passed && { content: passed.content, details: passed.details };
  }

  readonly #log = (line: LogLine): void => {
    const isConsole = line.hook !== undefined && line.at !== undefined;
    if (!isConsole && (line.level === "warn" || line.level === "error")) this.#say(logText(line));
    // pi draws on the terminal, so that nothing else can.
    else if (!this.#context?.hasUI && process.stdout.isTTY !== true) process.stderr.write(`${logText(line)}\n`);
  };

  #say(said: string): void {
    const text = cleanText(said, MAX_SAID);
    if (!this.#context) this.#waiting.push(text);
    else if (this.#context.hasUI) this.#context.ui.notify(reportRows(process.stdout, text), "warning");
    else process.stderr.write(`cordon: ${reportRows({}, text)}\n`);
  }
}

/** Runs the hooks of Cordon's own folders, and those that are installed. */
export default function cordon(pi: HookAPI): void {
  new PiHookAdapter(pi).listen();
}
