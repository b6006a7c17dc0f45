import { existsSync, statSync } from "node:fs";
import { isAbsolute, relative, resolve, sep } from "node:path";
import npa from "npm-package-arg";
import { CordonError, messageOf } from "../base/errors.ts";
import { realPathOf } from "../disk/paths.ts";
import { isInside } from "../runtime/find-program.ts";

/** Where a hook is fetched from. */
export interface Source {
  kind: "registry" | "tarball" | "git" | "folder" | "file";
  /** What pacote fetches; a path for a folder or a file. */
  spec: string;
  /** As it stands in a lock: the same wherever it is read. */
  origin: string;
}

/**
 * A source as a project's lock names it: what lies in the project relative to it. Throws `LOAD_FAILED` for what lies
 * elsewhere on this machine: whoever else works on the project does not have it, and a lock that others write must not lead
 * there.
 *
 * @param project its real path
 */
export function proposable(source: Source, project: string): Source {
  if (source.kind === "git" && /^git(\+file)?:.*\bfile:|^(git\+)?file:/.test(source.spec)) throw outside(source.spec);
  if (!source.origin.startsWith("path:")) return source;
  const real = realPathOf(source.spec);
  if (!isInside(real, project) || real === project) throw outside(source.spec);
  return { ...source, spec: real, origin: `path:./${relative(project, real).split(sep).join("/")}` };
}

const outside = (spec: string): CordonError =>
  new CordonError("LOAD_FAILED", `${spec} lies outside of this project: others who work on it do not have it`);

/**
 * The source that a lock names. Throws `LOAD_FAILED` for one that is of another kind than it says: a person reads, and a
 * policy judges, what it says.
 *
 * @param base the project, or where the command was typed
 */
export function lockedSource(origin: string, base: string): Source {
  const source = sourceOf(origin.replace(/^(path|git):/, ""), base);
  if (kindIn(source.origin) !== kindIn(origin))
    throw new CordonError("LOAD_FAILED", `${origin} names no package: it is ${source.origin}`);
  return { ...source, origin };
}

const kindIn = (origin: string): string => origin.slice(0, origin.indexOf(":"));

/**
 * The spec of just one version of a registry's package. Throws `LOAD_FAILED` for what npm would read as something else: a
 * URL, a file or another package in the place of the version.
 */
export function versionSpec(name: string, version: string): string {
  const spec = `${name}@${version}`;
  try {
    if (npa(spec).type === "version") return spec;
  } catch {
    // Said below.
  }
  throw new CordonError("LOAD_FAILED", `${spec} is no version of a package`);
}

/**
 * The commit that a lock names, of the repository that it names. Throws `LOAD_FAILED` for anything else: what is fetched
 * would not be from where it is said to be.
 */
export function commitOf(spec: string, resolved: string): string {
  if (/#[0-9a-f]{40,64}$/.test(resolved) && repositoryOf(resolved) === repositoryOf(spec)) return resolved;
  throw new CordonError("LOAD_FAILED", `${resolved} is no commit of ${spec}`);
}

function repositoryOf(spec: string): string {
  try {
    const { type, hosted, fetchSpec } = npa(spec);
    if (hosted) return JSON.stringify([hosted.domain, hosted.user, hosted.project]);
    return `${type} ${fetchSpec}`;
  } catch {
    return spec;
  }
}

/**
 * Throws `LOAD_FAILED` for what npm's library would pass over: a person would read it, and something else would be fetched.
 * A folder of a repository is one of these: only the repository as a whole is packed.
 */
function refuseUnread(text: string, given: string): void {
  const mark = text.indexOf("#");
  const place = mark < 0 ? text : text.slice(0, mark);
  const fragment = mark < 0 ? "" : decoded(text.slice(mark + 1));
  if (/(^|::)path:/.test(fragment) || /\/(tree|blob|src)\/[^/]+\/./.test(place))
    throw new CordonError(
      "LOAD_FAILED",
      `${given} names a folder of a repository, and only a whole one can be added: clone it, and add the folder`,
    );
  if (!/^(semver:[^:#]+|[^:#]*)$/.test(fragment))
    throw new CordonError(
      "LOAD_FAILED",
      `${given}: behind the # stands neither a commit, a branch, a tag nor semver:RANGE`,
    );
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const PATH = /^(\.{1,2}([\\/]|$)|~[\\/]|[\\/]|[A-Za-z]:[\\/])/;

/**
 * What `cordon add` is given: a name with a range or tag, `npm:name`, the path or URL of a tarball, a git URL or
 * `github:owner/name`, a folder, or a single `.ts` file. Throws `LOAD_FAILED` for what is none of these.
 */
export function sourceOf(given: string, cwd: string): Source {
  const text = given.startsWith("npm:") ? given.slice(4) : given;
  if (text.trim() === "") throw new CordonError("LOAD_FAILED", `${JSON.stringify(given)} names no package`);
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
      refuseUnread(text, given);
      return { kind: "git", spec: text, origin: `git:${parsed.saveSpec ?? text}` };
    case "remote":
      if (text.includes("#"))
        throw new CordonError("LOAD_FAILED", `${given}: what stands behind the # of a tarball's URL has no meaning`);
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
