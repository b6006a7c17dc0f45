import { setTimeout as sleep } from "node:timers/promises";
import { messageOf } from "../base/errors.ts";
import { command } from "../base/shell-word.ts";
import { readIfThere } from "../disk/atomic-file.ts";
import { lockPath, logPath } from "../disk/daemon-places.ts";
import { defaultHome } from "../disk/home.ts";
import { isHeld } from "../disk/lock-file.ts";
import { wishedRecording } from "../recording/places.ts";
import { askDaemon, type DaemonStatus } from "../shim/ask-daemon.ts";
import { refuseBelowAgent } from "./below-agent.ts";
import { Refused } from "./common.ts";
import { Lines, print, printJson, printMarked, printResult } from "./print.ts";
import { controllingTerminal } from "./terminal.ts";

interface Flags {
  json?: boolean;
}

const NONE = "no daemon runs; the next event of an agent starts one";

/** `cordon daemon run`: serves the agents of a home until it is idle or stopped. Shims start it. */
export async function runDaemon(home: string, version: string): Promise<void> {
  const { Daemon } = await import("../daemon/daemon.ts");
  const daemon = await Daemon.start(home, version).catch((error: unknown) => {
    throw new Refused(messageOf(error));
  });
  if (!daemon) throw new Refused("another daemon serves this home");
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => void daemon.stop());
  await daemon.ended;
  process.exit(0);
}

/** `cordon daemon status`. */
export async function daemonStatus(flags: Flags): Promise<void> {
  const status = (await askDaemon(defaultHome(), "status")) as DaemonStatus | undefined;
  const wish = wishedRecording(defaultHome());
  const next = wish === undefined ? {} : { recordsNext: true };
  if (flags.json) return printJson({ running: status !== undefined, ...status, ...next });
  const sayNext = (): void => {
    if (wish !== undefined) print`records    the next session that begins; to take it back: cordon record stop`;
  };
  if (!status) {
    print`${NONE}`;
    return sayNext();
  }
  const { pid, version, since, sessions, questions, monitors, records = [] } = status;
  print`daemon     process ${pid}, version ${version}, since ${since}`;
  for (const session of sessions) print`session    ${session}`;
  for (const agent of monitors)
    print`monitor    ${agent}: nothing is blocked; run: ${command`cordon install ${agent}`}`;
  for (const session of records) print`records    ${session}; to end it: cordon record stop`;
  sayNext();
  if (questions > 0) print`questions  ${questions} wait for you; run: cordon pending`;
}

/** `cordon daemon stop`: its sessions end; what guarded them is kept, and the next event starts another daemon. */
export async function stopDaemon(flags: Flags): Promise<void> {
  const home = defaultHome();
  if ((await askDaemon(home, "status")) === undefined) return printResult(flags, NONE, { stopped: false });
  const terminal = controllingTerminal();
  if (!terminal) throw new Refused("stopping the daemon takes a terminal with a person at it");
  terminal.close();
  await refuseBelowAgent(home, "stopping the daemon");
  const stopped = (await askDaemon(home, "stop")) === true;
  printResult(flags, stopped ? "the daemon ends" : NONE, { stopped });
}

/** How long its sessions may take to end, in ms: hooks hear of it. */
const END_MS = 30_000;
const LOOK_MS = 20;

/** Ends the daemon of a home that is to be removed: a process that ends still writes its last line of the audit. */
export async function endDaemon(home: string): Promise<void> {
  if (!isHeld(lockPath(home))) return;
  await stopDaemon({});
  for (let waited = 0; isHeld(lockPath(home)); waited += LOOK_MS) {
    if (waited >= END_MS) throw new Refused(`the daemon does not end, so ${home} stays; try again`);
    await sleep(LOOK_MS);
  }
}

/** `cordon daemon logs`. */
export function daemonLogs(): void {
  const path = logPath(defaultHome());
  const text = readIfThere(path);
  if (text === undefined) throw new Refused(`${path}: there is no log yet`);
  // Further lines of a text are indented.
  for (const record of text.trimEnd().split(/\n(?! {4})/)) printMarked`${new Lines(record.replaceAll("\n    ", "\n"))}`;
}
