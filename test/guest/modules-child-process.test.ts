import { execFileSync } from "node:child_process";
import { besideNode, error, type Question } from "./beside-node.ts";

const TOP = `import cp, { execFile, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { promisify } from "node:util";
const sh = (script: string) => ["-c", script] as const;
const printed = (script: string, encoding?: any) => execFileSync("sh", ["-c", script], encoding === undefined ? undefined : { encoding });
const pick = (from: any, names: string) => Object.fromEntries(names.split(" ").map((name) => [name, from[name]]));
const failed = (act: () => any, names: string) => { try { return ["no error", act()]; } catch (error: any) { return pick(error, names); } };
const called = (start: (done: any) => any, names = "name code killed signal cmd") => within(() => new Promise((done) => start((error: any, out: any, err: any) => done([error && pick(error, names), out, err]))));
const refusedWith = (promise: Promise<any>, names: string) => within(() => promise.then((v) => ["no error", v], (error) => pick(error, names)));
const lived = (child: any) => within(() => new Promise((done) => {
  const heard: string[] = []; const life: any = { out: [], err: [] };
  for (const name of ["out", "err"]) child["std" + name].on("data", (data: any) => life[name].push(data)).on("end", () => heard.push(name + " ends"));
  child.on("exit", (...how: any[]) => { heard.push("exit"); life.exit = how; });
  child.on("error", (error: any) => { life.error = error; setTimeout(() => done(life), 300); });
  child.on("close", (...how: any[]) => { const before = heard.sort().join(); done({ ...life, before, how, code: child.exitCode, signal: child.signalCode, killed: child.killed }); });
}));
const heard = (child: any) => within(() => new Promise((done) => {
  const all: any[] = []; for (const name of ["spawn", "error", "exit", "close"]) child.on(name, (...how: any[]) => all.push([name, ...how.map((one) => one?.name ?? one)]));
  child.on("close", () => setTimeout(() => done(all), 50));
}));
`;
const SYNC = "name message status signal stdout stderr output";

const USUAL: Question[] = [
  {
    name: "plain commands, and those that a shell has to read",
    ask: `["git rev-parse HEAD", "  echo  a 'b  c' \\"d e\\" f\\\\\\\\g ''  ", "echo one | cat", "echo $((1 + 2)) && echo *", "A=1 sh -c 'echo $A'", "cd / && pwd", "echo 'a\\\\tb'"].map((line) => cp.execSync(line, { encoding: "utf8" }))`,
  },
  {
    name: "a command that fails, in each way",
    ask: `[failed(() => cp.execSync("git rev-parse --verify nowhere", { encoding: "utf8", stdio: "pipe" }), "${SYNC}"), failed(() => cp.execSync("exit 3", { encoding: "utf8", stdio: "pipe" }), "${SYNC}"), await called((done) => cp.exec("git rev-parse --verify nowhere", done)), await refusedWith(promisify(cp.exec)("echo out; exit 4"), "name message code stdout stderr")]`,
  },
  {
    name: "commands without waiting",
    ask: `[await called((done) => cp.exec("echo 'a b'", done)), await promisify(cp.exec)("echo x | cat"), await lived(spawn("echo x && echo y", { shell: true })).then(({ out }) => Buffer.concat(out).toString()), spawnSync("echo", ["a;", "echo", "b"], { shell: true, encoding: "utf8" }).stdout]`,
  },
  {
    name: "git's output in every encoding",
    ask: `["utf8", "utf-8", "UTF8", "hex", "base64", "latin1", "ascii", "ucs2", "buffer", null, undefined].map((encoding: any) => execFileSync("git", ["rev-parse", "HEAD"], { encoding }))`,
  },
  {
    name: "arguments and options may be left out",
    ask: `[execFileSync("true"), execFileSync("true", []), execFileSync("true", {}), execFileSync("true", { encoding: "utf8" }), execFileSync("true", undefined, { encoding: "utf8" }), spawnSync("true", { encoding: "utf8" }).status]`,
  },
  {
    name: "arguments arrive as they are, without a shell",
    ask: `execFileSync("printf", ["%s|", "a b", "", "ü → 🙂", "$HOME \`x\` * ; | &", "it's \\"so\\""], { encoding: "utf8" })`,
  },
  {
    name: "arguments that are no text become text",
    ask: `execFileSync("printf", ["%s|", 5, true, null, undefined, { toString: () => "object" }, ["a", ["b"]]] as any, { encoding: "utf8" })`,
  },
  {
    name: "a program that fails",
    ask: `failed(() => execFileSync("sh", sh("echo out; echo err >&2; exit 3"), { encoding: "utf8", stdio: "pipe" }), "${SYNC}")`,
  },
  {
    name: "a program that fails without a word",
    ask: `failed(() => execFileSync("false", { stdio: "pipe" }), "${SYNC}")`,
  },
  {
    name: "git that fails",
    ask: `failed(() => execFileSync("git", ["rev-parse", "--verify", "nowhere"], { encoding: "utf8", stdio: "pipe" }), "${SYNC}")`,
  },
  {
    name: "a program that a signal ends",
    ask: `["KILL", "TERM"].map((s) => failed(() => execFileSync("sh", sh("kill -" + s + " $$"), { encoding: "utf8", stdio: "pipe" }), "${SYNC}"))`,
  },
  {
    name: "what a program that succeeds says on the side is dropped",
    ask: `printed("echo err >&2; echo out", "utf8")`,
  },
  {
    name: "the parts of a child, and one that was not started",
    ask: `(() => {
      const child: any = spawn("true");
      const bare: any = new cp.ChildProcess();
      const { stdio, stdin, stdout, stderr, spawnfile, spawnargs, connected } = child;
      return [stdio.length, stdio[0] === stdin, stdio[1] === stdout, stdio[2] === stderr, spawnfile, spawnargs, connected, child instanceof cp.ChildProcess, bare instanceof cp.ChildProcess, [bare.pid, bare.exitCode, bare.stdin, bare.stdout, bare.stdio]];
    })()`,
  },
  {
    name: "the input of a program closes with it, though nobody wrote",
    ask: `within(() => new Promise((done) => (spawn("true") as any).stdin.on("close", () => done("closed"))))`,
  },
  {
    name: "reading standard input finds its end",
    ask: `execFileSync("cat", { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] })`,
  },
  {
    name: "more output than a pipe holds",
    ask: `(printed("head -c 900000 /dev/zero | tr '\\\\0' x", "utf8") as any).length`,
  },
  {
    name: "the working folder may be named",
    ask: `execFileSync("pwd", { cwd: process.cwd(), encoding: "utf8" }) === process.cwd() + "\\n"`,
  },
  {
    name: "spawnSync tells how it ended and throws nothing",
    ask: `["echo out; echo err >&2", "exit 7", "kill -9 $$"].flatMap((s) => ["utf8", "buffer"].map((encoding: any) => pick(spawnSync("sh", sh(s), { encoding }), "status signal stdout stderr output error")))`,
  },
  {
    name: "execFile calls back",
    ask: `[await called((done) => execFile("echo", ["x"], done)), await called((done) => execFile("true", done)), await called((done) => execFile("true", {}, done))]`,
  },
  {
    name: "execFile in other encodings",
    ask: `await Promise.all(["buffer", null, "hex", "utf8"].map((encoding: any) => called((done) => execFile("echo", ["é"], { encoding }, done))))`,
  },
  {
    name: "execFile of a program that fails",
    ask: `await called((done) => execFile("sh", sh("echo out; echo err >&2; exit 3"), done), "name message code killed signal cmd")`,
  },
  {
    name: "execFile of a program that takes too long",
    ask: `await called((done) => execFile("sleep", ["30"], { timeout: 200 }, done))`,
  },
  {
    name: "execFile of a program that is killed",
    ask: `await called((done) => { const child = execFile("sleep", ["30"], done); setTimeout(() => child.kill(), 100); })`,
  },
  { name: "a program's whole life", ask: `await lived(spawn("echo", ["x"]))` },
  {
    name: "a program's whole life as text",
    ask: `await lived((() => { const child = spawn("sh", sh("printf é; exit 4")); child.stdout.setEncoding("utf8"); return child; })())`,
  },
  {
    name: "the end of a program that is killed",
    ask: `await lived((() => { const child = spawn("sleep", ["30"]); setTimeout(() => child.kill(), 100); return child; })())`,
  },
];

const EDGES: Question[] = [
  {
    name: "a promise of execFile has both outputs",
    ask: `[await promisify(execFile)("sh", sh("echo out; echo err >&2")), await promisify(execFile)("true"), await promisify(cp.execFile)("echo", ["x"], { encoding: "buffer" })]`,
  },
  {
    name: "a promise of execFile rejects with both outputs",
    ask: `await refusedWith(promisify(execFile)("sh", sh("echo out; echo err >&2; exit 3")), "code killed signal cmd stdout stderr")`,
  },
  {
    name: "a program that is not there is ENOENT",
    ask: `[failed(() => execFileSync("no-such-program", []), "code errno syscall path spawnargs status"), pick(spawnSync("no-such-program", []), "status error"), await called((done) => execFile("no-such-program", [], done), "code errno syscall path spawnargs cmd"), (await lived(spawn("no-such-program", [])) as any).error]`,
  },
  {
    name: "a program that is not there is a shell's to tell",
    ask: `[failed(() => execSync("no-such-program a", { stdio: "pipe" }), "code errno status signal stderr"), pick(spawnSync("no-such-program", ["a"], { shell: true }), "status signal stderr error"), await called((done) => exec("no-such-program a", done), "code killed signal cmd"), (await lived(spawn("no-such-program", [], { shell: true })) as any).code]`,
  },
  {
    name: "a program that must not be run is EACCES",
    ask: `failed(() => execFileSync("/etc/passwd", []), "code errno syscall path")`,
  },
  {
    name: "a program that takes too long is ETIMEDOUT where it is waited for",
    ask: `[failed(() => execFileSync("sleep", ["30"], { timeout: 200, stdio: "pipe" }), "code status signal"), pick(spawnSync("sleep", ["30"], { timeout: 200 }), "error status signal")]`,
  },
  {
    name: "a signal aborts with an AbortError",
    ask: `[await called((done) => execFile("sleep", ["30"], { signal: AbortSignal.timeout(100) }, done), "name code"), await refusedWith(promisify(execFile)("sleep", ["30"], { signal: AbortSignal.timeout(100) }), "name code"), await lived(spawn("sleep", ["30"], { signal: AbortSignal.timeout(100) }))]`,
  },
  {
    name: "what is heard of a program that is aborted",
    ask: `await heard(spawn("sleep", ["30"], { signal: AbortSignal.timeout(100) }))`,
  },
  {
    name: "a program that is aborted as it is spawned fails once",
    ask: `await within(() => new Promise((done) => { const abort = new AbortController(); const errors: any[] = []; const child = spawn("sleep", ["30"], { signal: abort.signal }); child.on("error", (error: any) => errors.push([error.name, error.code, error.cause])); child.on("close", (...how: any[]) => done([errors, how])); abort.abort("why"); }))`,
  },
  {
    name: "who waits for the end of a program that failed hears of it",
    ask: `await within(async () => { const child = spawn("sleep", ["30"], { signal: AbortSignal.timeout(100) }); await once(child, "spawn"); const failure = await once(child, "exit").catch((error) => error.name); return [failure, await once(child, "close")]; })`,
  },
  {
    name: "a signal that was aborted before starts nothing",
    ask: `(printed("rm -f started"), [await called((done) => execFile("sh", sh("sleep 0.3; echo > started"), { signal: AbortSignal.abort() }, done), "name code"), await pause(1000), printed("ls | grep -c started || true", "utf8")])`,
  },
  {
    name: "exit codes above 128 are exit codes",
    ask: `[130, 137, 143].map((code) => failed(() => execFileSync("sh", sh("exit " + code), { stdio: "pipe" }), "status signal"))`,
  },
  {
    name: "every signal has its name",
    ask: `["HUP", "USR1", "QUIT"].map((s) => failed(() => execFileSync("sh", sh("kill -" + s + " $$"), { stdio: "pipe" }), "status signal"))`,
  },
  {
    name: "bytes that are no text come through",
    ask: `[printed("printf '\\\\377\\\\000\\\\376'"), printed("printf '\\\\377'", "latin1")]`,
  },
  {
    name: "the working folder under its other names",
    ask: `[".", "./", new URL("file://" + process.cwd())].map((cwd: any) => caught(() => execFileSync("pwd", { cwd, encoding: "utf8" }) === process.cwd() + "\\n"))`,
  },
  {
    name: "arguments of the wrong type",
    ask: `[() => execFileSync(5 as any), () => execFileSync(""), () => execFileSync("echo", "x" as any), () => execFileSync("echo", 5 as any), () => execFileSync("echo", [], { timeout: "5" as any }), () => execFileSync("echo", [], { timeout: -1 }), () => execFileSync("echo", [], { encoding: "nope" as any }), () => spawn(undefined as any), () => spawnSync(5 as any), () => spawnSync("echo", "x" as any)].map(caught)`,
  },
  {
    name: "a program is killed by the signal that is named",
    ask: `await lived((() => { const child = spawn("sleep", ["30"]); setTimeout(() => child.kill("SIGKILL"), 100); return child; })())`,
  },
  {
    name: "a program that has ended cannot be killed",
    ask: `await (async () => { const child = spawn("true"); await new Promise((done) => child.on("close", done)); return [child.kill(), child.killed]; })()`,
  },
  {
    name: "a program says when it has started",
    ask: `await within(() => new Promise((done) => spawn("true").on("spawn", () => done("started"))), 2000)`,
  },
  {
    name: "output is walked through",
    ask: `await within(async () => { let all = ""; for await (const part of spawn("echo", ["x"]).stdout) all += part; return all; })`,
  },
];

const unavailable = error("Error", "ERR_FEATURE_UNAVAILABLE_ON_PLATFORM");
const refused = error("Error", "NOT_GRANTED");
const DIFFERENT: Question[] = [
  {
    name: "shells and other folders",
    ask: `[() => cp.execSync("echo x", { shell: "/bin/bash" }), () => execFileSync("pwd", { cwd: "/" }), () => spawn("pwd", [], { cwd: "/" })].map((act) => { const made = caught(act); return made instanceof Error ? made : "made"; })`,
    differs: {
      reason: "another shell is refused, and a folder that is not granted",
      cordon: [unavailable, refused, "made"],
    },
  },
  {
    name: "arguments with a null character or a line's end",
    ask: `[["a\\0b"], ["a\\nb"]].map((args) => caught(() => execFileSync("echo", args)))`,
    differs: { reason: "no value of a granted parameter has them", cordon: [refused, refused] },
  },
  {
    name: "the environment of a program",
    ask: `execFileSync("sh", sh("echo [$FOO]"), { env: { FOO: "bar", PATH: "/usr/bin:/bin" }, encoding: "utf8" })`,
    differs: { reason: "a grant names what a hook may set", cordon: { threw: refused } },
  },
  {
    name: "a bound of the hook's own for output",
    ask: `caught(() => execFileSync("echo", ["1234567890"], { maxBuffer: 5, encoding: "utf8", stdio: "pipe" }))`,
    differs: { reason: "the bound is the grant's", cordon: "1234567890\n" },
  },
  {
    name: "output that is not asked for",
    ask: `execFileSync("echo", ["x"], { stdio: "ignore", encoding: "utf8" })`,
    differs: { reason: "it is always caught", cordon: "x\n" },
  },
  {
    name: "the number of a program",
    ask: `(() => { const child = spawn("true"); child.stdin.end(); return [child.pid, spawnSync("true").pid].map((pid) => Number.isInteger(pid) && pid > 0); })()`,
  },
  {
    name: "that number beside those of processes",
    ask: `(() => { const child = spawn("true"); child.stdin.end(); return [child.pid > 4194304, spawnSync("true").pid > 4194304]; })()`,
    differs: { reason: "the host's processes are not a hook's to know", cordon: [true, true] },
  },
  {
    name: "the events of a program, in their order",
    ask: `new Promise((done) => { const seen = []; const child = spawn("echo", ["x"]); child.stdin.end(); for (const name of ["spawn", "exit", "close", "error"]) child.on(name, () => { seen.push(name); if (name === "close" || name === "error") done(seen); }); })`,
  },
  {
    name: "a program that is ended by its number",
    ask: `new Promise((done) => { const child = spawn("sleep", ["30"], { stdio: "ignore" }); child.on("spawn", () => { const is = process.kill(child.pid, 0); const ends = process.kill(child.pid, "SIGTERM"); child.on("close", (code, signal) => done([is, ends, code, signal])); }); })`,
  },
  {
    name: "a program that has ended, by its number",
    ask: `new Promise((done) => { const child = spawn("true", { stdio: "ignore" }); child.on("close", () => { try { process.kill(child.pid, 0); done("it runs"); } catch (error) { done(error.code === "ESRCH" || error.code === "EPERM"); } }); })`,
  },
  {
    name: "the input of a program",
    ask: `await within(() => new Promise((done) => { const child = spawn("true"); child.on("error", done); child.on("close", done); child.stdin.on("error", () => {}); child.stdin.end("x"); }))`,
    differs: { reason: "its grant does not say that it may be written to", cordon: refused },
  },
  {
    name: "what is heard of a program that is not there",
    ask: `await heard(spawn("no-such-program", []))`,
    differs: {
      reason: "that is known after the turn in which it is said to run",
      cordon: [["spawn"], ["error", "Error"], ["exit", -2, null], ["close", -2, null]],
    },
  },
  {
    name: "what is heard of a program that was not granted",
    ask: `await heard(spawn("ls", ["/"]))`,
    differs: {
      reason: "it does not run",
      cordon: [["spawn"], ["error", "Error"], ["exit", -1, null], ["close", -1, null]],
    },
  },
  {
    name: "what an error of execFileSync says besides",
    ask: `failed(() => execFileSync("false", { stdio: "pipe" }), "code killed cmd")`,
    differs: { reason: "the same as an error of execFile", cordon: { code: 1, killed: false, cmd: "false" } },
  },
];

const any = (program: string, ...args: (string | { kind: "int" } | { kind: "text" } | { rest: "text" })[]) => ({
  program,
  args,
  fullAccess: true,
});

besideNode("node:child_process in a hook and in Node", {
  top: TOP,
  questions: [...USUAL, ...EDGES, ...DIFFERENT],
  powers: {
    exec: [
      ...["git rev-parse HEAD", "git rev-parse --verify nowhere", "true", "false", "cat", "pwd"].map((line) => {
        const [program = "", ...args] = line.split(" ");
        return { program, args };
      }),
      { program: "echo", args: [{ rest: "text" }] },
      any("sh", "-c", { kind: "text" }),
      any("printf", { rest: "text" }),
      any("sleep", { kind: "int" }),
      any("no-such-program"),
      any("/etc/passwd"),
    ],
  },
  prepare: (cwd) => {
    const git = (...args: string[]) =>
      execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd });
    git("init", "-q");
    git("commit", "-q", "--allow-empty", "-m", "first");
  },
});
