import { resolve } from "node:path";
import { attemptOr } from "../base/attempt.ts";
import { defaultHome } from "../disk/home.ts";
import { recordingsIn, stopRecordings, type Wish, wishedRecording, wishRecording } from "../recording/places.ts";
import { recordingFault } from "../recording/recording-file.ts";
import { askDaemon, type DaemonStatus } from "../shim/ask-daemon.ts";
import { type ProjectFlags, Refused } from "./common.ts";
import { print, printJson, printResult, style } from "./print.ts";

const STOP = "to end it: cordon record stop";
const MASKED = "secrets are masked as far as they are recognised: read it before you give it away";

/** `cordon record`: the next session that begins in an agent with Cordon is recorded. */
export async function record(flags: ProjectFlags & { out?: string }): Promise<void> {
  const home = defaultHome();
  const out = flags.out === undefined ? undefined : resolve(flags.out);
  const fault = out === undefined ? undefined : recordingFault(out, resolve(flags.cwd ?? "."));
  if (fault !== undefined) throw new Refused(fault);
  const wish: Wish = out ?? true;
  const before = wishedRecording(home);
  wishRecording(home, wish);
  const replaced = before === wish ? undefined : before;
  const placeOf = (one: Wish): string => (one === true ? "Cordon's home" : one);
  const where = `in ${placeOf(wish)}${replaced === undefined ? "" : ` and no longer in ${placeOf(replaced)}`}`;
  const shown = out === undefined ? "; cordon record list shows it" : "";
  printResult(flags, `the next session of an agent with Cordon is recorded, ${where}${shown}; ${STOP}; ${MASKED}`, {
    recordsNext: true,
    ...(out === undefined ? {} : { out }),
    ...(replaced === undefined ? {} : { replaced }),
  });
}

/** `cordon record stop`. */
export async function stopRecording(flags: { json?: boolean }): Promise<void> {
  stopRecordings(defaultHome());
  printResult(flags, "recordings end at their next event, and no session that is to come is recorded", {
    stopped: true,
  });
}

/** What is recorded now in the daemon's sessions. */
export async function recordedNow(home: string): Promise<string[]> {
  const status = (await askDaemon(home, "status").catch(() => undefined)) as Partial<DaemonStatus> | undefined;
  return status?.records ?? [];
}

/** `cordon record list`. */
export async function listRecordings(flags: { json?: boolean }): Promise<void> {
  const home = defaultHome();
  const next = wishedRecording(home);
  const now = await recordedNow(home);
  const recordings = attemptOr(() => recordingsIn(home), []);
  if (flags.json) {
    printJson({ ...(next === undefined ? {} : { recordsNext: true }), now, recordings });
    return;
  }
  if (next !== undefined) print`${style.yellow("next")}  the next session that begins; ${STOP}`;
  for (const session of now) print`${style.yellow("now")}   ${session}; ${STOP}`;
  for (const { path, bytes } of recordings) print`${path}  ${Math.ceil(bytes / 1024)} KB`;
  if (recordings.length + now.length === 0 && next === undefined)
    print`there are no recordings; cordon record turns one on`;
}
