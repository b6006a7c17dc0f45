import { existsSync, statSync } from "node:fs";
import { isAbsolute, resolve } from "node:path";
import npa from "npm-package-arg";
import { CordonError, messageOf } from "../errors.ts";

/** Where a hook is fetched from. */
export interface Source {
  kind: "registry" | "tarball" | "git" | "folder" | "file";
  /** What pacote fetches; a path for a folder or a file. */
  spec: string;
  /** As it stands in a lock: the same wherever it is read. */
  origin: string;
}

const PATH = /^(\.{1,2}([\\/]|$)|~[\\/]|[\\/]|[A-Za-z]:[\\/])/;

/**
 * What `cordon add` is given: a name with a range or tag, `npm:name`, the path or URL of a tarball, a git URL or
 * `github:owner/name`, a folder, or a single `.ts` file. Throws `LOAD_FAILED` for what is none of these.
 */
export function sourceOf(given: string, cwd: string): Source {
  const text = given.startsWith("npm:") ? given.slice(4) : given;
  const path = resolve(cwd, text);
  if (!given.startsWith("npm:") && /\.[cm]?[jt]sx?$/.test(text) && existsSync(path))
    return { kind: "file", spec: path, origin: `path:${path}` };
  if (PATH.test(text) && !existsSync(path)) throw new CordonError("LOAD_FAILED", `${given}: no such file or folder`);
  let parsed: npa.Result;
  try {
    parsed = npa(text, cwd);
  } catch (error) {
    throw new CordonError("LOAD_FAILED", `${given} names no package: ${messageOf(error)}`);
  }
  switch (parsed.type) {
    case "version":
    case "range":
    case "tag":
      return { kind: "registry", spec: parsed.raw, origin: `npm:${parsed.raw}` };
    case "git":
      return { kind: "git", spec: text, origin: `git:${parsed.saveSpec ?? text}` };
    case "remote":
      return { kind: "tarball", spec: text, origin: text };
    case "file":
    case "directory": {
      const file = parsed.fetchSpec ?? path;
      if (!isAbsolute(file) || !existsSync(file))
        throw new CordonError("LOAD_FAILED", `${given}: no such file or folder`);
      const kind = statSync(file).isDirectory() ? "folder" : "tarball";
      return { kind, spec: file, origin: `path:${file}` };
    }
    default:
      throw new CordonError("LOAD_FAILED", `${given}: ${parsed.type} packages cannot be added`);
  }
}
