import { lstatSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import type { HookAPI } from "@mariozechner/pi-coding-agent/hooks";

/** Keeps the agent away from what decides about hooks: Cordon's own files, hook folders and the agent's settings. */
const HOME = process.env.CORDON_HOME ?? join(homedir(), ".cordon");
const AGENT = process.env.PI_CODING_AGENT_DIR ?? join(homedir(), ".pi");
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

function isOwn(path: string): boolean {
  const folded = path.normalize("NFC").toLowerCase();
  const within = [HOME, AGENT].some((folder) => `${folded}/`.startsWith(`${folder.toLowerCase()}/`));
  return within || folded.split("/").some((part) => FOLDERS.has(part));
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
      if (isOwn(path)) return { block: true, reason: `${path} decides about hooks: change it yourself, or by cordon` };
      if (!path.startsWith(`${ctx.cwd}/`)) return undefined;
      const real = behind(path);
      if (real === undefined)
        return ask("The agent writes through a link out of the project, or into a file of secrets", path);
      return isOwn(real) ? { block: true, reason: `${path} leads to ${real}, which decides about hooks` } : undefined;
    }
    if (event.toolName !== "bash") return undefined;
    const command = String(event.input.command);
    // Quotes hide words from patterns and not from a shell.
    const bare = command.replace(/["'\\]|\$\{?IFS\}?/g, (found) => (found.startsWith("$") ? " " : ""));
    if (CHANGES.test(bare)) return ask("A shell command changes what hooks may do", command);
    if (NAMES.test(bare) || bare.toLowerCase().includes(HOME.toLowerCase()))
      return ask("A shell command names files that decide about hooks", command);
    return undefined;
  });
}
