import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Runtime } from "../../src/runtime/locate.ts";

/** A program that stands where Node stands in a runtime: it keeps a list of the frames it gets. */
export interface FakeSandbox {
  runtime: Runtime;
  /** Kinds of the frames it got, as letters of the protocol: `L` load, `R` run, `P` ping. */
  frames(): string[];
  /** Pids that it wrote down: its own and its child's. */
  pids(): number[];
}

/**
 * Behaves as asked: `ready: false` never comes up; a run is answered after `answerMs` and loads at once; pings are
 * answered. `child` starts a program of its own. It runs with the JIT's options, since it is a plain Node script.
 */
export function fakeSandbox(
  folder: string,
  behaviour: { ready?: boolean; answerMs?: number; child?: boolean },
): FakeSandbox {
  const file = join(folder, "fake-node");
  const log = join(folder, "frames.txt");
  const pids = join(folder, "pids.txt");
  const { ready = true, answerMs = 0, child = false } = behaviour;
  writeFileSync(
    file,
    `#!${process.execPath}
const fs = require("node:fs");
const send = (kind, number, text) => {
  const body = Buffer.from(text);
  const head = Buffer.alloc(9);
  head.writeUInt32LE(5 + body.length, 0);
  head[4] = kind.charCodeAt(0);
  head.writeUInt32LE(number, 5);
  fs.writeSync(4, Buffer.concat([head, body]));
};
fs.appendFileSync(${JSON.stringify(pids)}, process.pid + "\\n");
if (${child}) {
  const program = require("node:child_process").spawn("/bin/sleep", ["600"], { stdio: "ignore" });
  fs.appendFileSync(${JSON.stringify(pids)}, program.pid + "\\n");
}
let held = Buffer.alloc(0);
new (require("node:net").Socket)({ fd: 3 }).on("data", (chunk) => {
  held = Buffer.concat([held, chunk]);
  while (held.length >= 4 && held.length >= 4 + held.readUInt32LE(0)) {
    const end = 4 + held.readUInt32LE(0);
    const kind = String.fromCharCode(held[4]);
    const number = held.readUInt32LE(5);
    const text = held.toString("utf8", 9, end);
    held = held.subarray(end);
    fs.appendFileSync(${JSON.stringify(log)}, kind);
    if (kind === "L") send("m", number, JSON.stringify({ t: "loaded", events: { tool_call: 1 } }));
    if (kind === "P") send("p", number, "");
    if (kind === "R") {
      const isolates = text.slice(0, text.indexOf("\\n")).split(",").map(Number);
      setTimeout(() => isolates.forEach((isolate) => send("v", isolate, "0p" + number + ":")), ${answerMs});
    }
    if (kind === "T" && text[0] === "E") {
      setTimeout(() => send("v", number, "0p" + text.slice(1, text.indexOf(":")) + ":"), ${answerMs});
    }
  }
}).on("close", () => process.exit(0));
if (${ready}) send("r", 0, "");
`,
  );
  chmodSync(file, 0o755);
  return {
    runtime: { node: file, addon: "/dev/null", major: 26, ffi: false, origin: "a test" },
    frames: () => (existsSync(log) ? [...readFileSync(log, "utf8")] : []),
    pids: () => (existsSync(pids) ? readFileSync(pids, "utf8").trim().split("\n").map(Number) : []),
  };
}
