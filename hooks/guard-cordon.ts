import { lstatSync, realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, join, relative, resolve } from "node:path";
import type { HookAPI } from "@mariozechner/pi-coding-agent/hooks";

/** Keeps the agent away from what decides about hooks: Cordon's own files, hook folders and the agent's settings. */
const HOME = process.env.CORDON_HOME ?? join(homedir(), ".cordon");
const AGENT = process.env.PI_CODING_AGENT_DIR ?? join(homedir(), ".pi");
/** As Cordon says itself which they are in this session, by every name that it knows. */
const PLACES = [...new Set([HOME, AGENT, ...(process.env.CORDON_PLACES ?? "").split(delimiter).filter(Boolean)])];
const FOLDERS = new Set([".cordon", ".pi"]);

/** Words of a shell command that name them, also by a pattern; and what of `cordon` changes something. */
const NAMES =
  /(^|[^\w.-]|\s-\w)\.(cordon|pi)(?![\w.-])|(^|[\s/=:<>{,(;|&]|\s-\w)\.(c(o(r(do?)?)?)?|p)?[*?[{]|\b(grants\.json|hooks\.lock|CORDON_\w+|PI_CODING_AGENT_DIR)\b/i;
const CHANGES = /\b(cordon\S*|(main|start)\.js)\s+(-\S+\s+)*(accept|add|grant|remove|restart|revoke|runtime|update)\b/i;

/** As the agent's file tools read a path. Case does not tell two files apart everywhere. */
function absolute(path: string, cwd: string): string {
  const plain = path.replace(/[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g, " ").replace(/^@/, "");
  return resolve(cwd, plain.startsWith("~") ? join(homedir(), plain.slice(1)) : plain);
}

function isOwn(path: string, cwd: string): boolean {
  const folded = path.normalize("NFC").toLowerCase();
  const within = PLACES.some((place) => `${folded}/`.startsWith(`${place.normalize("NFC").toLowerCase()}/`));
  return within || folded.split("/").some((part) => FOLDERS.has(part)) || isSame(path, cwd);
}

/** The path, or a folder above it, is one of the places under another name. Outside of the project this hook may not look. */
function isSame(path: string, cwd: string): boolean {
  const isInside = (at: string): boolean => at.startsWith(`${cwd}/`);
  const known = new Set(PLACES.filter(isInside).flatMap((place) => identity(place) ?? []));
  if (known.size === 0) return false;
  for (let at = path; isInside(at); at = dirname(at)) if (known.has(identity(at) ?? "")) return true;
  return false;
}

function identity(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path);
    return `${dev} ${ino}`;
  } catch {
    return undefined;
  }
}

/** A file with several names may be one that decides about hooks, under a name that tells nothing. */
function hasManyNames(path: string): boolean {
  try {
    const status = lstatSync(path);
    return status.isFile() && status.nlink > 1;
  } catch {
    return false;
  }
}

/** A shell command has one of the places as a word, in full or as seen from the project. */
function namesPlace(command: string, cwd: string): boolean {
  const text = command.toLowerCase();
  return PLACES.some((place) => {
    const way = relative(cwd, place).toLowerCase();
    if (text.includes(place.toLowerCase())) return true;
    if (way === "" || way.startsWith("..")) return false;
    const at = text.indexOf(way);
    return at >= 0 && !/[\w.-]/.test(text[at - 1] ?? "") && !/[\w.-]/.test(text[at + way.length] ?? "");
  });
}

/** Where a path leads, through links inside the project; `undefined` where this hook may not look: out of it, into secrets. */
function behind(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch (error) {
    if ((error as { code?: string }).code !== "ENOENT") return undefined;
    // A link to nothing yet: what is written makes what it names.
    const link = lstatSync(path, { throwIfNoEntry: false });
    if (link || dirname(path) === path) return undefined;
    const folder = behind(dirname(path));
    return folder && join(folder, path.slice(dirname(path).length));
  }
}

export default function (pi: HookAPI) {
  pi.on("tool_call", async (event, ctx) => {
    const ask = async (what: string, detail: string) => {
      const reason = `${what}, and nobody allowed it`;
      if (!ctx.hasUI) return { block: true, reason };
      return (await ctx.ui.confirm(`${what}. Allow it?`, detail)) ? undefined : { block: true, reason };
    };
    if (event.toolName === "write" || event.toolName === "edit") {
      const path = absolute(String(event.input.path), ctx.cwd);
      if (isOwn(path, ctx.cwd))
        return { block: true, reason: `${path} decides about hooks: change it yourself, or by cordon` };
      if (!path.startsWith(`${ctx.cwd}/`)) return undefined;
      const real = behind(path);
      if (real === undefined)
        return ask("The agent writes through a link out of the project, or into a file of secrets", path);
      if (isOwn(real, ctx.cwd)) return { block: true, reason: `${path} leads to ${real}, which decides about hooks` };
      return hasManyNames(real) ? ask("The agent writes a file that has other names, too", path) : undefined;
    }
    if (event.toolName !== "bash") return undefined;
    const command = String(event.input.command);
    // Quotes hide words from patterns and not from a shell.
    const bare = command.replace(/["'\\]|\$\{?IFS\}?/g, (found) => (found.startsWith("$") ? " " : ""));
    if (CHANGES.test(bare)) return ask("A shell command changes what hooks may do", command);
    if (NAMES.test(bare) || namesPlace(bare, ctx.cwd))
      return ask("A shell command names files that decide about hooks", command);
    return undefined;
  });
}
