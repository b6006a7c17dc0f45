import { readJson } from "../../sandbox/wire/read-json.ts";
import { counted } from "../base/counted.ts";
import { messageOf } from "../base/errors.ts";
import type { HookEvent } from "../hook-api.ts";
import { Masks, Unmaskable } from "./masks.ts";
import { stopMark } from "./places.ts";
import type { Recorded } from "./recorded.ts";
import { LIMITS, RecordingFile, type RecordingLimits } from "./recording-file.ts";

/** A recording as whoever shows it sees it. */
export interface RecordingState {
  readonly path: string;
  /** How many are in the file. */
  readonly events: number;
  /** What is not, since the file would have grown too long. */
  readonly leftOut: { readonly events: number; readonly bytes: number };
}

export interface RecorderDeps {
  home: string;
  cwd: string;
  /** Values of variables that are secrets. */
  secrets: Iterable<string>;
  /** The hooks of the session, as they are when its first event comes. */
  hooks(): { id: string; digest?: string }[];
  report(level: "info" | "warn" | "error", text: string): void;
  limits?: RecordingLimits;
}

/**
 * Letters of an event and its verdict in which secrets are looked for, which is more than a line may hold: what stands in a long one
 * must be known when it comes again.
 */
const MAX_LETTERS = 8 * 1024 * 1024;

/** Says how an event ended. */
export type Ended = (verdict: unknown) => void;
const IGNORED: Ended = () => {};

/** Records the events of one session, with what hooks said. Nothing that fails here reaches a verdict. */
export class Recorder {
  readonly #deps: RecorderDeps;
  /** As it was when this began. */
  readonly #stopMark: string;
  readonly #masks: Masks;
  readonly #path: string;
  #file: RecordingFile | undefined;
  #state: RecordingState;
  /** Secrets are looked for in turn, so that each has one stand-in. */
  #turn: Promise<void> = Promise.resolve();
  #isFirst = true;
  readonly #open = new Set<Ended>();

  /** Throws `BAD_GRANT` for a path that no recording may be written to, and what the system says if it cannot be. */
  constructor(path: string, deps: RecorderDeps) {
    this.#deps = deps;
    this.#stopMark = stopMark(deps.home);
    this.#path = path;
    this.#masks = new Masks(deps.secrets);
    this.#file = new RecordingFile(path, deps.cwd, deps.limits ?? LIMITS);
    this.#state = { path, events: 0, leftOut: { events: 0, bytes: 0 } };
    deps.report("warn", `records this session in ${path}; secrets in it are masked as far as they are recognised`);
  }

  /** Undefined once it has ended. */
  get state(): RecordingState | undefined {
    return this.#file ? this.#state : undefined;
  }

  /** Takes an event as it comes. Call the result with what hooks said. */
  begin(event: HookEvent): Ended {
    if (!this.#file) return IGNORED;
    if (stopMark(this.#deps.home) !== this.#stopMark) {
      void this.#inTurn(async () => this.#end("a person ended it"));
      return IGNORED;
    }
    const at = new Date().toISOString();
    const started = performance.now();
    const given = textOf(event);
    const ended: Ended = (verdict) => {
      if (!this.#open.delete(ended)) return;
      const ms = Math.round((performance.now() - started) * 10) / 10;
      const said = verdict === UNENDED ? {} : { ms, verdict: textOf(verdict ?? null) };
      void this.#inTurn(() => this.#add(given, { version: 1, at }, said));
    };
    this.#open.add(ended);
    return ended;
  }

  /** Writes what is left, and ends the recording. */
  async close(): Promise<void> {
    for (const ended of this.#open) ended(UNENDED);
    await this.#inTurn(async () => this.#end());
  }

  async #add(
    text: string | undefined,
    recorded: Recorded,
    said: { ms?: number; verdict?: string | undefined },
  ): Promise<void> {
    if (!this.#file) return;
    if (text === undefined) return this.#leaveOut(this.#file);
    const { verdict, ...took } = said;
    const shown = await this.#masked(text, verdict);
    if (typeof shown === "string") return this.#giveUp(this.#file, Buffer.byteLength(text), shown);
    const { event, masked, judged } = shown;
    const session = this.#isFirst ? { session: { cwd: this.#deps.cwd, hooks: this.#deps.hooks() } } : {};
    this.#isFirst = false;
    this.#file.add({
      ...event,
      recorded: { ...recorded, ...took, ...judged, ...(masked.length > 0 ? { masked: [...masked] } : {}), ...session },
    });
    this.#look(this.#file);
  }

  /** Without secrets, or why that cannot be. */
  async #masked(text: string, verdict: string | undefined): Promise<Shown | string> {
    if (text.length + (verdict?.length ?? 0) > MAX_LETTERS)
      return `an event is too long to look for secrets in it: ${MAX_LETTERS} letters are the most`;
    try {
      const { value, masked } = await this.#masks.mask(readJson(text));
      const judged = verdict === undefined ? {} : { verdict: (await this.#masks.mask(readJson(verdict))).value };
      return { event: value as object, masked, judged };
    } catch (error) {
      if (error instanceof Unmaskable) return error.message;
      throw error;
    }
  }

  /** Secrets that are not known would stand in what comes next as well. */
  #giveUp(file: RecordingFile, bytes: number, why: string): void {
    file.leaveOut(bytes);
    this.#look(file);
    this.#deps.report("warn", `the recording ${this.#path} ends: ${why}`);
    this.#end();
  }

  /** An event that JSON cannot say. */
  #leaveOut(file: RecordingFile): void {
    file.leaveOut(0);
    this.#look(file);
  }

  #look({ path, events, leftOut }: RecordingFile): void {
    this.#state = { path, events, leftOut: { ...leftOut } };
  }

  #inTurn(act: () => Promise<void>): Promise<void> {
    this.#turn = this.#turn.then(act).catch((error: unknown) => {
      this.#deps.report("error", `the recording ${this.#path} cannot be written and ends: ${messageOf(error)}`);
      this.#drop();
    });
    return this.#turn;
  }

  #end(why?: string): void {
    if (!this.#file) return;
    const { events, leftOut } = this.#state;
    const recorded =
      events + leftOut.events === 0
        ? `recorded no event, and keeps no file ${this.#path}`
        : `recorded ${counted(events, "event")} in ${this.#path}`;
    const left =
      leftOut.events === 0 ? "" : `; left out: ${counted(leftOut.events, "event")} (${counted(leftOut.bytes, "byte")})`;
    this.#file.close();
    this.#file = undefined;
    this.#deps.report("info", `${recorded}${left}${why === undefined ? "" : `; ${why}`}`);
  }

  #drop(): void {
    const file = this.#file;
    this.#file = undefined;
    try {
      file?.close();
    } catch {
      // It was said already.
    }
  }
}

const UNENDED = Symbol("unended");

/** An event and its verdict as they are written. */
interface Shown {
  event: object;
  masked: readonly string[];
  judged: { verdict?: unknown };
}

/** Without what JSON has no word for. Undefined if it is all of it. */
function textOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}
