import { besideNode, type Question } from "./beside-node.ts";

const QUESTIONS: Question[] = [
  {
    name: "what is written comes out",
    ask: `await of(spawn("cat"), (c) => { c.stdin.write("a"); c.stdin.write(Buffer.from("é")); c.stdin.end("z"); })`,
  },
  { name: "end alone", ask: `await of(spawn("cat"), (c) => c.stdin.end("whole"))` },
  {
    name: "writing goes on in later turns",
    ask: `await of(spawn("cat", { stdio: "pipe" }), async (c) => { await pause(20); c.stdin.write("late"); await pause(20); c.stdin.end("r"); })`,
  },
  {
    name: "encodings of parts",
    ask: `await of(spawn("cat"), (c) => { c.stdin.write("616263", "hex"); c.stdin.end("ZGVm", "base64"); })`,
  },
  {
    name: "more than a pipe holds, with backpressure",
    ask: `await of(spawn("wc", ["-c"]), async (c) => { let waited = 0; for (let at = 0; at < 10; at++) if (!c.stdin.write("x".repeat(200_000))) { waited++; await new Promise((done) => c.stdin.once("drain", done)); } c.stdin.end(); if (waited === 0) throw new Error("never full"); })`,
  },
  {
    name: "one part of two megabytes",
    ask: `await of(spawn("wc", ["-c"]), (c) => c.stdin.end(Buffer.alloc(2_000_001)))`,
  },
  {
    name: "a stream into a program",
    ask: `await of(spawn("cat"), (c) => Readable.from(["one ", "two"]).pipe(c.stdin))`,
  },
  {
    name: "a pipeline into a program",
    ask: `await of(spawn("cat"), (c) => pipeline(Readable.from(["one ", "two"]), c.stdin))`,
  },
  {
    name: "the callbacks of writes come in order",
    ask: `await within(() => new Promise((done) => { const heard: any[] = []; const c = spawn("cat"); c.on("close", () => done(heard)); c.stdin.write("a", (e) => heard.push(["a", e ?? null])); c.stdin.end("b", () => heard.push("end")); }))`,
  },
  {
    name: "a program that ends without reading",
    ask: `await within(() => new Promise((done) => { const heard: any[] = []; const c = spawn("true"); c.stdin.on("error", (e: any) => heard.push(e.code)); c.on("close", (code) => done([code, heard.every((one) => one === "EPIPE")])); c.stdin.write("x".repeat(3_000_000)); }))`,
  },
  {
    name: "writing after the end",
    ask: `await within(() => new Promise((done) => { const c = spawn("cat"); c.stdin.on("error", (e: any) => done(e.code)); c.stdin.end("a"); c.stdin.write("b"); }))`,
  },
  { name: "writing to a program that was closed to it", ask: `spawn("true", { stdio: "ignore" }).stdin` },
  { name: "a program that is not written to", ask: `await of(spawn("cat"), (c) => c.stdin.end())` },
  {
    name: "input of the waiting calls",
    ask: `[String(execFileSync("cat", { input: "text" })), execFileSync("cat", { input: Buffer.from([0x61]), encoding: "utf8" }), String(spawnSync("wc", ["-c"], { input: "x".repeat(200_000) }).stdout), String(execFileSync("cat", { input: "" })), String(execFileSync("cat", { input: new Uint16Array([0x6161]) })), spawnSync("true", { input: "unread" }).status]`,
  },
  { name: "input of the wrong type", ask: `[5, {}].map((input: any) => caught(() => execFileSync("cat", { input })))` },
  {
    name: "a program of execFile",
    ask: `await within(() => new Promise((done) => { const c = execFile("cat", (e, out) => done([e, out])); c.stdin?.end("to execFile"); }))`,
  },
  {
    name: "a program is killed while it reads",
    ask: `await within(() => new Promise((done) => { const c = spawn("cat", { stdio: "pipe" }); c.stdin.on("error", () => {}); c.on("close", (code, signal) => done([code, signal])); c.stdin.write("a"); setTimeout(() => c.kill(), 50); }))`,
  },
];

const may = (program: string, ...args: string[]) => ({ program, args, fullAccess: true, stdin: true });

besideNode("the standard input of a program", {
  top: `import { execFile, execFileSync, spawn, spawnSync } from "node:child_process"; import { Readable } from "node:stream"; import { pipeline } from "node:stream/promises";
const of = (c: any, act: (c: any) => unknown) => within(() => new Promise((done, failed) => { let out = ""; c.on("error", failed); c.stdout.on("data", (part: any) => { out += part; }); c.on("close", (code: any, signal: any) => done([out, code, signal])); Promise.resolve(act(c)).catch(failed); }));`,
  questions: QUESTIONS,
  powers: { exec: [may("cat"), may("wc", "-c"), may("true")] },
});
