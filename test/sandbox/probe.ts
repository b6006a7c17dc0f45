import { type ChildProcess, spawn } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { pathToFileURL } from "node:url";
import { encodeFrame, FrameReader } from "../../sandbox/wire/frame.ts";
import { ToSandbox } from "../../sandbox/wire/messages.ts";
import { built, PACKAGE_ROOT } from "../../src/base/package-root.ts";
import type { Runtime } from "../../src/runtime/locate.ts";

/** A program that tries to escape: the body of an async function that returns what it reached, or throws. */
export interface Probe {
  name: string;
  source: string;
}

export type Finding = { got: unknown } | { refused: string };

/**
 * Runs each probe in turn and writes one frame for each. `$` contains targets that the host prepared; `prelude` runs
 * before the process is confined.
 */
function probeProgram(probes: readonly Probe[], targets: object, prelude: string): string {
  const runs = probes.map(
    ({ name, source }) => `  await probe(${JSON.stringify(name)}, async () => {\n${source}\n  });\n`,
  );
  return `
;(async () => {
  const { writeSync } = require("node:fs");
  const $ = ${JSON.stringify(targets)};
  const tell = (finding) => {
    const text = Buffer.from(JSON.stringify(finding));
    const head = Buffer.alloc(9);
    head.writeUInt32LE(5 + text.length, 0);
    head[4] = 0x6d;
    writeSync(4, Buffer.concat([head, text]));
  };
${prelude}
  // By then the sandbox is confined, and has said that it is ready.
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  let refuse;
  process.on("uncaughtException", (error) => refuse(error));
  const probe = async (name, act) => {
    const late = new Promise((_, reject) => {
      refuse = reject;
      setTimeout(() => reject(new Error("no answer")), 3000);
    });
    try {
      const got = await Promise.race([act(), late]);
      tell({ name, got: got === undefined ? "undefined" : got });
    } catch (error) {
      tell({ name, refused: String(error && (error.code || error.message) || error) });
    }
  };
${runs.join("")}
  tell({ name: "end" });
})();
`;
}

/** A copy of the package in a folder, whose sandbox process runs these probes in its main realm once it is confined. */
async function startConfined(folder: string, runtime: Runtime, program: string): Promise<ChildProcess> {
  mkdirSync(join(folder, "dist", "sandbox"), { recursive: true });
  for (const file of ["src", "sandbox/wire", "package.json"]) {
    cpSync(join(PACKAGE_ROOT, file), join(folder, file), {
      recursive: true,
      filter: (path) => !path.endsWith("tsconfig.json"),
    });
  }
  for (const file of ["guest.js", "realm.js", "guest.cache", "realm.cache", "lazy-code"])
    cpSync(built(file), join(folder, "dist", "sandbox", file), { recursive: true });
  const process = readFileSync(built("process.cjs"), "utf8");
  writeFileSync(join(folder, "dist", "sandbox", "process.cjs"), process + program);
  const { launch } = await import(pathToFileURL(join(folder, "src", "supervisor", "launch.ts")).href);
  return launch(runtime, { memoryMb: 64, jit: false });
}

/** The same probes in a bare Node: what each reaches without a sandbox. */
function startBare(folder: string, runtime: Runtime, program: string): ChildProcess {
  writeFileSync(join(folder, "bare.cjs"), program);
  return spawn(runtime.node, [join(folder, "bare.cjs"), runtime.addon], {
    stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"],
  });
}

/** The outcome of every probe, by its name. */
export async function runProbes(
  where: "confined" | "bare",
  folder: string,
  runtime: Runtime,
  probes: readonly Probe[],
  targets: object,
  prelude = "",
): Promise<Map<string, Finding>> {
  const program = probeProgram(probes, targets, prelude);
  mkdirSync(folder, { recursive: true });
  const child = await (where === "confined" ? startConfined : startBare)(folder, runtime, program);
  const findings = new Map<string, Finding>();
  const input = child.stdio[3] as Writable;
  input.on("error", () => {});
  // Confined, it turns its event loop when something has arrived.
  const turns = setInterval(() => where === "confined" && input.write(encodeFrame(ToSandbox.ping, 0, "")), 5);
  try {
    await new Promise<void>((resolve, reject) => {
      const reader = new FrameReader((kind, _number, text) => {
        if (kind !== 0x6d) return;
        const { name, ...finding } = JSON.parse(text);
        if (name === "end") resolve();
        else findings.set(name, finding);
      });
      (child.stdio[4] as Readable).on("data", (chunk: Buffer) => reader.push(chunk));
      child.on("exit", (code, signal) =>
        reject(
          new Error(`${where} process ended by ${code ?? signal} after the probe "${[...findings.keys()].at(-1)}"`),
        ),
      );
    });
  } finally {
    clearInterval(turns);
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
      process.kill(where === "confined" ? -child.pid : child.pid, "SIGKILL");
    }
  }
  return findings;
}
