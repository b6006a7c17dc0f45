import { randomBytes } from "node:crypto";
import { existsSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { CordonError, messageOf } from "../base/errors.ts";
import { inHome } from "../disk/home.ts";
import { makeFolders } from "../disk/make-folders.ts";
import { ADDON, addonFor } from "./addon.ts";
import type { Pinned, Progress } from "./fetch-package.ts";
import { isPackage } from "./fetched.ts";
import { fromFolder, type Runtime, runtimeAddon, runtimeNode } from "./locate.ts";
import { megabytesOf } from "./megabytes.ts";
import { NODES, nodeHere } from "./nodes.ts";

/** How much {@link installRuntime} fetches, in MB: the sum of what it says of each package. `undefined` where there is nothing to fetch. */
export const runtimeMegabytes = (): number | undefined => {
  const node = nodeHere();
  return node && megabytesOf(node.bytes) + megabytesOf(ADDON.bytes);
};

/**
 * Fetches the runtime into `<home>/runtime`. No script of its packages runs. `npm`: how registries are reached; the bytes are
 * pinned. The old runtime stays until the new one is complete. What was fetched before a failure is kept, and only the rest is fetched again. Rejects with `INTEGRITY_MISMATCH` or `NO_RUNTIME`.
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
  makeFolders(draft);
  try {
    await unpack(node, join(draft, "node"), { home, progress, npm });
    await unpack(ADDON, runtimeAddon(draft), { home, progress, npm });
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
  if (!node || !isPackage(node, join(folder, "node")) || !isPackage(ADDON, runtimeAddon(folder))) return undefined;
  return fromFolder(folder, folder).catch(() => undefined);
}

interface Fetching {
  readonly home: string;
  readonly progress: Progress;
  readonly npm: Record<string, unknown>;
}

/** Fetches a package and unpacks it into a folder. No script of it runs. */
async function unpack(pinned: Pinned, folder: string, { home, progress, npm }: Fetching): Promise<void> {
  const { spec, integrity } = pinned;
  const cache = inHome(home, "cache");
  const file = join(cache, `${spec.replace("@", "-")}.tgz`);
  const [{ fetchPackage }, { default: pacote }] = await Promise.all([import("./fetch-package.ts"), import("pacote")]);
  await fetchPackage(pinned, file, progress, { ...npm, cache });
  const step = `unpacking ${spec}`;
  progress(step, 0);
  try {
    await pacote.extract(`file:${file}`, folder, { integrity, ignoreScripts: true, cache });
  } catch (error) {
    throw new CordonError("NO_RUNTIME", `${spec} could not be unpacked: ${messageOf(error)}`);
  }
  progress(step, 100);
}

function replaceFolder(draft: string, folder: string): void {
  const old = `${folder}.old`;
  rmSync(old, { recursive: true, force: true });
  if (existsSync(folder)) renameSync(folder, old);
  renameSync(draft, folder);
  rmSync(old, { recursive: true, force: true });
}
