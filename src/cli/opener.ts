import { spawn } from "node:child_process";
import { messageOf } from "../base/errors.ts";
import { childEnvironment } from "../powers/exec-environment.ts";
import { findProgram } from "../runtime/find-program.ts";
import { Refused } from "./common.ts";

/** The program that opens a file as its user would, and what it takes before the file. */
interface Opener {
  program: string;
  args: readonly string[];
  env: NodeJS.ProcessEnv;
}

const OPENERS: Partial<Record<NodeJS.Platform, readonly [name: string, ...args: string[]]>> = {
  darwin: ["open"],
  // What `start` does, without cmd, to which characters of a path mean something.
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

/** How long an opener may take to say that it failed. One that is a browser runs on. */
const WAIT_MS = 3000;

/** Finds the system's opener. Throws {@link Refused} if there is none. `workspaces`: folders whose programs are not run. */
export function findOpener(workspaces: readonly string[]): Opener {
  const [name, ...args] = OPENERS[process.platform] ?? ["xdg-open"];
  const path = process.env.PATH ?? "";
  const program = findProgram(name, workspaces, path);
  if (program === undefined)
    throw new Refused(`there is no ${name} here to open a page with; leave out --open, and open the file yourself`);
  // An opener may be a script, which looks for others. They need the display, and what else belongs to the desktop.
  const PATH = childEnvironment(process.env, workspaces).PATH;
  return { program, args, env: Object.assign(Object.create(null), process.env, { PATH }) };
}

/** Opens a file. Throws {@link Refused} if the opener says at once that it cannot. */
export async function openWith({ program, args, env }: Opener, file: string): Promise<void> {
  const child = spawn(program, [...args, file], { cwd: "/", detached: true, stdio: "ignore", env });
  const problem = await new Promise<string | undefined>((resolve) => {
    const timer = setTimeout(() => resolve(undefined), WAIT_MS);
    child.on("error", (error) => resolve(messageOf(error)));
    child.on("exit", (code, signal) => {
      clearTimeout(timer);
      resolve(code === 0 ? undefined : `it ended with ${signal ?? code}`);
    });
  });
  child.unref();
  if (problem !== undefined) throw new Refused(`${program} could not open ${file}: ${problem}; open it yourself`);
}
