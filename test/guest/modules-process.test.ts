import { expect, test } from "vitest";
import { besideNode, error, type Question } from "./beside-node.ts";
import { startFacts } from "./facts.ts";

const withheld = error("Error", "NOT_GRANTED");
const unavailable = error("Error", "ERR_FEATURE_UNAVAILABLE_ON_PLATFORM");
/** What a table of functions throws, each called without arguments. */
const throwsOf = (object: string, names: string[]): string =>
  `[${names.map((name) => `caught(() => ${object}.${name}())`).join(", ")}].map((it) => it instanceof Error ? it : "answered")`;

besideNode("node:os in a hook and in Node", {
  top: `import os, { homedir } from "node:os";\nimport * as all from "os";`,
  questions: [
    { name: "the places that hooks look for", ask: `[os.homedir(), os.tmpdir(), homedir(), all.tmpdir()]` },
    { name: "the kind of machine", ask: `[os.platform(), os.arch(), os.type(), os.endianness(), os.EOL, os.devNull]` },
    { name: "the constants", ask: `[os.constants.signals, os.constants.errno, os.constants.priority]` },
    { name: "the places as text", ask: "[`${os.tmpdir}`, `${os.homedir}`]" },
    {
      name: "the machine and its user",
      ask: throwsOf("os", [...["cpus", "freemem", "totalmem", "loadavg", "machine", "uptime", "userInfo"]]),
      differs: { reason: "what describes the machine or its user is withheld", cordon: Array(7).fill(withheld) },
    },
    {
      name: "the interfaces of the machine",
      ask: `[typeof os.networkInterfaces(), Object.keys(os.networkInterfaces()).length > 0]`,
      differs: { reason: "what describes the machine or its user is withheld", cordon: ["object", false] },
    },
    {
      name: "the version of the system",
      ask: `[os.release(), os.version() === os.type()]`,
      differs: { reason: "what describes the machine or its user is withheld", cordon: ["0.0.0", true] },
    },
    {
      name: "the name and size of the machine",
      ask: `[os.hostname(), os.availableParallelism() < 2]`,
      differs: { reason: "what describes the machine or its user is withheld", cordon: ["localhost", true] },
    },
    {
      name: "priorities of processes",
      ask: `[typeof (os as any).getPriority, typeof (os as any).setPriority]`,
      differs: { reason: "processes are not a hook's", cordon: ["undefined", "undefined"] },
    },
  ],
});

besideNode("os.userInfo, by granted variables", {
  top: `import os from "node:os";`,
  powers: { env: ["USER"] },
  env: { USER: "somebody" },
  questions: [
    {
      name: "the name is the variable's, and the home the machine's",
      ask: `(({ username, homedir, ...rest }) => [username === "somebody", homedir === os.homedir(), Object.keys(rest).sort()])(os.userInfo())`,
      differs: { reason: "the name is that of a variable", cordon: [true, true, ["gid", "shell", "uid"]] },
    },
    {
      name: "a name in bytes",
      ask: `caught(() => (os.userInfo({ encoding: "buffer" }).username as any) instanceof Uint8Array)`,
      differs: { reason: "it gives text", cordon: unavailable },
    },
  ],
});

besideNode("os.userInfo, of nobody", {
  top: `import os from "node:os";`,
  powers: { env: ["USER", "LOGNAME"] },
  env: { USER: undefined, LOGNAME: undefined },
  questions: [
    {
      name: "no variable says who",
      ask: `caught(() => typeof os.userInfo().username)`,
    },
  ],
});

const USUAL: Question[] = [
  { name: "where it runs", ask: `[proc.cwd(), cwd(), proc.platform, platform, proc.arch, proc.release.name]` },
  { name: "there are no further arguments", ask: `[proc.argv.length, proc.argv.slice(2), argv === proc.argv]` },
  { name: "the module has its parts by name, too", ask: `[all.default === proc, env === proc.env]` },
  {
    name: "process without an import is the same as with one",
    ask: `(() => { process.env.SEEN_X = "x"; return [process === proc, proc.env.SEEN_X]; })()`,
  },
  {
    name: "the clock",
    ask: `(() => { const a = proc.hrtime(); const d = proc.hrtime(a); return [a.length, d[0], d[1] >= 0, typeof proc.hrtime.bigint(), proc.uptime() >= 0, proc.hrtime.bigint() <= proc.hrtime.bigint()]; })()`,
  },
  {
    name: "nextTick hands its arguments on",
    ask: `await new Promise((done) => proc.nextTick((...a: any[]) => done(a), 1, "b"))`,
  },
  {
    name: "listeners come and go",
    ask: `(() => { const heard: any[] = []; const hear = (x: any) => heard.push(x); const r = [proc.on("x" as any, hear) === proc, proc.emit("x" as any, 1 as any), proc.once("x" as any, hear) === proc, proc.emit("x" as any, 2 as any), proc.off("x" as any, hear) === proc, proc.emit("x" as any, 3 as any), proc.listenerCount("x")]; return [r, heard]; })()`,
  },
  {
    name: "an exit code can be set",
    ask: `(() => { proc.exitCode = 3; const code = proc.exitCode; proc.exitCode = undefined; return [code, proc.exitCode]; })()`,
  },
  { name: "output is taken", ask: `[proc.stdout.write(""), proc.stderr.write(""), Boolean(proc.stdout.isTTY)]` },
  { name: "a mask of rights", ask: `proc.umask()` },
  {
    name: "values can be put on it",
    ask: `(() => { (proc as any).mine = 1; return [(proc as any).mine, proc.emitWarning("x")]; })()`,
  },
];

const ENVIRONMENT: Question[] = [
  {
    name: "variables in every way of looking",
    ask: `[proc.env.SEEN_A, "SEEN_A" in proc.env, "SEEN_NONE" in proc.env, Object.hasOwn(proc.env, "SEEN_B"), Object.keys(proc.env).filter((n) => n.startsWith("SEEN_")).sort(), (({ SEEN_A, SEEN_NONE }) => [SEEN_A, SEEN_NONE])(proc.env), ({ ...proc.env }).SEEN_B, Object.entries(proc.env).find(([n]) => n === "SEEN_A"), JSON.parse(JSON.stringify(proc.env)).SEEN_A, Object.getOwnPropertyDescriptor(proc.env, "SEEN_A")]`,
  },
  {
    name: "an empty variable is there",
    ask: `[proc.env.SEEN_EMPTY, "SEEN_EMPTY" in proc.env, proc.env.SEEN_EMPTY ?? "none", proc.env.SEEN_EMPTY || "none"]`,
  },
  {
    name: "what is set is text, and seen",
    ask: `(() => { const e: any = proc.env; e.SEEN_N = 5; e.SEEN_T = true; e.SEEN_U = undefined; e.SEEN_Z = null; e.SEEN_A = "mine"; Object.assign(e, { SEEN_O: "o" }); e.SEEN_Q ??= "q"; return [e.SEEN_N, e.SEEN_T, e.SEEN_U, e.SEEN_Z, e.SEEN_A, e.SEEN_O, e.SEEN_Q, Object.keys(e).filter((n) => /^SEEN_[NTUZOQ]$/.test(n)).sort()]; })()`,
  },
  {
    name: "what is deleted is gone, and can be set anew",
    ask: `(() => { const r: any[] = [delete proc.env.SEEN_B, proc.env.SEEN_B, "SEEN_B" in proc.env, Object.keys(proc.env).includes("SEEN_B"), delete proc.env.SEEN_NONE]; proc.env.SEEN_B = "again"; return [...r, proc.env.SEEN_B]; })()`,
  },
  {
    name: "a variable that is defined",
    ask: `(() => { Object.defineProperty(proc.env, "SEEN_D", { value: "d", writable: true, enumerable: true, configurable: true }); return proc.env.SEEN_D; })()`,
  },
  {
    name: "the methods of an object",
    ask: `[(proc.env as any).hasOwnProperty("SEEN_A"), String(proc.env), (proc.env as any).SEEN_A.constructor === String]`,
  },
  { name: "no variable has a symbol for its name", ask: `(proc.env as any)[Symbol.iterator]` },
];

const DIFFERENT: Question[] = [
  {
    name: "what would end it or reach others",
    ask: throwsOf("(proc as any)", ["kill", "chdir", "binding", "dlopen", "memoryUsage", "cpuUsage"]),
    differs: { reason: "a hook has no process of its own", cordon: Array(6).fill(unavailable) },
  },
  {
    name: "how Node was started",
    ask: `[proc.execArgv, proc.execPath, proc.argv0, proc.title]`,
    differs: { reason: "the agent's own command is not a hook's to know", cordon: [[], "node", "node", "hook"] },
  },
  {
    name: "the numbers of processes",
    ask: `[proc.pid, proc.ppid]`,
    differs: { reason: "a hook knows its agent alone", cordon: [process.pid, 0] },
  },
  {
    name: "versions",
    ask: `[proc.version, proc.versions, proc.features]`,
    differs: { reason: "the same wherever the hook runs", cordon: ["v24.0.0", { node: "24.0.0" }, {}] },
  },
  {
    name: "users, reports and Node's insides",
    ask: `["getuid", "geteuid", "getgid", "report", "config", "mainModule", "getBuiltinModule", "moduleLoadList", "_linkedBinding", "send"].map((n) => typeof (proc as any)[n]).filter((t) => t !== "undefined")`,
    differs: { reason: "not there", cordon: [] },
  },
  {
    name: "an input in which nothing comes",
    ask: `[typeof proc.stdin.on, proc.stdin.isTTY === true, proc.stdin.setEncoding("utf8") === proc.stdin, proc.stdin.read()]`,
  },
  {
    name: "process on globalThis",
    ask: `typeof (globalThis as any).process`,
  },
  {
    name: "process on globalThis, under a name that is put together",
    ask: `typeof (globalThis as any)["pro" + "cess"]`,
    differs: { reason: "globals of Node's are built into a bundle that names them", cordon: "undefined" },
  },
  {
    name: "its own process runs",
    ask: `[proc.kill(proc.pid, 0), proc.pid === proc.pid]`,
  },
  {
    name: "output as a stream",
    ask: `[typeof (proc.stdout as any).on, typeof (proc.stdout as any).pipe, proc.stdout.columns, proc.stdout.rows]`,
    differs: { reason: "a hook's output is a line of the log", cordon: ["function", "undefined", 80, 24] },
  },
  {
    name: "members by name, which are those of the object",
    ask: `["abort", "argv0", "chdir", "cpuUsage", "emitWarning", "execArgv", "execPath", "exitCode", "features", "kill", "memoryUsage", "ppid", "release", "title", "umask"].map((name) => [name, typeof (all as any)[name], (all as any)[name] === (proc as any)[name]])`,
  },
  {
    name: "whether another process runs",
    ask: `(() => { try { return proc.kill(1, 0); } catch (error: any) { return error.code; } })()`,
    differs: { reason: "no hook is told which processes there are", cordon: "EPERM" },
  },
];

besideNode("node:process in a hook and in Node", {
  top: `import proc, { argv, cwd, env, platform } from "node:process";\nimport * as all from "process";`,
  questions: [...USUAL, ...ENVIRONMENT, ...DIFFERENT],
  powers: { env: ["SEEN_*"] },
  env: { SEEN_A: "a", SEEN_B: "b", SEEN_EMPTY: "" },
});

test("nothing comes from the standard input, and it ends", async () => {
  const { ask } = await startFacts({
    input: "const all: any[] = []; for await (const one of process.stdin as any) all.push(one); return all;",
  });
  expect(await ask("input")).toEqual([]);
});
