type Flood = readonly [name: string, body: string];
const each = (floods: readonly Flood[], repeat: (act: string) => string): Flood[] =>
  floods.map(([name, act]) => [name, repeat(act)]);

/** What a hook without any power can do without limit: a name, and the body of a handler that repeats it for a while. */
export const FLOODS: readonly Flood[] = [
  // Requests that are refused.
  ...each(
    [
      ["mkdir of two thousand folders", `fs.mkdirSync("a/".repeat(2040), { recursive: true })`],
      ["mkdir of a path at the limit", `fs.mkdirSync("ab/".repeat(1365), { recursive: true })`],
      ["exists of a new path each time", `fs.existsSync("/x/" + at)`],
      ["exists of one path", `fs.existsSync("/etc/passwd")`],
      ["reads of a new path each time", `fs.readFileSync("/x/" + at)`],
      ["reads of the longest paths", `fs.readFileSync("/" + "x/".repeat(2000) + at)`],
      ["reads of paths with a hundred names", `fs.readFileSync("/x".repeat(99) + at)`],
      ["reads of paths full of ..", `fs.readFileSync("../".repeat(1000) + at)`],
      ["reads of patterns", `fs.readFileSync("{a,b}/".repeat(100) + "*".repeat(50))`],
      ["writes of a megabyte", `fs.writeFileSync("/x/" + at, big)`],
      ["writes of five megabytes", `fs.writeFileSync("/x/" + at, big.repeat(5))`],
      ["appends of a megabyte", `fs.appendFileSync("/x", big)`],
      ["renames", `fs.renameSync("/x/" + at, "/y/" + at)`],
      ["lists of folders", `fs.readdirSync("/x/" + at, { recursive: true })`],
      ["temporary folders", `fs.mkdtempSync("/tmp/x" + at)`],
      ["removals", `fs.rmSync("/x/" + at, { recursive: true, force: true })`],
      ["links", `fs.symlinkSync("/x/" + at, "/y/" + at)`],
      ["stats", `fs.statSync("/x/" + at)`],
      ["modes", `fs.chmodSync("/x/" + at, 0o777)`],
      ["real paths", `fs.realpathSync("/x/" + at)`],
      ["copies", `fs.copyFileSync("/x/" + at, "/y")`],
      ["programs", `cp.execFileSync("git", ["x" + at])`],
      ["programs with a thousand arguments", `cp.execFileSync("git", Array(999).fill("x".repeat(100)))`],
      ["programs with an argument of a megabyte", `cp.execFileSync("git", [big])`],
      [
        "programs with arguments that are not seen",
        `cp.execFileSync("x" + at, Array(980).fill("\\u2800".repeat(990)))`,
      ],
      ["programs with the longest names", `cp.execFileSync("x".repeat(4000) + at)`],
      ["variables", `process.env["X" + at]`],
      ["lists of variables", `Object.keys(process.env)`],
    ],
    sync,
  ),
  ...each(
    [
      ["calls of programs", `ctx.exec("git", ["x" + at])`],
      ["calls of a program with large arguments", `ctx.exec("git", Array(900).fill("y".repeat(1000)))`],
      ["connections", `fetch("http://x" + at + ".example/")`],
      ["connections to the longest addresses", `fetch("http://a.example/" + "x".repeat(8000) + at)`],
      ["requests with a megabyte", `fetch("http://a.example/", { method: "POST", body: big })`],
      [
        "requests with a hundred headers",
        `fetch("http://a.example/", { headers: Object.fromEntries(Array.from({ length: 100 }, (_, n) => ["x" + n, "y"])) })`,
      ],
      ["reads by promises", `fs.promises.readFile("/x/" + at)`],
      ["dialogs", `ctx.ui.select("x" + at, ["a", "b"])`],
      ["dialogs with two hundred large options", `ctx.ui.select("x", Array(200).fill("y".repeat(30000)))`],
      ["dialogs with options that are not seen", `ctx.ui.select("x", Array(108).fill("\\u2800".repeat(9000)))`],
      ["dialogs with a large title", `ctx.ui.confirm(big, big)`],
      ["questions with escape sequences", `ctx.ui.input("\\u001b[".repeat(100000))`],
    ],
    later,
  ),
  // Acts that need no power.
  ...each(
    [
      ["notices", `ctx.ui.notify("x" + at)`],
      ["notices of a megabyte", `ctx.ui.notify(big)`],
      ["notices of escape sequences", `ctx.ui.notify("\\u001b[".repeat(400000))`],
      ["notices of invisible characters", `ctx.ui.notify("\\u{e0100}\\u3164\\u202e".repeat(50000))`],
      ["notices of many lines", `ctx.ui.notify("\\n".repeat(500000))`],
      ["messages", `pi.send("x" + at)`],
      ["messages of a megabyte", `pi.send(big)`],
      ["messages with many empty objects", `pi.send("x", [Array(9000).fill({})])`],
      ["messages with deep attachments", `pi.send("x", [JSON.parse("[".repeat(60) + "]".repeat(60))])`],
      ["messages with a large attachment", `pi.send("x", [{ data: big }])`],
      ["lines of the log", `console.log("x" + at)`],
      ["long lines of the log", `console.log(big)`],
      ["errors outside of events", `setTimeout(() => { throw new Error(big); }, 0)`],
      ["unhandled rejections", `setTimeout(() => void Promise.reject(new Error("x" + at)), 0)`],
      ["registrations", `pi.on("turn_start", () => {})`],
      ["registrations for a new event each time", `pi.on("x" + at, () => {})`],
      ["random bytes", `crypto.getRandomValues(new Uint8Array(65536))`],
      ["timers", `setTimeout(() => {}, at % 50)`],
      [
        "signals that are aborted",
        `{ const stop = new AbortController(); void ctx.exec("git", [], { signal: stop.signal }).catch(() => {}); stop.abort(); }`,
      ],
      ["calls that bypass the modules", `host.sync("env.names", [])`],
      [
        "errors with large stacks",
        `(() => { const error = new Error("x"); error.stack = big; setTimeout(() => { throw error; }, 0); })()`,
      ],
      ["results that are dropped", `event.input["x" + at] = at`],
      ["changes of an event's name", `ctx.ui.notify("x", "y" + at)`],
    ],
    sync,
  ),
];

/** The same by a hook that may use the files in its folder: `big` has 64 MB, `five` five, and `many` is a folder of fifty thousand. */
export const FILE_FLOODS: readonly Flood[] = each(
  [
    ["copies of 64 MB", `fs.promises.copyFile("big", "copy" + at)`],
    ["reads of 5 MB", `fs.promises.readFile("five")`],
    ["reads of 5 MB of text", `fs.promises.readFile("text", "utf8")`],
    ["reads of 5 MB of text with many escapes", `fs.promises.readFile("quotes", "utf8")`],
    ["writes of five megabytes", `fs.promises.writeFile("out" + at, big.repeat(5))`],
    ["lists of fifty thousand files", `fs.promises.readdir("many")`],
    ["recursive lists", `fs.promises.readdir(".", { recursive: true })`],
    ["looks at a watched folder", `host.call("fs.look", ["many"])`],
    ["watches", `Promise.race([host.call("fs.changed", ["many", "x"]), new Promise((done) => setTimeout(done, 50))])`],
    [
      "removals of what was made",
      `fs.promises.mkdir("made/" + at + "/a/b/c", { recursive: true }).then(() => fs.promises.rm("made/" + at, { recursive: true }))`,
    ],
  ],
  later,
);

/** Repeats it for as long as a handler may run: the cost to the host must not depend on that time. */
function sync(act: string): string {
  return `for (let at = 0; at < 3000 && Date.now() < end; at++) { try { ${act}; } catch {} }`;
}

function later(act: string): string {
  return `const one = async (at: number) => { try { await ${act}; } catch {} };
    for (let at = 0; at < 3000 && Date.now() < end; at += 20) await Promise.all(Array.from({ length: 20 }, (_, n) => one(at + n)));`;
}

/** A hook with all these floods: `event.input.flood` selects one, which lasts 400 ms at most. */
const flooder = (all: readonly Flood[]): string => `
import fs from "node:fs";
import cp from "node:child_process";
const big = "x".repeat(1_000_000);
const host = (globalThis as any)[Symbol.for("cordon.host")];
export default function (pi: any) {
  pi.on("tool_call", async (event: any, ctx: any) => {
    const end = Date.now() + 400;
    await floods[event.input.flood](event, ctx, pi, end);
  });
}
const floods: any = [
${all.map(([, body]) => `  async (event: any, ctx: any, pi: any, end: number) => {\n${body}\n  },`).join("\n")}
];`;

export const FLOODER = flooder(FLOODS);
export const FILE_FLOODER = flooder(FILE_FLOODS);
