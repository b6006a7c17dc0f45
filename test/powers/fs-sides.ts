import * as nodeFs from "node:fs";
import { mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import * as nodePromises from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { startFacts } from "../guest/facts.ts";
import { temporaryFolder } from "../support/session.ts";
import { contentOf } from "./folder-content.ts";

/**
 * An expression that plain Node and a hook evaluate in folders with the same content, with `fs` and `fsp` in scope:
 * both give the same result. Or, if Cordon differs on purpose: the reason, and the result of each side.
 */
export type Case = string | Difference;

interface Difference {
  run: string;
  why: string;
  node: unknown;
  cordon: unknown;
}

export const runOf = (one: Case): string => (typeof one === "string" ? one : one.run);

interface Outcome {
  result: unknown;
  /** The changes in the folder: path to new content. */
  left: Record<string, string>;
}

/** Both sides evaluate this first: it turns results and errors into JSON, and a callback into a promise. */
const PRELUDE = `
const show = (value) => {
  if (value === undefined) return "undefined";
  if (value instanceof Error) {
    const { name, code, errno, syscall, path, dest, message } = value;
    return { name, code, errno, syscall, path, dest, message };
  }
  if (value instanceof Uint8Array) return "bytes " + Buffer.from(value).toString("hex");
  if (Array.isArray(value)) return value.map(show);
  return value;
};
const tried = async (act) => {
  try {
    return show(await act());
  } catch (error) {
    return show(error);
  }
};
const called = (start) =>
  new Promise((done) => start((...answer) => done(answer.map(show).filter((part) => part !== "undefined"))));
const kind = (entry) =>
  entry.isFile() ? "file" : entry.isDirectory() ? "folder" : entry.isSymbolicLink() ? "link" : "other";
const soon = (ms) => new Promise((done) => setTimeout(done, ms));
const watched = async (path, act, options = {}) => {
  const heard = new Set();
  const watcher = fs.watch(path, options, (type, name) => heard.add(type + " " + name));
  await soon(250);
  await act(watcher);
  for (let waits = 0; heard.size === 0 && waits < 100; waits++) await soon(50);
  await soon(300);
  watcher.close();
  return [...heard].sort();
};
const watchedFile = async (path, act) => {
  const heard = [];
  const listen = (now, before) => heard.push(before.size + " to " + now.size);
  fs.watchFile(path, { interval: 50 }, listen);
  await soon(250);
  await act(listen);
  await soon(400);
  fs.unwatchFile(path);
  return heard;
};
`;

/** The folder that each case starts from. */
function fill(work: string): void {
  rmSync(work, { recursive: true, force: true });
  mkdirSync(join(work, "dir", "sub"), { recursive: true });
  mkdirSync(join(work, "none"));
  writeFileSync(join(work, "a.txt"), "alpha\n");
  // A time with a fraction of a millisecond.
  utimesSync(join(work, "a.txt"), 1_700_000_000.1237, 1_700_000_000.1237);
  writeFileSync(join(work, "bytes"), Uint8Array.of(0, 255, 128, 10));
  writeFileSync(join(work, "dir", "b.txt"), "beta ä 😀");
  writeFileSync(join(work, "dir", "sub", "c.txt"), "gamma", { mode: 0o600 });
  writeFileSync(join(work, "tool.sh"), "#!/bin/sh\n", { mode: 0o755 });
  for (const [link, target] of Object.entries({
    file: "a.txt",
    folder: "dir",
    nowhere: "missing",
    loop: "to-loop",
    sub: "dir/sub",
  }))
    symlinkSync(target, join(work, `to-${link}`));
}

/** Parts of Node's messages that Cordon leaves out or words differently. */
const WORDINGS: { why: string; node: RegExp; cordon: string }[] = [
  { why: "a message does not repeat the value", node: / Received .*$/s, cordon: "" },
  {
    why: "the types of paths are not listed again",
    node: /a string, Uint8Array, or URL without null bytes/,
    cordon: "a string without null bytes",
  },
  { why: "messages do not mention the platform", node: / on linux$/, cordon: "" },
];

const inWordsOfCordon = (message: string): string =>
  WORDINGS.reduce((text, { node, cordon }) => text.replace(node, cordon), message);

/** Replaces the folder by `<work>` and random parts by `XXXXXX`, for either side. */
function outcomeOf(work: string, before: Record<string, string>, result: unknown): Outcome {
  const plain = (value: unknown) =>
    JSON.parse(
      JSON.stringify(value)
        .replaceAll(work, "<work>")
        .replace(/(temp-)[A-Za-z0-9]{6}/g, "$1XXXXXX"),
      (key, part) => (key === "message" ? inWordsOfCordon(part) : part),
    );
  const after = contentOf(work);
  const changed = [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((path) => before[path] !== after[path])
    .map((path) => [path, after[path] ?? "gone"]);
  return { result: plain(result ?? null), left: plain(Object.fromEntries(changed)) };
}

/** The result of plain Node. */
export async function inNode(runs: readonly string[]): Promise<Map<string, Outcome>> {
  const work = join(temporaryFolder(), "work");
  const home = process.cwd();
  const outcomes = new Map<string, Outcome>();
  try {
    for (const run of runs) {
      fill(work);
      process.chdir(work);
      const before = contentOf(work);
      const act = new Function("fs", "fsp", `${PRELUDE}\nreturn tried(async () => ${run});`);
      outcomes.set(run, outcomeOf(work, before, await act(nodeFs, nodePromises)));
    }
  } finally {
    process.chdir(home);
  }
  return outcomes;
}

/** The result in a hook with a grant for everything below its folder. */
export async function inCordon(runs: readonly string[]): Promise<Map<string, Outcome>> {
  const work = join(temporaryFolder(), "work");
  fill(work);
  const all = ["$CWD/**"];
  const { ask } = await startFacts(
    Object.fromEntries(
      runs.map((run) => [
        run,
        `const fs: any = await import("node:fs");\nconst fsp: any = await import("node:fs/promises");\n${PRELUDE}\nreturn tried(async () => ${run});`,
      ]),
    ),
    {
      cwd: work,
      grant: { capabilities: { events: { see: ["*"], block: true }, fs: { read: all, write: all, watch: all } } },
    },
  );
  const outcomes = new Map<string, Outcome>();
  for (const run of runs) {
    fill(work);
    const before = contentOf(work);
    outcomes.set(run, outcomeOf(work, before, await ask(run)));
  }
  return outcomes;
}

/** Expects the same result of both sides, except for the listed differences. */
export async function compare(cases: readonly Case[]): Promise<void> {
  const runs = cases.map(runOf);
  expect(new Set(runs).size).toBe(runs.length);
  const node = await inNode(runs);
  const cordon = await inCordon(runs);
  for (const one of cases) {
    const run = runOf(one);
    if (typeof one === "string") {
      expect.soft(cordon.get(run), run).toEqual(node.get(run));
      continue;
    }
    expect.soft(node.get(run), `Node: ${run}`).toMatchObject({ result: one.node });
    expect.soft(cordon.get(run), `Cordon, as ${one.why}: ${run}`).toMatchObject({ result: one.cordon });
  }
}
