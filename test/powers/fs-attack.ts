import { execFileSync } from "node:child_process";
import { linkSync, lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, symlinkSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import type { FsGrant } from "../../src/powers/fs-grant.ts";
import { startFacts } from "../guest/facts.ts";
import { temporaryFolder, writeFiles } from "../support/session.ts";

/** The content of every file of the world that no hook may read. */
export const SECRET = "top-secret-7c1f";

/** What a hook tries, as the body of its handler: `fs`, `fsp` and `W`, the world's folder, in scope. */
interface Try {
  body: string;
  /** The expected outcome: a matcher or a value. A refusal is `{ code }`. */
  answer?: unknown;
}

/** One way to reach a file without a grant, and the closest act that is granted. */
export interface FileAttack extends Try {
  name: string;
  /** Patterns may say `{W}` for the world's folder. */
  grant: FsGrant;
  /** Further files of the world: path to content. */
  files?: Record<string, string>;
  /** Links: path to target, which may say `{W}`. */
  links?: Record<string, string>;
  /** Second names of files: path to the first. */
  twins?: Record<string, string>;
  folders?: string[];
  pipes?: string[];
  sockets?: string[];
  /** `grant`, if it needs a different one to work. */
  works: Try & { answer: unknown; grant?: FsGrant };
}

const REFUSED = { code: "NOT_GRANTED" };
export const READ: FsGrant = { read: ["$CWD/**"] };
export const WRITE: FsGrant = { read: ["$CWD/**"], write: ["$CWD/**"] };
export const ALL: FsGrant = { ...WRITE, watch: ["$CWD/**"] };

/** The session works in `proj`. Nothing else is granted. */
const WORLD = {
  "proj/a.txt": "alpha",
  "proj/docs/b.txt": "beta",
  "proj/docs/deep/c.txt": "gamma",
  "proj/.env": SECRET,
  "proj/.git/config": SECRET,
  "proj/package.json": "{}",
  "proj-secret/note.txt": SECRET,
  "outside/note.txt": SECRET,
  "outside/dir/note.txt": SECRET,
};

async function build(world: string, attack: FileAttack): Promise<void> {
  const { files = {}, links = {}, twins = {}, folders = [], pipes = [], sockets = [] } = attack;
  for (const name of readdirSync(world)) rmSync(join(world, name), { recursive: true });
  writeFiles(world, { ...WORLD, ...files });
  for (const [path, target] of Object.entries(links)) symlinkSync(target.replace("{W}", world), join(world, path));
  for (const [path, first] of Object.entries(twins)) linkSync(join(world, first), join(world, path));
  for (const path of folders) mkdirSync(join(world, path));
  for (const path of pipes) execFileSync("mkfifo", [join(world, path)]);
  for (const path of sockets) {
    const server = createServer();
    await new Promise<void>((listening) => server.listen(join(world, path), listening));
    onTestFinished(() => void server.close());
  }
}

/** Path to mode and content, for everything in a folder. */
function contentOf(folder: string, prefix = ""): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of readdirSync(folder).sort()) {
    const path = join(folder, name);
    const status = lstatSync(path);
    const mode = status.mode.toString(8);
    if (status.isDirectory())
      Object.assign(found, { [`${prefix}${name}/`]: mode }, contentOf(path, `${prefix}${name}/`));
    else if (status.isSymbolicLink()) found[prefix + name] = `-> ${readlinkSync(path)}`;
    else found[prefix + name] = status.isFile() ? `${mode} ${readFileSync(path, "latin1")}` : mode;
  }
  return found;
}

const notOurs = (world: string) => [contentOf(join(world, "outside")), contentOf(join(world, "proj-secret"))];

/** One hook for all attempts with the same grant. */
async function startHook(world: string, grant: string, bodies: Record<string, string>) {
  const scope = `const fs: any = await import("node:fs");\nconst fsp: any = await import("node:fs/promises");\nconst W = ${JSON.stringify(world)};\n`;
  const patterns = JSON.parse(grant.replaceAll("{W}", world)) as FsGrant;
  return startFacts(Object.fromEntries(Object.entries(bodies).map(([name, body]) => [name, scope + body])), {
    cwd: join(world, "proj"),
    grant: { capabilities: { events: { see: ["*"], block: true }, fs: patterns } },
  });
}

/**
 * Tries each attack in a new world: it is refused, shows no secret and changes nothing. Then its harmless neighbour works,
 * and changes nothing outside.
 */
export async function attemptAll(attacks: readonly FileAttack[]): Promise<void> {
  const world = temporaryFolder();
  mkdirSync(join(world, "proj"));
  const bodies = new Map<string, Record<string, string>>();
  const add = (grant: FsGrant, name: string, body: string): string => {
    const key = JSON.stringify(grant);
    bodies.set(key, { ...bodies.get(key), [name]: body });
    return key;
  };
  const plan = attacks.map((attack) => {
    const { name, body, grant, works } = attack;
    return { attack, hook: add(grant, name, body), other: add(works.grant ?? grant, `${name}: works`, works.body) };
  });
  const hooks = new Map<string, Awaited<ReturnType<typeof startHook>>>();
  for (const [grant, all] of bodies) hooks.set(grant, await startHook(world, grant, all));
  const ask = (hook: string, fact: string) =>
    hooks
      .get(hook)
      ?.ask(fact)
      .catch((error: Error) => ({ failed: error.message }));

  for (const { attack, hook, other } of plan) {
    await build(world, attack);
    const [all, others] = [contentOf(world), notOurs(world)];
    const answer = await ask(hook, attack.name);
    expect.soft(JSON.stringify([answer, hooks.get(hook)?.errors]), attack.name).not.toContain(SECRET);
    if (attack.answer === undefined) expect.soft(answer, attack.name).toMatchObject(REFUSED);
    else expect.soft(answer, attack.name).toEqual(attack.answer);
    expect.soft(contentOf(world), attack.name).toEqual(all);
    expect.soft(await ask(other, `${attack.name}: works`), `${attack.name}: works`).toEqual(attack.works.answer);
    expect.soft(notOurs(world), attack.name).toEqual(others);
  }
}

export const failing = (code: string) => expect.objectContaining({ code });
