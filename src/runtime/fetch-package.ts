import { createHash } from "node:crypto";
import { closeSync, createReadStream, lstatSync, openSync, rmSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import registryFetch from "npm-registry-fetch";
import pacote from "pacote";
import { CordonError, messageOf } from "../base/errors.ts";
import { makeFolders } from "../disk/make-folders.ts";
import { megabytesOf } from "./megabytes.ts";

/** A package of a registry, pinned to its bytes. */
export interface Pinned {
  /** Name and version. */
  spec: string;
  /** SHA-512 of the tarball, as in a lock. */
  integrity: string;
  /** Of the tarball. */
  bytes: number;
}

/** Hears of a download: first that it begins, with its size in MB, and then how much of it is there, in percent. */
export type Progress = (step: string, percent: number) => void;

/** A server that sends other bytes than the rest that was asked for. */
class WrongRest extends Error {}

/**
 * Fetches a tarball to a file. What a broken download left there is kept, and only the rest is asked for. The whole file is checked
 * against the pinned integrity: one that was changed is fetched again, from its start. Rejects with `INTEGRITY_MISMATCH` or `NO_RUNTIME`.
 *
 * @param npm how registries are reached
 */
export async function fetchPackage(
  pinned: Pinned,
  file: string,
  progress: Progress,
  npm: Record<string, unknown>,
): Promise<void> {
  const { spec, bytes } = pinned;
  const step = `fetching ${spec} (${megabytesOf(bytes)} MB)`;
  makeFolders(dirname(file));
  try {
    progress(step, 0);
    const isResumed = sizeOf(file) > 0;
    const last = await fetchRest(pinned, file, (percent) => progress(step, percent), npm);
    if (await isWhole(pinned, file)) {
      if (last < 100) progress(step, 100);
      return;
    }
    rmSync(file, { force: true });
    if (!isResumed) throw mismatch(spec);
    const again = `${step} again: what was there was damaged`;
    progress(again, 0);
    await fetchRest(pinned, file, (percent) => progress(again, percent), npm);
    if (await isWhole(pinned, file)) return;
    rmSync(file, { force: true });
    throw mismatch(spec);
  } catch (error) {
    if (error instanceof CordonError) throw error;
    const kept = sizeOf(file);
    const rest = kept === 0 ? "" : `; ${Math.floor(kept / 1e6)} MB of it are kept: run the command again for the rest`;
    throw new CordonError("NO_RUNTIME", `${spec} could not be fetched: ${messageOf(error)}${rest}`);
  }
}

const mismatch = (spec: string): CordonError =>
  new CordonError("INTEGRITY_MISMATCH", `${spec} is not what Cordon was released with: its bytes are others`);

/** The size of a regular file; 0 for none. Anything else at its path is removed. */
function sizeOf(file: string): number {
  const status = lstatSync(file, { throwIfNoEntry: false });
  if (status?.isFile()) return status.size;
  if (status) rmSync(file, { recursive: true, force: true });
  return 0;
}

async function isWhole({ integrity }: Pinned, file: string): Promise<boolean> {
  const hash = createHash("sha512");
  for await (const chunk of createReadStream(file)) hash.update(chunk);
  return `sha512-${hash.digest("base64")}` === integrity;
}

/** Appends what is missing. `told`: hears each percent that is there. Returns the last one. */
async function fetchRest(
  { spec, bytes }: Pinned,
  file: string,
  told: (percent: number) => void,
  npm: Record<string, unknown>,
): Promise<number> {
  let [done, last] = [sizeOf(file), 0];
  const tell = (): void => {
    const percent = Math.min(100, Math.floor((100 * done) / bytes));
    if (percent > last) told(percent);
    last = Math.max(last, percent);
  };
  tell();
  if (done >= bytes) return last;
  // A part is not for npm's cache, and the whole is kept here.
  const headers = done > 0 ? { range: `bytes=${done}-` } : {};
  const response = await registryFetch(await addressOf(spec, npm), { ...npm, cache: null, headers });
  const isRest = response.status === 206;
  if (isRest && !response.headers.get("content-range")?.startsWith(`bytes ${done}-`))
    throw new WrongRest("the registry sent another part than the one that is missing");
  // A broken connection reports its error twice, the second time after the loop below has ended.
  response.body.on("error", () => {});
  // A server that knows no ranges sends all of it.
  if (!isRest) done = 0;
  const output = openSync(file, isRest ? "a" : "w", 0o600);
  try {
    for await (const chunk of response.body) {
      done += chunk.length;
      if (done > bytes) throw mismatch(spec);
      writeSync(output, chunk);
      tell();
    }
  } catch (error) {
    if (error instanceof CordonError) rmSync(file, { force: true });
    throw error;
  } finally {
    closeSync(output);
  }
  if (done < bytes) throw new Error(`the connection ended after ${done} of ${bytes} bytes`);
  return last;
}

/** Where a registry has the tarball. As npm does, it takes a mirror's place for the address that npm's own registry names. */
async function addressOf(spec: string, npm: Record<string, unknown>): Promise<string> {
  const named = new URL(await pacote.resolve(spec, npm));
  const usual = new URL(registryFetch.pickRegistry(spec, {}));
  return named.host === usual.host ? new URL(named.pathname, registryFetch.pickRegistry(spec, npm)).href : named.href;
}
