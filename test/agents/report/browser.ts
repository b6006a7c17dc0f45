import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { type Browser, chromium } from "playwright-core";
import { messageOf } from "../../../src/base/errors.ts";
import { findProgram } from "../../../src/runtime/find-program.ts";

const run = promisify(execFile);

/** A package that has the browser inside it (67 MB), for Linux on x64. */
const PACKAGE = "@sparticuz/chromium";
const VERSION = "153.0.0";
const PLACE = join(tmpdir(), "cordon-test-chromium", VERSION);

/** A Chromium that runs here, or why there is none. */
export async function findChromium(): Promise<{ browser: Browser } | { lacks: string }> {
  try {
    const executablePath =
      process.platform === "linux" && process.arch === "x64"
        ? await fetched()
        : installed(["chromium", "google-chrome"]);
    if (executablePath === undefined)
      return { lacks: "no Chromium is installed, and none can be fetched for this system" };
    return { browser: await chromium.launch({ executablePath, args: ["--no-sandbox"] }) };
  } catch (error) {
    return { lacks: `no Chromium can be fetched and started: ${messageOf(error).split("\n")[0]}` };
  }
}

const installed = (names: readonly string[]): string | undefined =>
  names.map((name) => findProgram(name, [], process.env.PATH ?? "")).find((path) => path !== undefined);

/** Fetches it from the registry that npm is set to, once for this machine. Runs no script of an install. */
async function fetched(): Promise<string> {
  const program = join(PLACE, "chromium");
  if (existsSync(program)) return program;
  mkdirSync(dirname(PLACE), { recursive: true });
  const fresh = mkdtempSync(`${PLACE}-`);
  try {
    writeFileSync(join(fresh, "package.json"), '{"private":true,"type":"module"}');
    const options = ["--ignore-scripts", "--no-audit", "--no-fund"];
    await run("npm", ["install", ...options, `${PACKAGE}@${VERSION}`], { cwd: fresh, timeout: 300_000 });
    // It unpacks itself into the temporary folder.
    const unpack = `import chromium from "${PACKAGE}"; await chromium.executablePath();`;
    await run(process.execPath, ["--input-type=module", "-e", unpack], {
      cwd: fresh,
      env: { ...process.env, TMPDIR: fresh },
    });
    renameSync(fresh, PLACE);
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true });
    // Another suite was faster.
    if (!existsSync(program)) throw error;
  }
  return program;
}
