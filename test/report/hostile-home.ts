import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { FoundHook } from "../../src/report/describe-hook.ts";
import { makeReport, type Report } from "../../src/report/report.ts";
import type { LockEntry } from "../../src/store/hooks-lock.ts";
import { locked, type Past, writeRecord } from "./home.ts";

const NOW = new Date("2026-11-20T12:00:00Z");
const DIGEST = `sha256-${"b".repeat(64)}`;

/** A report in which every text that others choose is one of these. */
export async function reportOf(home: string, texts: readonly string[]): Promise<Report> {
  mkdirSync(home, { recursive: true });
  writeRecord(home, pastOf(texts));
  writeLast(home, texts);
  const { report } = await makeReport({ home, now: NOW, hooks: texts.flatMap(foundHooks), problems: texts });
  const faults = texts.map((text) => ({ at: text, fault: text }));
  return {
    ...report,
    home: texts[0] ?? "",
    record: { ...report.record, folder: texts[1] ?? "", head: texts[2] ?? "", faults, faultCount: faults.length },
    leftOut: [...texts],
  };
}

function* pastOf(texts: readonly string[]): Generator<Past> {
  const time = "2026-11-20T10:00:00.000Z";
  for (const text of texts) {
    yield { time, hook: "", event: "start", value: text, outcome: "started" };
    yield { time, hook: text, event: text, value: text, outcome: text };
    yield { time, hook: text, event: text, capability: text, value: text, outcome: "allowed" };
    yield { time, hook: text, event: "tool_call", value: text, outcome: "block" };
    yield { time, hook: `id ${text}`, event: "tool_call", capability: "fs.read", value: text, outcome: "NOT_GRANTED" };
    yield { day: "2026-11-20", time: text, hook: `id ${text}`, event: "tool_call", value: text, outcome: "pass" };
  }
}

function foundHooks(text: string): FoundHook[] {
  const capabilities = {
    fs: { read: [text] },
    env: [text],
    net: { connect: [text] },
    exec: [{ program: text, args: [text] }],
  };
  const pending = { version: text, wider: [text] };
  const entry = locked(text, {
    ...{ version: text, source: text, publisher: text, builder: text, file: text, pending },
    requested: { sqlite: [{ path: text }], model: [text] },
  }) as LockEntry;
  const grant = { digest: DIGEST, grantedAt: text, by: text, capabilities };
  return [
    {
      name: text,
      id: `id ${text}`,
      key: `key ${text}`,
      path: text,
      origin: { kind: "installed", folder: text, entry },
      grant,
    },
    {
      name: text,
      id: `own ${text}`,
      key: `own ${text}`,
      path: text,
      origin: { kind: "user", folder: text },
      grant: undefined,
    },
  ];
}

/** What the last report showed, as somebody may have written it. */
function writeLast(home: string, texts: readonly string[]): void {
  const shown = (text: string) => ({
    ...{ name: text, origin: text, source: text, version: text, digest: text, state: text },
    ...{ granted: { [text]: text, fs: text }, used: [text], refused: [text] },
  });
  const hooks = Object.fromEntries(
    texts.flatMap((text) => [
      [`key ${text}`, shown(text)],
      [`gone ${text}`, shown(text)],
    ]),
  );
  mkdirSync(join(home, "reports"));
  const last = { version: 1, time: "2026-11-19T10:00:00.000Z", lines: 0, head: "0".repeat(64), hooks };
  writeFileSync(join(home, "reports", "last.json"), JSON.stringify(last));
}
