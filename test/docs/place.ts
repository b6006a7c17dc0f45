import { execFile } from "node:child_process";
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { afterAll, beforeAll, onTestFinished } from "vitest";
import { PACKAGE_ROOT } from "../../src/base/package-root.ts";
import { statusOf } from "../../src/disk/process-status.ts";
import { askDaemon, type DaemonStatus } from "../../src/shim/ask-daemon.ts";
import { writeFiles } from "../support/session.ts";

/** A machine on which Cordon and the frameworks are installed as for their users. */
export class Machine {
  /** Has `node_modules`, `bin` and a folder for each page. */
  readonly root = mkdtempSync(join(realpathSync(tmpdir()), "cordon-docs-"));

  constructor() {
    const installed = join(this.root, "node_modules");
    mkdirSync(installed);
    const { devDependencies } = JSON.parse(readFileSync(join(PACKAGE_ROOT, "package.json"), "utf8"));
    // Nothing else that Cordon is built with is there. These two are its runtime.
    const { node: _node, "isolated-vm": _addon, ...missing } = devDependencies;
    for (const from of [join(PACKAGE_ROOT, "node_modules"), join(PACKAGE_ROOT, "test", "node_modules")])
      for (const name of readdirSync(from)) {
        rmSync(join(installed, name), { force: true });
        if (!/^\.|cordon/.test(name) && !Object.hasOwn(missing, name))
          symlinkSync(join(from, name), join(installed, name));
      }
    // A link would lead Node to this repository, and to what it has installed.
    for (const part of ["package.json", "dist", "hooks", join("examples", "starters")])
      cpSync(join(PACKAGE_ROOT, part), join(installed, "cordon", part), { recursive: true });
    // Where `npm root -g` says, with the settings below.
    mkdirSync(join(this.root, "lib"));
    symlinkSync(installed, join(this.root, "lib", "node_modules"));
    const start = join(installed, "cordon", "dist", "src", "cli", "start.js");
    writeFiles(this.root, { "bin/cordon": `#!/bin/sh\nexec '${process.execPath}' '${start}' "$@"\n` });
    chmodSync(join(this.root, "bin", "cordon"), 0o755);
  }

  /** A person's empty project for one page. */
  project(): Project {
    const project = new Project(this);
    onTestFinished(() => project.remove());
    return project;
  }
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** Dialogs are drawn on the terminal, and what the command says goes to a file. A person answers what they see. */
const PERSON = `said=$(mktemp -u)
mkfifo $said.keys
(until [ -s $said.screen ]; do sleep 0.1; done; printf y; exec sleep 60) > $said.keys & keys=$!
export COMMAND="$1" SAID="$said"
script -qec 'eval "$COMMAND" > "$SAID" 2>&1' /dev/null < $said.keys > $said.screen
code=$?; kill $keys; cat $said; exit $code
`;

/** A new folder with a name as long as `/home/you`: tables are as wide as with that. */
function newHome(): string {
  const home = `/tmp/${Math.random().toString(36).slice(2, 6)}`;
  try {
    mkdirSync(home, { mode: 0o700 });
    return home;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    return newHome();
  }
}

/** `/home/you/project` on such a machine, as the pages show it. */
export class Project {
  readonly #machine: Machine;
  readonly folder: string;
  readonly home: string;

  constructor(machine: Machine) {
    this.#machine = machine;
    this.home = newHome();
    this.folder = join(this.home, "project");
    mkdirSync(this.folder);
    symlinkSync(join(machine.root, "node_modules"), join(this.home, "node_modules"));
    // No registry answers there.
    writeFiles(this.home, { ".npmrc": `registry=http://127.0.0.1:9\nprefix=${machine.root}\n` });
  }

  get env(): Record<string, string> {
    return {
      HOME: this.home,
      PATH: `${join(this.#machine.root, "bin")}:${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
      NO_COLOR: "1",
      LANG: "C.UTF-8",
      CORDON_RUNTIME: process.env.CORDON_RUNTIME ?? "",
    };
  }

  /** Ends its daemon before: that would write into a home that is gone. */
  async remove(): Promise<void> {
    const home = join(this.home, ".cordon");
    const daemon = (await askDaemon(home, "status")) as DaemonStatus | undefined;
    if (daemon) await askDaemon(home, "stop");
    while (daemon && statusOf(daemon.pid)) await sleep(10);
    rmSync(this.home, { recursive: true, force: true });
  }

  write(name: string, text: string): void {
    writeFiles(this.folder, { [name]: text });
  }

  /**
   * Runs lines of a shell without a terminal. Returns what each wrote, and the code of the last. `person`: each on a terminal, with
   * a person who says yes to what it asks there.
   */
  async shell(commands: readonly string[], person = false): Promise<{ outputs: string[]; code: number }> {
    if (person) this.write("../person", PERSON);
    const lines = commands.map((command) => {
      const line = person ? `bash ../person ${quoted(command)}` : command;
      return `${line}\n__code=$?; printf '\\0'; (exit $__code)`;
    });
    const script = ["exec 2>&1 < /dev/null", ...lines, "exit $__code"].join("\n");
    const settings = { cwd: this.folder, env: this.env, maxBuffer: 1e7, timeout: 150_000 };
    const { stdout, code } = await promisify(execFile)("setsid", ["bash", "-c", script], settings)
      .then(({ stdout }) => ({ stdout, code: 0 }))
      .catch((error: { stdout: string; code: number }) => error);
    const shown = stdout.replaceAll(this.home, "/home/you").replaceAll(this.#machine.root, "/usr/local");
    return { outputs: shown.split("\0").slice(0, -1), code };
  }
}

/** One machine for all tests of a file. */
export function sharedMachine(): { readonly machine: Machine } {
  const shared = {} as { machine: Machine };
  beforeAll(() => {
    shared.machine = new Machine();
  });
  afterAll(() => rmSync(shared.machine.root, { recursive: true, force: true }));
  return shared;
}
