import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { expect, onTestFinished, vi } from "vitest";
import type { ExecGrant } from "../../src/powers/exec-grant.ts";
import { startSession, temporaryFolder, writeFiles } from "../support/session.ts";

/**
 * A command line. `{W}` stands for the world's folder and `{MARKER}` for a program in it that is granted to no hook:
 * it leaves the file `mark`.
 */
export type Line = readonly [program: string, ...args: string[]];

/** One way to make a granted command run the marker, and the closest command that is granted. */
export interface ExecAttack {
  name: string;
  /** Programs that the attack needs, besides the first word of `line`. */
  needs?: readonly string[];
  /** Creates the world's files besides `a.txt` in `proj`, where the session works. */
  lay?(world: string): void;
  /** The agent's own environment. The unguarded line gets it, too, unless `unguarded` has one of its own. */
  env?: Record<string, string>;
  /** What the agent changes after the granted program ran in the session. */
  swap?(world: string): void;
  /** Needs a host of its own: it may end it. */
  alone?: boolean;
  grant: ExecGrant;
  /** Leaves the mark without a guard: the attack's effect. */
  line: Line;
  /** How it is run there. */
  unguarded?: { shell?: boolean; cwd?: string; env?: Record<string, string> };
  /** What the hook does, with `exec`, `cp` (node:child_process), `W` and `MARKER` in scope. Without it: runs `line`. */
  body?: string;
  /** Its outcome, as `outcome` below returns it. */
  refusal: RegExp;
  works: { line?: Line; body?: string; gives: RegExp; grant?: ExecGrant };
}

export const NOT_GRANTED = /^NOT_GRANTED: /;
/** The grant itself is refused: no such hook ever starts. */
export const BAD_GRANT = /^BAD_GRANT: .*needs .*"fullAccess": true/;
const isAtGrant = ({ refusal }: ExecAttack): boolean => refusal.source.startsWith("^BAD_GRANT");

/** The original environment: an attack must not affect the code that creates a world. */
const PLAIN_ENV = { ...process.env };
/** A person's own settings must not matter. */
const personless = (world: string) => ({ HOME: join(world, "home"), XDG_CONFIG_HOME: join(world, "home") });

/** Runs a program while a world is created. */
export function run(cwd: string, program: string, ...args: string[]): string {
  const env = { ...PLAIN_ENV, ...personless(join(cwd, "nobody")) };
  return execFileSync(program, args, { cwd, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

/** A program of the agent's that leaves the mark or prints something. */
export function program(path: string, does: string): void {
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, `#!/bin/sh\n${does}\n`);
  chmodSync(path, 0o755);
}

export const marks = (world: string): string => `: > '${join(world, "mark")}'`;

function build(world: string, lay?: (world: string) => void): void {
  for (const name of readdirSync(world)) rmSync(join(world, name), { recursive: true });
  writeFiles(world, { "proj/a.txt": "one\n", "home/.keep": "" });
  program(join(world, "marker"), marks(world));
  lay?.(world);
}

const hasMark = (world: string): boolean => existsSync(join(world, "mark"));

const filled = <T>(value: T, world: string): T =>
  JSON.parse(JSON.stringify(value).replaceAll("{MARKER}", join(world, "marker")).replaceAll("{W}", world));

/** Programs of an attack that this machine lacks. */
export function missing({ needs = [], line, env }: ExecAttack): string[] {
  // The world has a folder of its own on PATH.
  if (env?.PATH) return [];
  const folders = (process.env.PATH ?? "").split(delimiter);
  return [line[0], ...needs].filter((name) => !/[/{ ]/.test(name) && !folders.some((at) => existsSync(join(at, name))));
}

/** True if the bare command line leaves the mark, in a folder of its own. */
function isReal(attack: ExecAttack): boolean {
  const world = temporaryFolder();
  build(world, attack.lay);
  attack.swap?.(world);
  const [name, ...args] = filled(attack.line, world);
  const { shell = false, cwd = "{W}/proj", env = attack.env ?? {} } = attack.unguarded ?? {};
  spawnSync(shell ? [name, ...args].join(" ") : name, shell ? [] : args, {
    cwd: filled(cwd, world),
    shell,
    env: { ...PLAIN_ENV, ...personless(world), ...filled(env, world) },
    stdio: "ignore",
    timeout: 30_000,
  });
  return hasMark(world);
}

const bodyOf = (body: string | undefined, line: Line | undefined): string =>
  body ?? `return exec(${JSON.stringify(line?.[0])}, ${JSON.stringify(line?.slice(1))});`;

/** A hook that runs each of these on demand and returns the outcome: `CODE: message`, `0 stdout stderr`, or a text. */
const source = (bodies: Record<string, string>, world: string): string => `
import * as cp from "node:child_process";
const [W, MARKER] = ${JSON.stringify([world, join(world, "marker")])};
const tries: Record<string, (exec: any, cp: any) => Promise<any>> = {
${Object.entries(bodies)
  .map(([name, body]) => `${JSON.stringify(name)}: async (exec, cp) => {\n${filled({ body }, world).body}\n},`)
  .join("\n")}
};
const outcome = async (name: string, exec: any) => {
  try {
    const told = await tries[name](exec, cp);
    return typeof told === "string" ? told : told.code + " " + told.stdout + told.stderr;
  } catch (error: any) {
    return (error?.code ?? error?.name) + ": " + error?.message;
  }
};
export default function (pi: any) {
  pi.on("tool_call", async (event: any, ctx: any) => {
    if (event.input.name in tries) return { block: true, reason: await outcome(event.input.name, ctx.exec) };
  });
}
`;

/** One host for all attempts. Attempts share a hook if their grants are equal, or have no program in common. */
async function startTries(world: string, tries: readonly { name: string; grant: ExecGrant; body: string }[]) {
  const hooks: { exec: ExecGrant; grants: Set<string>; bodies: Record<string, string> }[] = [];
  for (const { name, grant, body } of tries) {
    const exec = filled(grant, world);
    const key = JSON.stringify(exec);
    const isFree = (hook: { exec: ExecGrant }) =>
      exec.every(({ program }) => hook.exec.every((entry) => entry.program !== program));
    let hook = hooks.find(({ grants }) => grants.has(key)) ?? hooks.find(isFree);
    if (!hook) {
      hook = { exec: [], grants: new Set(), bodies: {} };
      hooks.push(hook);
    }
    if (!hook.grants.has(key)) hook.exec = [...hook.exec, ...exec];
    hook.grants.add(key);
    hook.bodies[name] = body;
  }
  const sources = hooks.map(({ exec, bodies }, at) => [
    `hook-${at}`,
    {
      source: source(bodies, world),
      grant: { capabilities: { events: { see: ["*"], block: true }, exec } },
    },
  ]);
  const { call, host } = await startSession(Object.fromEntries(sources), { cwd: join(world, "proj") });
  const ask = async (name: string): Promise<string> => {
    const verdict = await call({ name });
    return verdict && "reason" in verdict ? verdict.reason : "no answer";
  };
  return { ask, close: () => host.close() };
}

/** Why a host does not start with a grant, if it does not. */
const faultAtGrant = (world: string, grant: ExecGrant): Promise<string> =>
  startTries(world, [{ name: "x", grant, body: 'return "x";' }]).then(
    ({ close }) => close().then(() => "accepted"),
    ({ code, message }) => `${code}: ${message}`,
  );

const works = ({ works, grant, name }: ExecAttack) => ({
  name: `${name}: works`,
  grant: works.grant ?? grant,
  body: bodyOf(works.body, works.line),
});
const attempt = ({ name, grant, body, line }: ExecAttack) => ({ name, grant, body: bodyOf(body, line) });

/**
 * Shows of each attack that it is real, that the closest granted act works and leaves no mark, and that the attack is
 * refused and leaves no mark either.
 */
export async function attemptAll(attacks: readonly ExecAttack[]): Promise<void> {
  const world = temporaryFolder();
  build(world);
  for (const [key, value] of Object.entries(personless(world))) vi.stubEnv(key, value);
  onTestFinished(() => void vi.unstubAllEnvs());

  const shared = new Map<string, { ask(name: string): Promise<string> }>();
  const isShared = ({ alone, swap }: ExecAttack) => !alone && !swap;
  for (const attack of attacks) {
    const { name, lay, env = {}, swap, refusal } = attack;
    expect.soft(isReal(attack), `${name}: leaves the mark where nothing guards`).toBe(true);
    build(world, lay);
    for (const [key, value] of Object.entries(filled(env, world))) vi.stubEnv(key, value);
    const key = isShared(attack) ? JSON.stringify(env) : name;
    const group = isShared(attack)
      ? attacks.filter((one) => isShared(one) && JSON.stringify(one.env ?? {}) === key)
      : [attack];
    const tries = [...group.map(works), ...group.filter((one) => !isAtGrant(one)).map(attempt)];
    const { ask } = shared.get(key) ?? (await startTries(world, tries));
    shared.set(key, { ask });
    expect.soft(await ask(`${name}: works`), `${name}: works`).toMatch(attack.works.gives);
    expect.soft(hasMark(world), `${name}: works, and leaves no mark`).toBe(false);
    if (!swap) build(world, lay);
    swap?.(world);
    const told = isAtGrant(attack) ? await faultAtGrant(world, attack.grant) : await ask(name);
    expect.soft(told, name).toMatch(refusal);
    expect.soft(hasMark(world), `${name}: the marker ran, and the hook was told: ${told}`).toBe(false);
    for (const key of Object.keys(env)) vi.stubEnv(key, PLAIN_ENV[key]);
  }
}

/** Grants of these attacks that need the word `fullAccess` are refused without it: tried with one of each program. */
export async function withoutTheWord(attacks: readonly ExecAttack[]): Promise<void> {
  const world = temporaryFolder();
  build(world);
  const grants = attacks.flatMap((attack) => [isAtGrant(attack) ? [] : attack.grant, attack.works.grant ?? []]).flat();
  const bare = new Map(
    grants
      .filter(({ fullAccess }) => fullAccess)
      .map(({ fullAccess: _, ...entry }) => [entry.program === "git" ? `git ${entry.args[0]}` : entry.program, entry]),
  );
  expect(bare.size).toBeGreaterThan(0);
  for (const [key, entry] of bare) expect.soft(await faultAtGrant(world, [entry]), key).toMatch(BAD_GRANT);
}
