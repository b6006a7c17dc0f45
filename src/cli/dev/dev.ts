import { existsSync, realpathSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { EVENT_NAMES } from "../../../sandbox/wire/events.ts";
import { messageOf } from "../../base/errors.ts";
import { keepBuilders } from "../../bundle/build.ts";
import { limitsOf } from "../../grants/limits.ts";
import { findManifest } from "../../grants/manifest.ts";
import { type Asks, type Limits, withMore } from "../../grants/schema.ts";
import type { Wanted } from "../../grants/wanted.ts";
import type { HookEvent } from "../../hook-api.ts";
import { sampleEvents } from "../../host/sample-events.ts";
import { LATE_MS, type ProjectFlags, Refused } from "../common.ts";
import { readEvents } from "../events-file.ts";
import { outputLost } from "../lost-output.ts";
import { personsModel } from "../sample-model.ts";
import { sampleSessionFile } from "../sample-session.ts";
import { subjectOf } from "../subject.ts";
import { isMistake } from "../told-mistakes.ts";
import { working } from "../working.ts";
import { additionText, addToManifest } from "../write-manifest.ts";
import { DEFAULT, DevHook, type Heard, type Loaded, wantedOf } from "./dev-hook.ts";
import { hookFiles } from "./hook-files.ts";
import { listenToKeys } from "./keys.ts";
import { DevOutput } from "./output.ts";
import { Watch } from "./watch.ts";

interface Flags extends ProjectFlags {
  events?: string;
  grants?: string;
  once?: boolean;
  act?: boolean;
}

/** How long an author may think between two saves, and the next verdict comes at once, in ms. */
const THOUGHT_MS = 15 * 60_000;

/**
 * `cordon dev PATH`: judges events with a hook, or the hooks of a folder, now and after each change, and prints what they say, what
 * they were refused, and what that takes.
 */
export async function dev(path: string, flags: Flags): Promise<void> {
  if (!existsSync(path)) throw new Refused(`${path}: no such file or folder`);
  if (flags.events !== undefined && !existsSync(flags.events)) throw new Refused(`${flags.events}: no such file`);
  const session = new DevSession(path, flags);
  if (flags.once) {
    const isFine = await session.run().finally(() => session.close());
    if (!isFine) throw new Refused("");
    return;
  }
  keepBuilders(THOUGHT_MS);
  await session.watch();
}

class DevSession {
  readonly #path: string;
  readonly #flags: Flags;
  readonly #cwd: string;
  readonly #output: DevOutput;
  #hooks = new Map<string, DevHook>();
  /** What the hooks were refused in the last run, by file. */
  readonly #refused = new Map<string, readonly Wanted[]>();
  readonly #heard = new Map<string, readonly string[]>();
  #eventsAt = "";
  /** What was said of a run that judged nothing. */
  #said: string | undefined;
  #turn: Promise<unknown> = Promise.resolve();
  #isEnded = false;

  constructor(path: string, flags: Flags) {
    this.#path = realpathSync(path);
    this.#flags = flags;
    this.#cwd = resolve(flags.cwd ?? (statSync(path).isDirectory() ? path : dirname(path)));
    this.#output = new DevOutput(flags.json === true);
  }

  /** Judges at once and after each change, until a person ends it. */
  async watch(): Promise<void> {
    let end = (): void => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const watched = [rootOf(this.#path), ...(this.#flags.events === undefined ? [] : [resolve(this.#flags.events)])];
    const watch = new Watch(watched, () => void this.#inTurn(() => this.run()));
    const keys = listenToKeys({
      g: () => void this.#inTurn(() => this.#grant()),
      w: () => void this.#inTurn(() => this.#write()),
      r: () => void this.#inTurn(() => this.run(true)),
      q: end,
    });
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, end);
    outputLost.addEventListener("abort", end);
    if (outputLost.aborted) end();
    void this.#inTurn(() => this.run()).then(() => {
      if (!this.#isEnded) this.#output.waits(keys !== undefined);
    });
    await ended;
    this.#isEnded = true;
    watch.close();
    keys?.close();
    // A hook that is judged may hang.
    await this.close();
    await this.#turn;
    await this.close();
  }

  /** Judges what changed, or everything. True if all is fine: loaded, nothing refused, no error. Never throws for a hook's fault. */
  async run(isForced = false): Promise<boolean> {
    const files = this.#files();
    if (typeof files === "string") return this.#say(files);
    const read = await this.#events();
    if (typeof read === "string") return this.#say(read);
    // After a run that could judge nothing, everything is judged.
    const isSame = !isForced && this.#said === undefined && read.at === this.#eventsAt;
    this.#eventsAt = read.at;
    await this.#keepOnly(files);
    if (files.length === 0) return this.#say(`there is no hook in ${this.#path} yet`);
    this.#said = undefined;
    let isFine = true;
    for (const file of files) if (this.#isEnded || !(await this.#judge(file, read.events, isSame))) isFine = false;
    return isFine;
  }

  async close(): Promise<void> {
    await this.#keepOnly([]);
  }

  #inTurn<T>(act: () => Promise<T>): Promise<T | undefined> {
    const done = this.#turn.then(act).catch((error: unknown) => {
      if (!this.#isEnded) this.#output.problem(messageOf(error));
      return undefined;
    });
    this.#turn = done;
    return done;
  }

  /** Says once what keeps it from judging. */
  #say(text: string): false {
    if (text !== this.#said) this.#output.problem(text);
    this.#said = text;
    return false;
  }

  #files(): string[] | string {
    try {
      const files = hookFiles(this.#path);
      return files.length > 0 || existsSync(this.#path)
        ? files
        : `${this.#path} is gone; it is judged again when it is back`;
    } catch (error) {
      return messageOf(error);
    }
  }

  async #events(): Promise<{ events: readonly HookEvent[]; at: string } | string> {
    const { events } = this.#flags;
    if (events === undefined) {
      const world = { cwd: this.#cwd, model: personsModel(), sessionFile: sampleSessionFile(this.#cwd) };
      return { events: sampleEvents(world), at: "samples" };
    }
    try {
      const read = await readEvents(events);
      if (read.length === 0) return `${events}: there is no event in it yet`;
      return { events: read.map(({ event }) => event), at: JSON.stringify(read) };
    } catch (error) {
      return messageOf(error);
    }
  }

  /** Ends hooks that are gone. */
  async #keepOnly(files: readonly string[]): Promise<void> {
    for (const [file, hook] of this.#hooks)
      if (!files.includes(file)) {
        this.#hooks.delete(file);
        this.#refused.delete(file);
        await hook.close();
      }
  }

  async #judge(file: string, events: readonly HookEvent[], isSame: boolean): Promise<boolean> {
    const { grants, act = false } = this.#flags;
    const grantsFile = grants === undefined ? {} : { grantsFile: resolve(grants) };
    const hook = this.#hooks.get(file) ?? new DevHook(file, { cwd: this.#cwd, act, ...grantsFile });
    this.#hooks.set(file, hook);
    if (!isSame) hook.forget();
    const started = performance.now();
    const loaded = await hook.load();
    if (!loaded) return true;
    this.#output.hook(file, loaded);
    this.#heard.set(file, loaded.heard);
    const refused = [...loaded.loading.refused];
    let errors = loaded.reason === undefined ? loaded.loading.errors.length : 1;
    let judged = 0;
    const take = (heard: Heard): void => {
      refused.push(...heard.refused);
      errors += heard.errors.filter(({ code }) => code !== "NOT_GRANTED").length;
      errors += heard.log.filter(({ text }) => isMistake(text)).length;
    };
    if (loaded.reason === undefined)
      for (const event of events) {
        working.step(`judging ${subjectOf(event)}`);
        const one = await hook.judge(event);
        working.end();
        if (this.#isEnded) return false;
        take(one);
        if (loaded.heard.includes(event.type)) {
          judged++;
          this.#output.event(file, one, !loaded.unseen.includes(event.type));
        } else if (saysAnything(one)) this.#output.late(file, one);
      }
    const ms = performance.now() - started;
    hook.whenIdle((late) => {
      take(late);
      this.#refused.set(file, wantedOf(refused));
      this.#output.late(file, late);
    });
    if (this.#flags.once && loaded.reason === undefined) await sleep(LATE_MS);
    this.#refused.set(file, wantedOf(refused));
    this.#output.end(file, { judged, refused: refused.length, errors, ms }, hook.untried);
    return refused.length === 0 && errors === 0 && !isDeaf(loaded);
  }

  /** Grants what was refused, for this run. */
  async #grant(): Promise<void> {
    const refused = [...this.#refused].filter(([, wanted]) => wanted.length > 0);
    if (refused.length === 0) return this.#output.note("nothing was refused");
    for (const [file, wanted] of refused) this.#hooks.get(file)?.grant(wanted);
    this.#output.note("granted for this run; w writes it into the manifest");
    await this.run();
  }

  /** Writes what was refused or granted into the manifests. */
  async #write(): Promise<void> {
    let isWritten = false;
    for (const [file, hook] of this.#hooks) {
      const wanted = [...hook.granted, ...(this.#refused.get(file) ?? [])];
      if (wanted.length === 0) continue;
      const addition = addToManifest(file, asksOf(file, this.#heard.get(file) ?? [], wanted));
      hook.forgetGranted();
      isWritten = true;
      this.#output.note(additionText(addition));
    }
    if (!isWritten) return this.#output.note("nothing was refused, and nothing granted");
    await this.run();
  }
}

/** What it did of its own accord while it was shown an event that it does not hear. */
const saysAnything = ({ notices, refused, errors, log }: Heard): boolean =>
  [notices, refused, errors, log].some((all) => all.length > 0);

/** It hears not what its author thinks: a gate for a mistyped event, or for one that it may not see, guards nothing. */
const isDeaf = ({ heard, unseen, doesNothing }: Loaded): boolean =>
  doesNothing || unseen.length > 0 || heard.some((name) => !EVENT_NAMES.includes(name));

/** The folder of a hook's own: what it imports lies there. */
function rootOf(path: string): string {
  try {
    return statSync(path).isDirectory() ? path : findManifest(path).root;
  } catch {
    return dirname(path);
  }
}

/** What a manifest has to ask for: a hook without one had the usual powers, which its first manifest has to name. */
function asksOf(file: string, heard: readonly string[], wanted: readonly Wanted[]): Asks {
  // A grant of an event that no agent has would be refused.
  const see = heard.filter((name) => EVENT_NAMES.includes(name)).sort();
  const first: Asks = findManifest(file).manifest ? {} : { ...DEFAULT, events: { ...DEFAULT.events, see } };
  return wanted.reduce<Asks>((sum, { capability, grant }) => {
    const { limits, ...powers } = sum;
    const lifted = capability === "limits" ? limitsOf.union(limits, grant as Limits) : limits;
    const more = capability === "limits" ? powers : withMore(powers, capability, grant);
    return { ...more, ...(lifted ? { limits: lifted } : {}) };
  }, first);
}
