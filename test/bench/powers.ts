import { execFile } from "node:child_process";
import {
  appendFileSync,
  closeSync,
  constants,
  mkdirSync,
  openSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { HookHost } from "../../dist/src/index.js";
import { Audit } from "../../src/audit/audit.ts";
import { print, type Row, round, Times } from "./measure.ts";
import { startAsking } from "./rivals.ts";

/** Repeats the act that an event names, so that one round trip covers many uses. */
const HOOK = `
import { readFileSync } from "node:fs";
const ways = {
  nothing: async () => {},
  read: async () => void readFileSync("a.txt", "utf8"),
  denied: async () => { try { readFileSync("../secret.txt", "utf8"); } catch {} },
  exec: async (ctx) => void (await ctx.exec("true", [])),
  notify: async (ctx) => ctx.ui.notify("done"),
};
export default function (pi) {
  pi.on("tool_call", async (event, ctx) => {
    const way = ways[event.input.what];
    for (let left = event.input.times; left > 0; left--) await way(ctx);
  });
}
`;

const ROUNDS = 5;
/** Uses of a file with which a session begins. A child of a kind is slower at first: it touches new memory, and V8 learns. */
const FIRST_USES = 200;
/** Uses after which a child is as fast as it gets. */
const WARM_USES = 1000;
/** Sessions, each with children of its own: the cores that the scheduler chooses decide half of a question's time. */
const SESSIONS = 5;

/** Only a handle of a folder, no right to read it. */
const O_PATH = 0o10000000;

const USES = ["first", "read", "read-least", "denied", "denied-least", "exec", "notify"] as const;
type Use = (typeof USES)[number];
type Compared = Readonly<Record<Use, readonly [hook: Times, own: Times]>>;

/** The powers, each beside the same call of the host itself, and its audit line. */
export async function powers(folder: string): Promise<boolean> {
  const times = Object.fromEntries(USES.map((use) => [use, [new Times(), new Times()]])) as unknown as Compared;
  for (let session = 0; session < SESSIONS; session++) await oneSession(join(folder, `powers-${session}`), times);
  const itself = (what: string, [hook, own]: Compared[Use]): Row => ({
    what,
    value: `${round(hook.median)} µs`,
    beside: `${round(own.median, own.median < 10 ? 1 : 0)} µs the host itself`,
    ratio: hook.median / own.median,
  });
  const question = (what: string, [hook, own]: Compared[Use]): Row => ({
    ...itself(what, [hook, own]),
    beside: `${round(own.median)} µs a bare isolate's question, as it blocks its process`,
    goal: 2,
  });
  const least = (what: string, [hook, own]: Compared[Use], more: string): Row => ({
    ...itself(what, [hook, own]),
    beside: `${round(own.median)} µs that question, with its look at the path${more} and its line in the audit`,
  });
  const { goal: _, ...first } = question(
    `a granted readFileSync of 1 KB, the first ${FIRST_USES} of a session`,
    times.first,
  );
  return print("A hook's use of a power, with its check and its line in the audit", [
    first,
    question("the same, later", times.read),
    least("the same", times["read-least"], ", a file that no link replaces,"),
    question("the same, not granted", times.denied),
    least("the same, not granted", times["denied-least"], ""),
    itself("a granted exec of true", times.exec),
    itself("ui.notify", times.notify),
    auditLine(folder),
  ]);
}

/** Adds the times of a session's uses, and of what stands beside them, in turns. */
async function oneSession(folder: string, times: Compared): Promise<void> {
  const work = join(folder, "work");
  mkdirSync(work, { recursive: true });
  writeFileSync(join(work, "a.txt"), "x".repeat(1000));
  const path = join(folder, "uses.ts");
  writeFileSync(path, HOOK);
  let notified = 0;
  let heardAll: () => void = () => {};
  const host = await HookHost.start({
    cwd: work,
    home: join(folder, "home"),
    discover: false,
    // It would start beside the first figures, and take a core of theirs.
    spare: false,
    hasUI: true,
    ui: {
      select: async () => null,
      confirm: async () => false,
      input: async () => null,
      notify: () => {
        notified--;
        if (notified === 0) heardAll();
      },
    },
    hooks: [
      {
        path,
        grant: {
          capabilities: {
            events: { see: ["tool_call"], block: true },
            ui: ["notify"],
            exec: [{ program: "true", args: [] }],
            fs: { read: ["$CWD/**"] },
          },
        },
      },
    ],
    consent: () => "deny",
    log: () => {},
  });
  host.onError(() => {});

  const emit = async (what: string, count: number): Promise<void> => {
    const verdict = await host.emitToolCall({
      type: "tool_call",
      toolName: "bash",
      toolCallId: "1",
      input: { what, times: count },
    });
    if (verdict) throw new Error(JSON.stringify(verdict));
  };
  /** Adds microseconds of one use, and those of something that `own` does so often. */
  async function compare(
    use: Use,
    what: string,
    count: number,
    own: (count: number) => Promise<void>,
    turns = ROUNDS,
  ): Promise<void> {
    for (let turn = 0; turn < turns; turn++) {
      const heard = what === "notify" ? new Promise<void>((done) => (heardAll = done)) : undefined;
      notified = count;
      let started = performance.now();
      await emit(what, count);
      await heard;
      times[use][0].add(((performance.now() - started) * 1000) / count);
      started = performance.now();
      await own(count);
      times[use][1].add(((performance.now() - started) * 1000) / count);
    }
  }

  const file = join(work, "a.txt");
  const audit = new Audit(join(folder, "asking-home"), { report: (problem) => console.error(problem) });
  const use = { hook: path, event: "tool_call", capability: "fs.read", value: file };
  const bare = {
    granted: await startAsking(join(folder, "asking"), () => readFileSync(file, "utf8")),
    refused: await startAsking(join(folder, "refused"), () => "refused"),
    // Each looks where the path leads, and has its line in the audit before the answer. A link that comes into the way
    // after that look leads nowhere.
    grantedLeast: await startAsking(join(folder, "asking-least"), () => {
      if (realpathSync.native(file) !== file || !audit.write({ ...use, outcome: "granted" })) return undefined;
      const held = openSync(work, O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW);
      try {
        if (readlinkSync(`/proc/self/fd/${held}`) !== work) return undefined;
        const opened = openSync(`/proc/self/fd/${held}/a.txt`, constants.O_RDONLY | constants.O_NOFOLLOW);
        try {
          return readFileSync(opened, "utf8");
        } finally {
          closeSync(opened);
        }
      } finally {
        closeSync(held);
      }
    }),
    refusedLeast: await startAsking(join(folder, "refused-least"), () => {
      realpathSync.native(file);
      return audit.write({ ...use, outcome: "NOT_GRANTED" }) ? "refused" : undefined;
    }),
  };
  const run = promisify(execFile);
  const each = (act: () => Promise<unknown>) => async (count: number) => {
    for (let left = count; left > 0; left--) await act();
  };
  // Until it has answered, each still starts, on a core that the other needs.
  for (const { ask } of Object.values(bare)) await ask(1);
  await emit("nothing", 1);
  await compare("first", "read", FIRST_USES, bare.granted.ask, 1);
  await emit("read", WARM_USES - FIRST_USES);
  for (const { ask } of Object.values(bare)) await ask(WARM_USES);
  await compare("read", "read", 200, bare.granted.ask);
  await compare("read-least", "read", 200, bare.grantedLeast.ask);
  await compare("denied", "denied", 90, bare.refused.ask);
  await compare("denied-least", "denied", 90, bare.refusedLeast.ask);
  await compare(
    "exec",
    "exec",
    20,
    each(() => run("true", [])),
  );
  await compare("notify", "notify", 20, async () => {});
  for (const child of Object.values(bare)) await child.close();
  audit.close();
  await host.close();
}

function auditLine(folder: string) {
  const audit = new Audit(join(folder, "audit"), { report: () => {} });
  const fact = { hook: "/home/you/hooks/gate.ts", event: "tool_call", value: "bash", outcome: "pass" };
  const bare = join(folder, "bare.jsonl");
  const text = `${JSON.stringify({ seq: 1, time: new Date().toISOString(), ...fact, prev: "0".repeat(64) })}\n`;
  const [lines, appends] = [new Times(), new Times()];
  for (let turn = 0; turn < 2000; turn++) {
    let started = performance.now();
    audit.write(fact);
    lines.add((performance.now() - started) * 1000);
    started = performance.now();
    appendFileSync(bare, text);
    appends.add((performance.now() - started) * 1000);
  }
  audit.close();
  rmSync(bare);
  return {
    what: "a line of the audit, chained",
    value: `${round(lines.median, 1)} µs`,
    beside: `${round(appends.median, 1)} µs appendFileSync of its text`,
    ratio: lines.median / appends.median,
  };
}
