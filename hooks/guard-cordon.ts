import { lstatSync, realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, join, relative, resolve } from "node:path";
import type { HookAPI } from "@mariozechner/pi-coding-agent/hooks";

/** Protects the files that decide about hooks from the agent: Cordon's own, hook folders and the agent's settings. */
const HOME = process.env.CORDON_HOME ?? join(homedir(), ".cordon");
const AGENT = process.env.PI_CODING_AGENT_DIR ?? join(homedir(), ".pi");
/** All paths of these files in this session. Cordon gives them in `CORDON_PLACES`. */
const PATHS = [...new Set([HOME, AGENT, ...(process.env.CORDON_PLACES ?? "").split(delimiter).filter(Boolean)])];
const FOLDERS = new Set([".cordon", ".pi"]);
/** Where agents that Cordon is entered in have their entries. In small letters. */
const SETTINGS =
  /(^|\/)\.(claude\/settings[^/]*\.json|codex\/(hooks\.json|config\.toml)|gemini\/(settings\.json|config\/hooks\.json)|qwen\/settings\.json|cursor\/hooks\.json|copilot\/hooks(\/.*)?|factory\/(hooks|settings)\.json|agents\/plugins(\/.*)?|kiro\/hooks(\/.*)?|codeium\/windsurf\/hooks\.json|cline\/hooks(\/.*)?|openclaw\/(openclaw\.json|extensions(\/.*)?)|(config\/)?opencode\/(plugins?(\/.*)?|config\.json))$|(^|\/)opencode\.jsonc?$/;

/**
 * Words of a shell command that name these files, also with wildcards; and the commands of `cordon` that change
 * something.
 */
const NAMES =
  /(^|[^\w.-]|\s-\w)\.(cordon|pi)(?![\w.-])|(^|[\s/=:<>{,(;|&]|\s-\w)\.(c(o(r(do?)?)?)?|p)?[*?[{]|\b(grants\.json|hooks\.lock|CORDON_\w+|PI_CODING_AGENT_DIR)\b|\.(claude\/+settings|codex\/+(hooks|config)|gemini\/+(settings|config)|qwen\/+settings|cursor\/+hooks|copilot\/+hooks|factory\/+(hooks|settings)|agents\/+plugins|kiro\/+hooks|codeium\/+windsurf|cline\/+hooks|openclaw\/+(openclaw|extensions)|(config\/+)?opencode\/+(plugin|config\.))|\bopencode\.jsonc?\b/i;
const CHANGES =
  /\b(cordon\S*|(main|start)\.js)\s+(-\S+\s+)*(accept|add|adopt|daemon|disable|enable|grant|install|pending|remove|report|restart|revoke|runtime|uninstall|update)\b/i;

/** What this hook is refused by its grant, or without one. */
const UNSEEN = "through a link out of the project, into a file of secrets, or anywhere if the hook was not granted fs";

/** Resolves a path as the agent's file tools do. */
function absolute(path: string, cwd: string): string {
  const plain = path.replace(/[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g, " ").replace(/^@/, "");
  return resolve(cwd, plain.startsWith("~") ? join(homedir(), plain.slice(1)) : plain);
}

function isOwn(path: string, cwd: string): boolean {
  const folded = path.normalize("NFC").toLowerCase();
  // Some file systems ignore case.
  const within = PATHS.some((own) => `${folded}/`.startsWith(`${own.normalize("NFC").toLowerCase()}/`));
  return within || folded.split("/").some((part) => FOLDERS.has(part)) || SETTINGS.test(folded) || isSame(path, cwd);
}

/**
 * True if the path, or a folder above it, is one of {@link PATHS} under another name. This hook can only check the
 * project.
 */
function isSame(path: string, cwd: string): boolean {
  const isInside = (at: string): boolean => at.startsWith(`${cwd}/`);
  const known = new Set(PATHS.filter(isInside).flatMap((own) => identity(own) ?? []));
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

/** True for a file with hard links: it may be a file that decides about hooks, under another name. */
function hasManyNames(path: string): boolean {
  try {
    const status = lstatSync(path);
    return status.isFile() && status.nlink > 1;
  } catch {
    return false;
  }
}

/** True if a shell command contains one of {@link PATHS} as a word, absolute or relative to the project. */
function namesPath(command: string, cwd: string): boolean {
  const text = command.toLowerCase();
  return PATHS.some((own) => {
    const local = relative(cwd, own).toLowerCase();
    if (text.includes(own.toLowerCase())) return true;
    if (local === "" || local.startsWith("..")) return false;
    const at = text.indexOf(local);
    return at >= 0 && !/[\w.-]/.test(text[at - 1] ?? "") && !/[\w.-]/.test(text[at + local.length] ?? "");
  });
}

/**
 * Follows the links in a path inside the project. Returns `undefined` if this hook has no access to the target: it is
 * outside of the project, or a file of secrets.
 */
function followLinks(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch (error) {
    if ((error as { code?: string }).code !== "ENOENT") return undefined;
    // A link whose target does not exist: a write would create the target.
    const link = lstatSync(path, { throwIfNoEntry: false });
    if (link || dirname(path) === path) return undefined;
    const folder = followLinks(dirname(path));
    return folder && join(folder, path.slice(dirname(path).length));
  }
}

export default function (pi: HookAPI) {
  pi.on("tool_call", async (event, ctx) => {
    const ask = async (action: string, detail: string) => {
      const reason = `${action}, and nobody allowed it`;
      if (!ctx.hasUI) return { block: true, reason };
      return (await ctx.ui.confirm(`${action}. Allow it?`, detail)) ? undefined : { block: true, reason };
    };
    if (event.toolName === "write" || event.toolName === "edit") {
      const path = absolute(String(event.input.path), ctx.cwd);
      if (isOwn(path, ctx.cwd))
        return { block: true, reason: `${path} decides about hooks: change it yourself, or with cordon` };
      if (!path.startsWith(`${ctx.cwd}/`)) return undefined;
      const real = followLinks(path);
      if (real === undefined) return ask(`The agent writes where guard-cordon cannot look: ${UNSEEN}`, path);
      if (isOwn(real, ctx.cwd)) return { block: true, reason: `${path} leads to ${real}, which decides about hooks` };
      return hasManyNames(real) ? ask("The agent writes a file that has other names, too", path) : undefined;
    }
    if (event.toolName !== "bash") return undefined;
    const command = String(event.input.command);
    // Quotes hide words from patterns, but not from a shell.
    const bare = command.replace(/["'\\]|\$\{?IFS\}?/g, (found) => (found.startsWith("$") ? " " : ""));
    if (CHANGES.test(bare)) return ask("A shell command changes what hooks may do", command);
    if (NAMES.test(bare) || namesPath(bare, ctx.cwd))
      return ask("A shell command names files that decide about hooks", command);
    return undefined;
  });
}
