import { existsSync, statSync } from "node:fs";
import { isAbsolute, relative, resolve, sep } from "node:path";
import npa, { type Result } from "npm-package-arg";
import { attemptOr } from "../base/attempt.ts";
import { CordonError, messageOf } from "../base/errors.ts";
import { realPathOf } from "../disk/paths.ts";
import { isPlainSource } from "../grants/judged-source.ts";
import { isInside } from "../runtime/find-program.ts";

/** Where a hook is fetched from. */
export interface Source {
  kind: "registry" | "tarball" | "git" | "folder" | "file";
  /** What pacote fetches; a path for a folder or a file. */
  spec: string;
  /** As a lock names it: it means the same in every folder. */
  origin: string;
}

/**
 * The source as a project's lock names it: a path is relative to the project. Throws `LOAD_FAILED` for a path outside of
 * the project: others who work on it do not have that file, and a lock that others write must not lead there.
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
 * The source that a lock names. Throws `LOAD_FAILED` if it is of another kind than its text says: a person reads the text,
 * and a policy judges it.
 *
 * @param base the project, or where the command was typed
 */
export function lockedSource(origin: string, base: string): Source {
  if (!isPlainSource(origin)) {
    refuseUnread(origin.replace(/^git:/, ""), origin);
    throw odd(origin);
  }
  const source = sourceOf(origin.replace(/^(path|git):/, ""), base);
  if (kindIn(source.origin) !== kindIn(origin))
    throw new CordonError("LOAD_FAILED", `${origin} names no package: it is ${source.origin}`);
  return { ...source, origin };
}

const odd = (given: string): CordonError =>
  new CordonError(
    "LOAD_FAILED",
    `${given} may lead elsewhere than it says: write it without "..", "//" in its path, "?", "\\" and escapes, with no "@" or ":" in its path, and one of GitHub and the like as github:OWNER/NAME`,
  );

export const kindIn = (origin: string): string => origin.slice(0, origin.indexOf(":"));

/**
 * The spec of exactly one version of a package in a registry. Throws `LOAD_FAILED` if npm would read the version as
 * something else: a URL, a file or another package.
 */
export function versionSpec(name: string, version: string): string {
  const spec = `${name}@${version}`;
  try {
    if (npa(spec).type === "version") return spec;
  } catch {
    // Refused below.
  }
  throw new CordonError("LOAD_FAILED", `${spec} is not a version of a package`);
}

/**
 * Checks that a lock names a commit of the repository that it names. Throws `LOAD_FAILED` otherwise: the package would come
 * from another repository than the lock says.
 */
export function commitOf(spec: string, resolved: string): string {
  if (/#[0-9a-f]{40,64}$/.test(resolved) && repositoryOf(resolved) === repositoryOf(spec)) return resolved;
  throw new CordonError("LOAD_FAILED", `${resolved} is not a commit of ${spec}`);
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
 * Throws `LOAD_FAILED` for parts that npm's library ignores: a person would read them, and something else would be fetched.
 * One is a folder of a repository: npm packs the whole repository.
 */
function refuseUnread(text: string, given: string): void {
  const mark = text.indexOf("#");
  const repository = mark < 0 ? text : text.slice(0, mark);
  const fragment = mark < 0 ? "" : decoded(text.slice(mark + 1));
  if (/(^|::)path:/.test(fragment) || /\/(tree|blob|src)\/[^/]+\/./.test(repository))
    throw new CordonError(
      "LOAD_FAILED",
      `${given} names a folder of a repository, and only a whole one can be added: clone it, and add the folder`,
    );
  if (!/^(semver:[^:#]+|[^:#]*)$/.test(fragment))
    throw new CordonError("LOAD_FAILED", `${given}: after the # must come a commit, a branch, a tag or semver:RANGE`);
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
 * Parses the argument of `cordon add`: a name with a range or tag, `npm:name`, the path or URL of a tarball, a git URL or
 * `github:owner/name`, a folder, or a single `.ts` file. Throws `LOAD_FAILED` for anything else.
 */
export function sourceOf(given: string, cwd: string): Source {
  const text = given.startsWith("npm:") ? given.slice(4) : given;
  if (text.trim() === "") throw new CordonError("LOAD_FAILED", `${JSON.stringify(given)} names no package`);
  const path = resolve(cwd, text);
  // A package of such a name can be added as npm:NAME, and a repository as github:OWNER/NAME.
  const isTypeScript = !given.startsWith("npm:") && /^[^:@]+\.[cm]?tsx?$/.test(text);
  if (!given.startsWith("npm:") && /\.[cm]?[jt]sx?$/.test(text) && existsSync(path))
    return { kind: "file", spec: path, origin: `path:${path}` };
  if ((PATH.test(text) || isTypeScript) && !existsSync(path))
    throw new CordonError("LOAD_FAILED", `${given}: no such file or folder`);
  let parsed: Result;
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
      if (![text, parsed.saveSpec ?? text].every((one) => isPlainSource(`git:${one}`))) throw odd(given);
      return { kind: "git", spec: text, origin: `git:${parsed.saveSpec ?? text}` };
    case "remote":
      if (text.includes("#")) throw new CordonError("LOAD_FAILED", `${given}: the URL of a tarball must not have a #`);
      return ofUrl(parsed.fetchSpec ?? text, given);
    case "file":
    case "directory": {
      const file = parsed.fetchSpec ?? path;
      if (!isAbsolute(file) || !existsSync(file))
        throw new CordonError("LOAD_FAILED", `${given}: no such file or folder`);
      const status = statSync(file);
      if (!status.isDirectory() && !status.isFile())
        throw new CordonError(
          "LOAD_FAILED",
          `${given} is no file and no folder: name a folder, a tarball or a .ts file`,
        );
      const kind = status.isDirectory() ? "folder" : "tarball";
      return { kind, spec: file, origin: `path:${file}` };
    }
    default:
      throw new CordonError("LOAD_FAILED", `${given}: ${parsed.type} packages cannot be added`);
  }
}

/** A tarball at a URL: in the one spelling in which a policy judges it, and without a name before it, which nobody would see. */
function ofUrl(address: string, given: string): Source {
  const url = attemptOr(() => new URL(address).href, address);
  if (!isPlainSource(url)) throw odd(given);
  return { kind: "tarball", spec: url, origin: url };
}
