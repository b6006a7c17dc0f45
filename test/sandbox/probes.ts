import type { Probe } from "./probe.ts";

/** Every probe of the sandbox process's main realm: in a bare Node each of them succeeds. */
export const PROBES: readonly Probe[] = [
  { name: "reading a file", source: `return require("node:fs").readFileSync($.secret, "utf8");` },
  { name: "reading a file with promises", source: `return require("node:fs/promises").readFile($.secret, "utf8");` },
  {
    name: "streaming a file",
    source: `for await (const part of require("node:fs").createReadStream($.secret)) return String(part);`,
  },
  {
    name: "reading its own program again",
    source: `return require("node:fs").readFileSync(__filename, "utf8").length;`,
  },
  {
    name: "reading its own address space",
    source: `return require("node:fs").readFileSync("/proc/self/maps", "utf8").length;`,
  },
  {
    name: "reading the host's environment",
    source: `return require("node:fs").readFileSync("/proc/" + process.ppid + "/environ").length;`,
  },
  {
    name: "asking whether a file exists",
    source: `if (!require("node:fs").existsSync($.secret)) throw new Error("hidden"); return true;`,
  },
  { name: "asking for a file's size", source: `return require("node:fs").statSync($.secret).size;` },
  { name: "asking for a real path", source: `return require("node:fs").realpathSync.native($.secret);` },
  { name: "listing a folder", source: `return require("node:fs").readdirSync($.folder);` },
  { name: "listing the root folder", source: `return require("node:fs").readdirSync("/");` },
  { name: "watching a folder", source: `const w = require("node:fs").watch($.folder); w.close(); return true;` },
  { name: "writing a file", source: `require("node:fs").writeFileSync($.marker, "x"); return true;` },
  {
    name: "making a folder",
    source: `require("node:fs").mkdirSync($.marker + ".d", { recursive: true }); return true;`,
  },
  {
    name: "deleting a file",
    source: `require("node:fs").rmSync($.victim); require("node:fs").writeFileSync($.victim, ""); return true;`,
  },
  { name: "linking a file", source: `require("node:fs").symlinkSync($.secret, $.marker + process.pid); return true;` },
  { name: "changing a file's mode", source: `require("node:fs").chmodSync($.secret, 0o600); return true;` },
  { name: "writing a heap snapshot", source: `return require("node:v8").writeHeapSnapshot($.marker + ".heap");` },
  { name: "writing a report", source: `return process.report.writeReport($.marker + ".json");` },
  { name: "reading the report in memory", source: `return Object.keys(process.report.getReport()).length;` },
  { name: "loading an env file", source: `process.loadEnvFile($.secret); return true;` },
  { name: "requiring a file", source: `return require($.json);` },
  { name: "importing a file", source: `return (await import("file://" + $.module)).default;` },
  {
    name: "requiring through a module of its own making",
    source: `return require("node:module").createRequire("/")($.json);`,
  },
  {
    name: "a TCP connection",
    source: `return await new Promise((resolve, reject) => require("node:net").connect($.port, "127.0.0.1", () => resolve(true)).on("error", reject));`,
  },
  {
    name: "a TCP server",
    source: `return await new Promise((resolve, reject) => { const s = require("node:net").createServer().on("error", reject).listen(0, "127.0.0.1", () => { s.close(); resolve(true); }); });`,
  },
  {
    name: "a unix socket",
    source: `return await new Promise((resolve, reject) => require("node:net").connect($.socket, () => resolve(true)).on("error", reject));`,
  },
  {
    name: "a unix socket server",
    source: `return await new Promise((resolve, reject) => { const s = require("node:net").createServer().on("error", reject).listen($.socket + "." + process.pid, () => { s.close(); resolve(true); }); });`,
  },
  { name: "fetch", source: `return (await fetch("http://127.0.0.1:" + $.port)).status;` },
  {
    name: "a UDP datagram",
    source: `return await new Promise((resolve, reject) => { const s = require("node:dgram").createSocket("udp4"); s.on("error", reject); s.send("x", $.udp, "127.0.0.1", (error) => { s.close(); error ? reject(error) : resolve(true); }); });`,
  },
  {
    name: "a UDP socket that listens",
    source: `return await new Promise((resolve, reject) => { const s = require("node:dgram").createSocket("udp4"); s.on("error", reject); s.bind(0, "127.0.0.1", () => { s.close(); resolve(true); }); });`,
  },
  { name: "looking up a name", source: `return (await require("node:dns").promises.lookup("localhost")).address;` },
  {
    name: "asking a name server",
    source: `const r = new (require("node:dns").promises.Resolver)({ timeout: 500, tries: 1 }); r.setServers(["127.0.0.1:" + $.udp]); try { return await r.resolve4("example.com"); } catch (error) { if (error.code === "ETIMEOUT") return "sent"; throw error; }`,
  },
  {
    name: "running a program",
    source: `return require("node:child_process").execFileSync("/bin/echo", ["x"], { encoding: "utf8" });`,
  },
  {
    name: "running a shell",
    source: `const c = require("node:child_process").spawn("/bin/sh", ["-c", "echo x"]); return await new Promise((resolve, reject) => c.on("error", reject).stdout.on("data", (d) => resolve(String(d))));`,
  },
  {
    name: "replacing itself with another program",
    source: `if (typeof process.execve !== "function") throw new Error("absent"); return "there";`,
  },
  {
    name: "a worker thread",
    source: `const w = new (require("node:worker_threads").Worker)("0", { eval: true }); await w.terminate(); return true;`,
  },
  {
    name: "an inspector that listens",
    source: `const i = require("node:inspector"); i.open(0, "127.0.0.1"); const url = i.url(); i.close(); return url;`,
  },
  {
    name: "an inspector session",
    source: `const s = new (require("node:inspector").Session)(); s.connect(); s.disconnect(); return true;`,
  },
  {
    name: "sqlite",
    source: `const db = new (require("node:sqlite").DatabaseSync)(":memory:"); db.close(); return true;`,
  },
  {
    name: "WASI",
    source: `new (require("node:wasi").WASI)({ version: "preview1", preopens: { "/": "/" } }); return true;`,
  },
  { name: "calling native code through ffi", source: `return typeof require("node:ffi").dlopen("libc.so.6", {});` },
  { name: "a raw pointer through ffi", source: `return typeof require("node:ffi").getRawPointer(Buffer.alloc(8));` },
  { name: "process.binding", source: `return typeof process.binding("fs");` },
  {
    name: "process._linkedBinding",
    source: `if (typeof process._linkedBinding !== "function") throw new Error("absent"); return "there";`,
  },
  { name: "process.dlopen", source: `process.dlopen({ exports: {} }, process.argv[2]); return true;` },
  {
    name: "requiring an addon",
    source: `try { return typeof require($.addon); } catch (error) { if (/ELF|too short/.test(error.message)) return "opened"; throw error; }`,
  },
  { name: "process.getBuiltinModule", source: `return typeof process.getBuiltinModule("fs").readFileSync;` },
  { name: "process.kill", source: `return process.kill($.bystander, 0);` },
  { name: "process._kill", source: `return process._kill($.bystander, 0);` },
  {
    name: "process._debugProcess",
    source: `if (typeof process._debugProcess !== "function") throw new Error("absent"); return "there";`,
  },
  {
    name: "changing another process's priority",
    source: `const os = require("node:os"); os.setPriority($.bystander, os.getPriority($.bystander)); return true;`,
  },
  {
    name: "the same, imported",
    source: `const os = await import("node:os"); os.setPriority($.bystander, os.default.getPriority($.bystander)); return true;`,
  },
  {
    name: "the same, by the name of its default export",
    source: `const { default: os } = await import("os"); os.setPriority($.bystander, os.getPriority($.bystander)); return true;`,
  },
  { name: "process.chdir", source: `process.chdir($.folder); return process.cwd();` },
  { name: "process.umask", source: `return process.umask(0o22);` },
  { name: "process.setuid", source: `process.setuid(process.getuid()); return true;` },
  {
    name: "the environment",
    source: `const names = Object.keys(process.env); if (names.length === 0) throw new Error("empty"); return names;`,
  },
];

/** Without meaning in a bare Node, which has no permission model: these have no control. */
export const ABSENT: readonly Probe[] = [
  {
    name: "a permission that is still held",
    source: `const held = ["fs.read", "fs.write", "child", "worker", "addon", "net", "inspector", "wasi", "ffi"].filter((name) => process.permission.has(name)); if (held.length === 0) throw new Error("none"); return held;`,
  },
];
