import { accessSync, closeSync, constants, openSync, readSync, realpathSync, statSync } from "node:fs";
import { dirname, isAbsolute, resolve } from "node:path";
import { sha256OfFile } from "../disk/file-hash.ts";
import { findProgram, isTrustedPath } from "../runtime/find-program.ts";
import { isSpecial } from "./fs-path.ts";

/** A program as it was when it was first asked for, or when the session began. */
interface Pin {
  /** As it is run: absolute, maybe a link. */
  readonly path: string;
  readonly real: string;
  /** What a change of the file changes, and who is not root cannot set. */
  stamp: string;
  /** What its bytes are known by, if this user could replace them. */
  readonly bytes: string | undefined;
  /** The name by which `env` looks for it along PATH. */
  readonly lookedFor: string | undefined;
  /** What the file's first line says it is run by. */
  readonly interpreters: readonly Pin[];
}

/**
 * The programs of one session: each found once, outside the workspaces. One that this user could have replaced, and so the
 * agent too, is run only while its bytes are what they were.
 */
export class Programs {
  readonly #cwd: string;
  readonly #path: string;
  readonly #workspaces: readonly string[];
  readonly #pins = new Map<string, Pin>();

  /** `path`: the folders that programs are looked for in, as in PATH. */
  constructor(cwd: string, workspaces: readonly string[], path = "") {
    this.#cwd = cwd;
    this.#path = path;
    this.#workspaces = workspaces;
  }

  /** Remembers a program as it is now. One that is not there is looked for again when it is asked for. */
  pin(program: string): void {
    if (this.#pins.has(program)) return;
    const path = /[/\\]/.test(program)
      ? resolve(this.#cwd, program)
      : findProgram(program, this.#workspaces, this.#path);
    const pin = path === undefined ? undefined : this.#pinOf(path);
    if (pin) this.#pins.set(program, pin);
  }

  /** What to run for a program: its path; `missing` if there is none outside the workspaces; or why it is not run. */
  find(program: string): { path: string } | { missing: true } | { changed: string } {
    this.pin(program);
    const pin = this.#pins.get(program);
    if (!pin) return { missing: true };
    const changed = [pin, ...pin.interpreters].find((one) => !this.#isSame(one));
    return changed ? { changed: changed.path } : { path: pin.path };
  }

  #pinOf(path: string, depth = 0, lookedFor?: string): Pin | undefined {
    try {
      if (!isTrustedPath(path, this.#workspaces)) return undefined;
      const real = realpathSync(path);
      // A file of the kernel's may have no end.
      if (!statSync(real).isFile() || isSpecial(real)) return undefined;
      const interpreters = depth > 0 ? [] : this.#interpretersOf(real);
      if (!interpreters) return undefined;
      const bytes = isReplaceable(real) ? bytesOf(real) : undefined;
      return { path, real, stamp: stampOf(real), bytes, lookedFor, interpreters };
    } catch {
      return undefined;
    }
  }

  /** Of a script: its interpreter, and the one that `env` would look for. `undefined` if one of them may not be run. */
  #interpretersOf(file: string): Pin[] | undefined {
    const [interpreter, argument] = firstLine(file);
    if (interpreter === undefined) return [];
    // The kernel takes a relative one from the working directory, which is a workspace.
    if (!isAbsolute(interpreter)) return undefined;
    const pins = [this.#pinOf(interpreter, 1)];
    if (/[/\\]env$/.test(interpreter) && argument !== undefined) {
      const path = isAbsolute(argument) ? argument : findProgram(argument, this.#workspaces, this.#path);
      pins.push(path === undefined ? undefined : this.#pinOf(path, 1, path === argument ? undefined : argument));
    }
    return pins.every((pin) => pin !== undefined) ? pins : undefined;
  }

  #isSame(pin: Pin): boolean {
    try {
      const real = realpathSync(pin.path);
      if (!isTrustedPath(pin.path, this.#workspaces)) return false;
      // Another of that name may stand earlier on PATH by now.
      if (pin.lookedFor !== undefined && findProgram(pin.lookedFor, this.#workspaces, this.#path) !== pin.path)
        return false;
      // Root's own update of a program that only root can replace.
      if (pin.bytes === undefined) return real === pin.real || !isReplaceable(real);
      const stamp = stampOf(real);
      if (real === pin.real && stamp === pin.stamp) return true;
      if (bytesOf(real) !== pin.bytes) return false;
      if (real === pin.real) pin.stamp = stamp;
      return true;
    } catch {
      return false;
    }
  }
}

function stampOf(file: string): string {
  const { dev, ino, size, mtimeMs, ctimeMs } = statSync(file);
  return `${dev} ${ino} ${size} ${mtimeMs} ${ctimeMs}`;
}

/** Bytes of a program that are read to know it again. The agent waits meanwhile. */
const MAX_HASHED_BYTES = 16 * 1024 * 1024;

/** What tells a file from another one: its bytes, or of a large one what no program can set when it changes them. */
const bytesOf = (file: string): string => (statSync(file).size > MAX_HASHED_BYTES ? stampOf(file) : sha256OfFile(file));

/** True if this user can write the file, or replace it. */
function isReplaceable(file: string): boolean {
  for (let path = file; ; path = dirname(path)) {
    if (isWritable(path)) return true;
    if (dirname(path) === path) return false;
  }
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

const MAX_FIRST_LINE = 256;

/** The words after `#!`: an interpreter and its one argument. */
function firstLine(file: string): string[] {
  const descriptor = openSync(file, "r");
  try {
    const bytes = Buffer.alloc(MAX_FIRST_LINE);
    const text = bytes.toString("latin1", 0, readSync(descriptor, bytes, 0, MAX_FIRST_LINE, 0));
    const line = /^#![ \t]*([^\n]*)/.exec(text)?.[1];
    return line === undefined ? [] : line.trim().split(/[ \t]+/);
  } finally {
    closeSync(descriptor);
  }
}
