import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { PACKAGE_ROOT } from "../../src/base/package-root.ts";
import { writeFiles } from "../support/session.ts";
import type { Machine } from "./place.ts";

const TSC = join(PACKAGE_ROOT, "node_modules", "typescript", "lib", "tsc.js");

const OPTIONS = {
  target: "es2024",
  lib: ["es2024", "esnext.disposable", "dom"],
  module: "nodenext",
  types: ["node"],
  strict: true,
  // A plugin of OpenClaw's has no types here.
  noImplicitAny: false,
  noEmit: true,
  skipLibCheck: true,
  allowImportingTsExtensions: true,
  moduleDetection: "force",
};

/** Compiles files in a folder of the machine, where what is installed there can be imported. Returns the errors. */
export async function compile(
  machine: Machine,
  name: string,
  files: Readonly<Record<string, string>>,
): Promise<string> {
  const folder = join(machine.root, name);
  const settings = {
    "tsconfig.json": JSON.stringify({ compilerOptions: OPTIONS }),
    "package.json": '{"type":"module"}',
  };
  writeFiles(folder, { ...settings, ...files });
  return promisify(execFile)(process.execPath, [TSC, "-p", folder, "--pretty", "false"], { cwd: folder })
    .then(() => "")
    .catch((error: { stdout: string }) => error.stdout);
}
