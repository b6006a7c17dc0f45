/** A hook's own index is looked at in the agent's own process, whose other work waits meanwhile. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { expect, test } from "vitest";
import { startSession, writeFiles } from "../support/session.ts";

/** The source of an index's bytes, as a hook makes them. */
const INDEXES: [what: string, make: string, says: string][] = [
  [
    // In version 4, three bytes are a name like the one before but for its last letter.
    "names of megabytes",
    `const [long, count] = [2_000_000, 100];
     const head = () => { const b = Buffer.alloc(62, 1); b.writeUInt32BE(0o100644, 24); b.writeUInt16BE(0xfff, 60); return b; };
     const parts = [Buffer.from("DIRC\\0\\0\\0\\x04\\0\\0\\0\\x64", "latin1"), head(), Buffer.from([0]), Buffer.alloc(long, "a"), Buffer.from([0])];
     for (let at = 1; at < count; at++) parts.push(head(), Buffer.from([1, 97 + (at % 26), 0]));
     parts.push(Buffer.alloc(20));`,
    "a name has more than 4096 bytes",
  ],
  [
    "millions of parts",
    `const many = Buffer.alloc(4_000_000, "TREE\\0\\0\\0\\0");
     const parts = [Buffer.from("DIRC\\0\\0\\0\\x02\\0\\0\\0\\0", "latin1"), ...Array(15).fill(many), Buffer.alloc(20)];`,
    "it has a part TREE",
  ],
];

test.each(INDEXES)("an index of %s holds up no agent", async (_what, make, says) => {
  const source = `import { execFileSync } from "node:child_process";
    import { appendFileSync } from "node:fs";
    export default (pi: any) => pi.on("tool_call", (event: any, ctx: any) => {
      const index = ctx.cwd + "/own/index";
      ${make}
      for (const part of parts) appendFileSync(index, part);
      try { execFileSync("git", ["add", "x"], { encoding: "utf8", stdio: "pipe", env: { ...process.env, GIT_INDEX_FILE: index } }); return { block: true, reason: "done" }; }
      catch (error: any) { return { block: true, reason: error.stderr.slice(0, 500) }; }
    });`;
  const exec = [{ program: "git", args: ["add", "x"], env: { GIT_INDEX_FILE: "$CWD/own/index" } }];
  const events = { see: ["tool_call"], block: true };
  // To write it takes more than an event usually may: it could be written in several.
  const limits = { cpuMs: 20_000 };
  const grant = { capabilities: { events, fs: { write: ["$CWD/own/index"] }, exec }, limits };
  const session = await startSession({ keeper: { source, grant } });
  const work = join(session.folder, "work");
  writeFiles(work, { x: "x", "own/kept": "" });
  execFileSync("git", ["init", "-q"], { cwd: work });
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  const said = await session.call();
  delay.disable();
  expect(delay.max / 1e6).toBeLessThan(1000);
  expect(said).toMatchObject({ block: true, reason: expect.stringContaining(says) });
});
