import { CordonError } from "../base/errors.ts";
import { BuildProcess } from "./build-process.ts";
import type { BuildAnswer, BuildRequest } from "./protocol.ts";

export type Built = BuildAnswer & { ok: true };

/** Most builds at once: each may take one and a half gigabytes, and a repository can have any number of hooks. */
const MAX_BUILDS = 2;

/** Builds of one process: its CPU time is limited for all of them together. */
const BUILDS_EACH = 40;

/** How long a process waits for another build, in ms, unless somebody wants it for longer. */
export const IDLE_MS = 2000;
let idleMs = IDLE_MS;

/** Keeps build processes for longer, in ms: for whoever builds again whenever a person saves a file. */
export function keepBuilders(ms: number): void {
  idleMs = ms;
}

/**
 * Bundles a hook in a separate process, which is killed when it computes too long. Rejects with `IMPORT_REFUSED`,
 * `BUNDLE_TOO_LARGE` or `LOAD_FAILED`.
 *
 * @param node absolute path of the Node to run it with
 */
export async function buildHook(node: string, request: BuildRequest): Promise<Built> {
  const answer = await inTurn(() => runBuild(node, request));
  if (!answer.ok) throw new CordonError(answer.code, answer.message);
  return answer;
}

let building = 0;
const waiting: (() => void)[] = [];

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (building >= MAX_BUILDS) await new Promise<void>((resolve) => waiting.push(resolve));
  else building++;
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    if (next) next();
    else building--;
  }
}

/** Processes that wait for a build, with the Node that they run on. */
const idle: { node: string; process: BuildProcess; timer: NodeJS.Timeout }[] = [];

async function runBuild(
  node: string,
  request: BuildRequest,
  process = takeIdle(node) ?? new BuildProcess(node),
): Promise<BuildAnswer> {
  const before = process.builds;
  const answer = await process.build(request);
  if (!("lost" in answer)) {
    // What failed may have left something behind.
    if (answer.ok && process.builds < BUILDS_EACH) keepIdle(node, process);
    else await process.end();
    return answer;
  }
  await process.end();
  // The builds before took their share of its time and memory.
  if (before > 0) return runBuild(node, request, new BuildProcess(node));
  return { ok: false, code: "LOAD_FAILED", message: answer.lost };
}

/** Starts a process for the next build before anybody asks for one: for whoever fetches first what is built. */
export function startBuilder(node: string): void {
  if (!idle.some((one) => one.node === node && !one.process.hasEnded)) keepIdle(node, new BuildProcess(node));
}

function takeIdle(node: string): BuildProcess | undefined {
  const at = idle.findIndex((one) => one.node === node && !one.process.hasEnded);
  if (at < 0) return undefined;
  const [{ process, timer }] = idle.splice(at, 1) as [(typeof idle)[number]];
  clearTimeout(timer);
  return process;
}

function keepIdle(node: string, process: BuildProcess): void {
  const timer = setTimeout(() => {
    idle.splice(idle.indexOf(entry), 1);
    void process.end();
  }, idleMs).unref();
  const entry = { node, process, timer };
  idle.push(entry);
}
