import { existsSync, readdirSync, realpathSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { sha256OfFile } from "../disk/file-hash.ts";

/** The package of the addon that Cordon was released with, pinned to its bytes. */
export const ADDON = {
  spec: "isolated-vm@7.0.1",
  integrity: "sha512-nBCQ1hXEaYKYJ79wwfhaF44ITOJC30Hw0wPEsFeNsdD3hdeKK7FW1SGMQYBUA+qasvkqdOazI+iBuq0lcbN/aw==",
  /** Of the download. */
  bytes: 10_398_047,
};

/** SHA-256 of each of its prebuilt files. */
const FILES = new Map([
  ["darwin-arm64/isolated-vm.abi137.node", "5c435c393300b581838190751e275a4fbd23584bdc706bb42acc69b1e5cdb20f"],
  ["darwin-arm64/isolated-vm.abi147.node", "81f4f01b89120559f57fba8b4e29a8a3cbcb9d1951b4869441553a54e0dc5f51"],
  ["linux-arm64/isolated-vm.abi137.glibc.node", "7d91c9d0e3bfe79f9a606432e807a8d070f1cda3b62d2a25cfea963ef475f1e5"],
  ["linux-arm64/isolated-vm.abi137.musl.node", "40700d96c85153bd4615c20c518174f3c51c44f44ac14de1483a648183002bb0"],
  ["linux-arm64/isolated-vm.abi147.glibc.node", "db97c5ebbb4484cda2820b93f8b92139bb8f96ef36768251456fb833c2d5ca08"],
  ["linux-arm64/isolated-vm.abi147.musl.node", "da6f1363824050fd49c51457a762c3a0ce12135a653197da19f20bd2d8c2b024"],
  ["linux-x64/isolated-vm.abi137.glibc.node", "b2a8794cf2a28cb0d839664bf404200e37317832959275cbe4a9a42e1ff328ab"],
  ["linux-x64/isolated-vm.abi137.musl.node", "a7d9a4910bb150b71c373a0125ae84ae9b7d263c99e228efb9d27b4a9b1cf440"],
  ["linux-x64/isolated-vm.abi147.glibc.node", "755ab3645906e224a70a7b8c975b0b0bee7a249d89e4fb54dd2993819be195c9"],
  ["linux-x64/isolated-vm.abi147.musl.node", "41dd9d63868631c534066b4626bb818f59a4fc7c1d58ff33b9e759c49feb8cb9"],
  ["win32-x64/isolated-vm.abi137.node", "358f24fd3cd4f8834a7d197fab094bbdf56402e1c03661349765d70a624832c6"],
  ["win32-x64/isolated-vm.abi147.node", "584b153f14e7cd0950e72291661fe7229a8ba59c00cca0621e2e8b3abb111cd1"],
]);

/** The version of the modules' interface of each Node that it has prebuilt files for. */
const ABI: Record<number, string> = { 26: "147", 24: "137" };

/** The folder of an isolated-vm that lies where this package finds its dependencies: a project may have one. */
export function folderBeside(): string | undefined {
  try {
    return dirname(createRequire(import.meta.url).resolve("isolated-vm/package.json"));
  } catch {
    return undefined;
  }
}

/** The prebuilt file for this platform in an isolated-vm folder. */
export function addonFor(folder: string, major: number): string | undefined {
  const prebuilds = join(folder, "prebuilds", `${process.platform}-${process.arch}`);
  if (!existsSync(prebuilds)) return undefined;
  const abi = `abi${ABI[major]}.`;
  const wanted = readdirSync(prebuilds).filter((file) => file.includes(abi));
  const file = wanted.find((name) => process.platform !== "linux" || name.includes(isMusl() ? "musl" : "glibc"));
  return file && join(realpathSync(prebuilds), file);
}

const isMusl = (): boolean => existsSync("/etc/alpine-release");

/**
 * True if a prebuilt file is, byte by byte, the one that Cordon was released with. It is native code that runs before a sandbox
 * is confined, and whoever installs packages into a project chooses what lies there.
 */
export function isReleased(file: string): boolean {
  const { dev, ino, size, mtimeNs, ctimeNs } = statSync(file, { bigint: true });
  const now = `${file} ${[dev, ino, size, mtimeNs, ctimeNs].join()}`;
  if (now === released) return true;
  if (FILES.get(`${basename(dirname(file))}/${basename(file)}`) !== sha256OfFile(file)) return false;
  released = now;
  return true;
}

/** The file that was last found to be so, which each host of a process would read again: a megabyte. */
let released: string | undefined;
