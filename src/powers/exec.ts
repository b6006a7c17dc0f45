import { INDEX_VARIABLE } from "../../sandbox/wire/environment.ts";
import { CordonError } from "../base/errors.ts";
import { type Capability, type Circumstances, sealed } from "./capability.ts";
import { matchesArgs } from "./exec-arguments.ts";
import { childEnvironment } from "./exec-environment.ts";
import { folderFor, meansBelow, namedFolder } from "./exec-folder.ts";
import { isGit, runGit } from "./exec-git.ts";
import { namedVariables, withIndex } from "./exec-git-index.ts";
import {
  BOUNDS,
  boundOf,
  coversVariables,
  type ExecEntry,
  type ExecGrant,
  faultOf,
  fixedVariables,
} from "./exec-grant.ts";
import { Looked, staysInFolder, takesPaths } from "./exec-paths.ts";
import { holdPaths } from "./exec-running.ts";
import { readsFiles } from "./exec-shown-files.ts";
import { leadsTo, mayUnder } from "./fs-check.ts";
import type { Session } from "./lent-session.ts";
import { inputOf, openInput } from "./program-input.ts";
import { quoted, together } from "./quoted.ts";
import { runProgram } from "./run-program.ts";

interface Command {
  program: string;
  args: readonly string[];
  timeout: number | undefined;
  /** All that it reads. */
  input: Buffer | undefined;
  /** The number of what the hook writes to it. */
  stdin: number | undefined;
  /** It may write later, or never. Once the program runs with an open input, it counts as writing. */
  late: boolean;
  /** As the hook says it. */
  cwd: string | undefined;
  /** What the hook sets. */
  env: ReadonlyMap<string, string>;
}

interface Granted {
  readonly entry: ExecEntry;
  /** The folder that it runs in. */
  readonly folder: string;
  /** Its variables, with the file of an index of its own. */
  readonly env: Command["env"];
  readonly asked: Command;
}

/** Nothing of it needs a grant. */
const isPlain = (env: Command["env"]): boolean =>
  coversVariables({ program: "", args: [] }, env) && !env.has(INDEX_VARIABLE);

const writes = ({ input, stdin, late }: Command): boolean => input !== undefined || (stdin !== undefined && !late);

/** The first entry that covers a command, or one without input if the hook does not write yet. */
function granted(command: Command, grant: ExecGrant, session: Session, looked: Looked): Granted | undefined {
  for (const entry of grant) {
    if (entry.program !== command.program || (writes(command) && entry.stdin !== true)) continue;
    if (!matchesArgs(entry.args, command.args) || !coversVariables(entry, command.env)) continue;
    const folder = folderFor(entry, command.cwd, session);
    const env = withIndex(entry, command.env, session);
    if (folder !== undefined && env !== undefined && staysInFolder(entry, command.args, folder, looked))
      return { entry, folder, env, asked: command };
  }
  return undefined;
}

/** `isBlind`: as if there were no links. */
function proposed(command: Command, isBlind: boolean, session: Session): ExecGrant | undefined {
  const { program, args, cwd } = command;
  if (lengthOf(command) > MAX_PROPOSED) return undefined;
  const env = namedVariables(command.env, session);
  const folder = cwd === undefined ? undefined : namedFolder(cwd, isBlind, session);
  if (env === undefined || (folder !== undefined && meansBelow(folder))) return undefined;
  const pattern = args.map((arg): ExecEntry["args"][number] => (/^[0-9a-f]{40}$/.test(arg) ? { kind: "sha" } : arg));
  const entry: ExecEntry = {
    program,
    args: pattern,
    ...(folder === undefined ? {} : { cwd: folder }),
    ...(isPlain(command.env) ? {} : { env }),
    ...(writes(command) ? { stdin: true } : {}),
  };
  const whole = faultOf(entry) === undefined ? entry : { ...entry, fullAccess: true };
  return faultOf(whole) === undefined ? [whole] : undefined;
}

/** A command as a shell has it. */
function* wordsOf({ env, program, args }: Command): Generator<string> {
  for (const [name, value] of env) yield `${quoted(name)}=${quoted(value)}`;
  yield quoted(program);
  for (const arg of args) yield quoted(arg);
}

/** Where a hook may put links. */
const linksOf =
  ({ grant }: Circumstances["hook"], session: Session) =>
  (real: string): boolean =>
    mayUnder(grant?.capabilities.fs ?? {}, session)("link", real);

/** Longest command that a grant is proposed for, in characters. Nobody could read it. */
const MAX_PROPOSED = 20_000;

const lengthOf = ({ env, args }: Command): number =>
  [...args, ...env.keys(), ...env.values()].reduce((sum, text) => sum + text.length, 0);

/** To decide about a command is the same wherever its hook begins to write. */
const command: Omit<Capability<"exec", ExecGrant, Command, Granted>, "perform"> = {
  read: ([program, args, { timeout, input, stdin, late = false, cwd, env = [] }]) => ({
    program,
    args,
    timeout,
    input: input && Buffer.from(input[1], input[0]),
    stdin,
    late: late && stdin !== undefined,
    cwd,
    env: new Map(env),
  }),
  check(command, grant = [], { session, hook }) {
    const open = command.late ? grant.filter(({ stdin }) => stdin === true) : grant;
    const looked = new Looked(linksOf(hook, session));
    return granted(command, open, session, looked) ?? granted(command, grant, session, looked);
  },
  describe: (command) =>
    together(wordsOf(command)) +
    (command.cwd === undefined ? "" : ` (in ${quoted(command.cwd)})`) +
    (writes(command) ? " (writing to its standard input)" : ""),
  leads({ program, cwd }, { session }) {
    // A person agrees to the program that is there when they are asked.
    session.programs.pin(program);
    return cwd === undefined ? undefined : leadsTo(cwd, false, session);
  },
  propose: (command, { session }) => proposed(command, false, session),
  tells: (command, { session }) => proposed(command, true, session),
  waits: "program",
  perMinute: (grant = []) => Math.max(BOUNDS.perMinute, ...grant.map((entry) => boundOf(entry, "perMinute"))),
};

const run: Capability<"exec", ExecGrant, Command, Granted> = {
  ...command,
  counts: ({ entry }) => ({
    as: JSON.stringify([entry.program, entry.args, entry.env]),
    perMinute: boundOf(entry, "perMinute"),
  }),
  begin({ stdin }, { hook }) {
    const input = stdin === undefined ? undefined : openInput(hook, stdin);
    return () => input?.close();
  },
  async perform({ checked: { entry, folder, env, asked } }, { session, signal, hook }) {
    const { program, args, timeout, stdin } = asked;
    const { workspaces } = session;
    const closed = asked.late && entry.stdin !== true;
    // A revocation of what opened its input ends it from here on.
    if (!closed) asked.late = false;
    const written = stdin === undefined ? undefined : inputOf(hook, stdin);
    if (closed) written?.refuse();
    const input = closed ? undefined : (written ?? asked.input);
    const found = session.programs.find(program);
    // pi answers code 1 for a program that cannot be started.
    if ("missing" in found) {
      const stderr = `${program}: not found outside the workspace\n`;
      return { stdout: "", stderr, code: 1, killed: false, missing: true };
    }
    if ("changed" in found) {
      const why = `${found.changed} changed since it was granted; if that was you, start the session again`;
      throw new CordonError("NOT_GRANTED", `${program} is not run: ${why}`);
    }
    const { path } = found;
    const options = {
      cwd: folder,
      env: childEnvironment(session.env, workspaces, { ...fixedVariables(entry), ...Object.fromEntries(env) }),
      timeoutMs: Math.min(timeout ?? Number.POSITIVE_INFINITY, boundOf(entry, "timeoutMs")),
      maxOutputBytes: boundOf(entry, "maxOutputBytes"),
      signal,
      input,
      // Meanwhile a file may have become a link.
      isStill: () =>
        folderFor(entry, asked.cwd, session) === folder &&
        staysInFolder(entry, args, folder, new Looked(linksOf(hook, session))),
    };
    const literally = takesPaths(entry);
    const network = entry.gitNetwork === true;
    const { fs = {} } = hook.grant?.capabilities ?? {};
    const may = mayUnder(fs, session);
    const manner = {
      network,
      literally,
      writes: (fs.write?.length ?? 0) > 0,
      mayWrite: (real: string) => may("write", real),
      full: entry.fullAccess === true,
      hook,
    };
    const release = literally || readsFiles(entry) ? holdPaths(hook) : () => {};
    try {
      const result = await (isGit(path)
        ? runGit(path, args, options, workspaces, manner)
        : runProgram(path, args, options));
      return closed ? { ...result, closed } : result;
    } finally {
      release();
    }
  },
};

/** For a second of a large file in small parts. */
const WRITES_PER_MINUTE = 12_000;

/**
 * Writes to a program that this hook asked for. Whether it may is decided with the program: until that runs, a part waits,
 * and leads nowhere. While the program is asked for and runs, that request stops the hook's clock, and not this one.
 */
const write: Capability<"exec.write", ExecGrant, { stdin: number; bytes: Buffer; ends: boolean }> = {
  read: ([stdin, encoding, text, ends]) => ({ stdin, bytes: Buffer.from(text, encoding), ends }),
  check: (part) => part,
  async perform({ checked: { stdin, bytes, ends } }, { hook, signal }) {
    const input = inputOf(hook, stdin);
    signal.addEventListener("abort", () => input.close(), { once: true });
    await input.write(bytes, ends);
    return null;
  },
  without({ stdin }, { hook }) {
    inputOf(hook, stdin).checkFree();
    return undefined;
  },
  describe: () => "write to a program",
  perMinute: () => WRITES_PER_MINUTE,
};

/** A hook that writes to a program whose input was closed is refused, as if it had said so when it ran it. */
const late: Capability<"exec.late", ExecGrant, Command, Granted> = {
  ...command,
  read: (args) => Object.assign(command.read(args), { late: false }),
  perform: async () => null,
};

export const exec = { ...sealed("exec", run), ...sealed("exec.late", late), ...sealed("exec.write", write) };
