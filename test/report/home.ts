import { execFileSync } from "node:child_process";
import { hash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AuditFact } from "../../src/audit/line.ts";
import { PACKAGE_ROOT } from "../../src/base/package-root.ts";

/** What is on record at a time. `day`: of the file, if not that of the time. */
export type Past = AuditFact & { time: string; day?: string; monitor?: true };

/** Writes a record as hosts would have, with its chain. Returns the hash of its last line. */
export function writeRecord(home: string, past: Iterable<Past>): string {
  const days = new Map<string, string[]>();
  let prev = hash("sha256", "");
  let seq = 0;
  for (const { time, day = time.slice(0, 10), ...fact } of past) {
    const line = JSON.stringify({ seq: ++seq, time, ...fact, prev });
    const lines = days.get(day) ?? [];
    lines.push(line);
    days.set(day, lines);
    prev = hash("sha256", line);
  }
  mkdirSync(join(home, "audit"), { recursive: true });
  for (const [day, lines] of days) writeFileSync(join(home, "audit", `${day}.jsonl`), `${lines.join("\n")}\n`);
  return prev;
}

/** An installed hook in a lock, as `cordon add` leaves it. */
export const locked = (name: string, more: object = {}): object => ({
  version: "1.2.0",
  source: `npm:${name}`,
  integrity: "sha512-AAAA",
  digest: `sha256-${"a".repeat(64)}`,
  requested: {},
  provenance: "attested",
  package: name,
  file: "index.ts",
  ...more,
});

interface Entries {
  lock?: Record<string, object>;
  grants?: Record<string, object>;
}

/** Writes the user's lock and grants. */
function writeEntries(home: string, { lock = {}, grants = {} }: Entries): void {
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, "hooks.lock"), JSON.stringify({ version: 1, hooks: lock }));
  writeFileSync(join(home, "grants.json"), JSON.stringify({ version: 1, hooks: grants }));
}

const GATE = "commit-gate";
const STASH = "@tools/checkpoint";
const READER = "doc-reader";
const CHATTY = "chatty";

/** Writes such a home, and returns the page that the built command makes of it. */
export function usualPage(folder: string): string {
  const home = join(folder, "home");
  writeUsualHome(home);
  const env = { ...process.env, CORDON_HOME: home, PI_CODING_AGENT_DIR: join(folder, "agent") };
  execFileSync(process.execPath, [join(PACKAGE_ROOT, "dist", "src", "cli", "start.js"), "report"], {
    cwd: folder,
    env,
  });
  return readFileSync(join(home, "reports", "report.html"), "utf8");
}

/** A home after two weeks of work with four hooks. */
export function writeUsualHome(home: string, today = new Date("2026-11-20T00:00:00Z")): void {
  const digest = `sha256-${"a".repeat(64)}`;
  const grantedAt = "2026-11-01T09:00:00.000Z";
  const exec = [
    { program: "git", args: ["stash", "create"] },
    { program: "git", args: ["stash", "apply", { kind: "sha" }] },
  ];
  writeEntries(home, {
    lock: {
      [GATE]: locked(GATE, { publisher: "ann", builder: "github.com/ann/commit-gate" }),
      [STASH]: locked(STASH, { requested: { exec, send: { perMinute: 6 } }, provenance: "signed" }),
      [READER]: locked(READER, { provenance: "none", pending: { version: "2.0.0", wider: ["net: {}"] } }),
      [CHATTY]: locked(CHATTY, { requested: { net: { connect: ["api.example.com:443"] } } }),
    },
    grants: {
      [GATE]: { digest, grantedAt, by: "user", capabilities: { ui: ["notify", "select"] } },
      [STASH]: { digest, grantedAt, by: "user", capabilities: { exec } },
      [READER]: {
        ...{ digest, grantedAt, by: "user" },
        capabilities: { fs: { read: ["$CWD/**"] }, net: { connect: ["docs.example.com:443"] }, env: ["CI"] },
      },
      [CHATTY]: { digest, grantedAt, by: "user", capabilities: { ui: ["notify"], send: { perMinute: 3 } } },
    },
  });
  writeRecord(home, usualPast(today));
}

function* usualPast(today: Date): Generator<Past> {
  for (let ago = 13; ago >= 0; ago--) {
    const day = new Date(today.getTime() - ago * 86_400_000).toISOString().slice(0, 10);
    let minute = 0;
    const at = (fact: AuditFact): Past => {
      const time = `${day}T${String(9 + Math.floor(minute / 60)).padStart(2, "0")}:${String(minute % 60).padStart(2, "0")}:07.120Z`;
      minute += 2;
      return { time, ...fact };
    };
    if (ago % 6 === 5) continue;
    yield at({ hook: "", event: "start", value: "pi 0.87.1", outcome: "started" });
    for (const hook of [GATE, STASH, READER, CHATTY]) yield at({ hook, event: "load", outcome: "built" });
    for (let call = 0; call < 6 + ((ago * 7) % 11); call++) {
      const tool = call % 3 === 0 ? "read" : "bash";
      for (const hook of [GATE, STASH]) yield at({ hook, event: "tool_call", value: tool, outcome: "pass" });
      yield at({ hook: STASH, event: "tool_call", capability: "exec", value: "git stash create", outcome: "allowed" });
      yield at({
        hook: READER,
        event: "tool_call",
        capability: "fs.read",
        value: "read ~/work/docs/guide.md",
        outcome: "allowed",
      });
    }
    if (ago % 4 === 0) {
      const value = "bash: commits need a message that names an issue";
      yield at({
        hook: GATE,
        event: "tool_call",
        capability: "ui.select",
        value: "Commit anyway?",
        outcome: "allowed",
      });
      yield at({ hook: GATE, event: "tool_call", value, outcome: "block" });
    }
    if (ago === 2)
      yield at({ hook: CHATTY, capability: "net.connect", value: "api.example.com:443", outcome: "NOT_GRANTED" });
    if (ago === 2)
      yield at({
        hook: CHATTY,
        capability: "net.connect",
        value: "api.example.com:443",
        outcome: "NOT_GRANTED (11 times more)",
      });
    if (ago === 0) {
      yield at({ hook: READER, event: "tool_result", value: "read", outcome: "rewrite" });
      yield at({
        hook: CHATTY,
        event: "crash",
        value: "it used more than 1000 ms of processor time",
        outcome: "CPU_EXCEEDED",
      });
      yield at({ hook: CHATTY, event: "crash", value: "", outcome: "restarted" });
    }
  }
}
