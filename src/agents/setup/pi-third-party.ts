import { lstatSync, readdirSync, statSync } from "node:fs";
import { basename, join, relative, resolve, sep } from "node:path";
import npa from "npm-package-arg";
import picomatch from "picomatch";
import { attemptOr } from "../../base/attempt.ts";
import { readIfThere } from "../../disk/atomic-file.ts";
import { resolveHookPath } from "../../disk/paths.ts";
import { itemsAt } from "./json-edits.ts";
import type { Entry, ThirdParty } from "./setup.ts";

/** Most files of one of pi's folders that are looked at. */
const MAX_FILES = 100;

/** What pi calls a list of code in its settings, the folder that it looks into beside that, and Cordon's own file. */
interface Kind {
  list: string;
  folder: string;
  own: string;
}

const EXTENSIONS: Kind = { list: "extensions", folder: "extensions", own: "cordon.ts" };
const HOOKS: Kind = { list: "hooks", folder: "hooks", own: "cordon-hook.mjs" };

/** Extensions of pi from 0.87 on: packages, those that its settings name, and those in its folder. */
export const piExtensions = (agentDir: string): ThirdParty[] => [
  ...packages(agentDir),
  ...ofKind(EXTENSIONS, agentDir),
];

/** Hooks of pi 0.27. */
export const piHooksOf = (agentDir: string): ThirdParty[] => ofKind(HOOKS, agentDir);

const settingsOf = (agentDir: string): string => join(agentDir, "settings.json");

/** The items of a list in pi's settings, each with its entry. */
function items(agentDir: string, list: string): { value: unknown; entry: Entry }[] {
  const file = settingsOf(agentDir);
  return itemsAt(readIfThere(file) ?? "", [list], file).map((value, at) => ({
    value,
    entry: { kind: "item", file, list, at, value },
  }));
}

/** Why pi does not load an extension of its own folder, if its settings leave it out: by path after `-`, or by a glob after `!`. */
export function leavesOut(agentDir: string, extension: string): string | undefined {
  const names = [relative(agentDir, extension), basename(extension), extension];
  const found = items(agentDir, EXTENSIONS.list).find(({ value }) => {
    const [, how, pattern = ""] = /^([-!])(?:\.\/)?(.+)$/.exec(typeof value === "string" ? value : "") ?? [];
    return how !== undefined && names.some((name) => name === pattern || (how === "!" && picomatch(pattern)(name)));
  });
  if (!found) return undefined;
  return `${settingsOf(agentDir)}: "extensions" has ${JSON.stringify(found.value)}, so pi does not load Cordon; take it out first`;
}

/** Cordon's own packages. */
const OWN = /^npm:(pi-)?cordon(@|$)/;

/** What pi fetched Cordon from, if it has it as one of its packages. */
export const ownPackage = (agentDir: string): string | undefined =>
  items(agentDir, "packages")
    .map(({ value }) => sourceOf(value) ?? "")
    .find((source) => OWN.test(source));

/** What a package is fetched from. `undefined`: pi runs no extension of it. */
function sourceOf(item: unknown): string | undefined {
  const { source, extensions } = (typeof item === "string" ? { source: item } : (item ?? {})) as {
    source?: unknown;
    extensions?: unknown;
  };
  const runsNone = Array.isArray(extensions) && extensions.length === 0;
  return typeof source === "string" && !runsNone ? source.trim() : undefined;
}

const packages = (agentDir: string): ThirdParty[] =>
  items(agentDir, "packages").flatMap(({ value, entry }) => {
    const source = sourceOf(value);
    if (source === undefined || OWN.test(source)) return [];
    return [at(source, packagePath(source, agentDir), settingsOf(agentDir), entry)];
  });

/** Where pi keeps a package. */
function packagePath(source: string, agentDir: string): string | undefined {
  if (source.startsWith("npm:")) {
    const name = attemptOr(() => npa(source.slice(4).trim()).name, undefined);
    return name ? join(agentDir, "npm", "node_modules", name) : undefined;
  }
  if (/^(git|github|https?|ssh):/.test(source)) return gitPath(source, agentDir);
  return resolveHookPath(source, agentDir);
}

/** A clone is kept under the host and the path of its URL. */
function gitPath(source: string, agentDir: string): string | undefined {
  const url = source.replace(/^git:(?!\/\/)/, "").replace(/(#.*|(?<=[^/:])@[^@/:]+)$/, "");
  const hosted = [url, `https://${url}`].map((text) => attemptOr(() => npa(text).hosted, undefined)).find(Boolean);
  if (!hosted) return undefined;
  const root = join(agentDir, "git");
  const folder = resolve(root, hosted.domain, hosted.user ?? "", hosted.project);
  return folder.startsWith(root + sep) ? folder : undefined;
}

function ofKind({ list, folder, own }: Kind, agentDir: string): ThirdParty[] {
  const named = items(agentDir, list).flatMap(({ value, entry }) => {
    // The others are patterns, which narrow what the folder has.
    if (typeof value !== "string" || /^[!+-]/.test(value) || basename(value) === own) return [];
    if (/[*?{[]/.test(value))
      return [{ name: value, where: settingsOf(agentDir), why: "a pattern: name its files one by one" }];
    if (list === HOOKS.list && !/^[~/]/.test(value))
      return [{ name: value, where: settingsOf(agentDir), why: "another file in each folder that pi is started in" }];
    return [at(value, resolveHookPath(value, agentDir), settingsOf(agentDir), entry)];
  });
  return [...named, ...inFolder(join(agentDir, folder), own)];
}

/** Files and folders that pi looks for by itself. */
function inFolder(folder: string, own: string): ThirdParty[] {
  const names = attemptOr(() => readdirSync(folder), []).sort();
  return names.slice(0, MAX_FILES).flatMap((name) => {
    if (name.startsWith(".") || name === "node_modules" || name === own || /\.d\.[cm]?ts$/.test(name)) return [];
    const file = join(folder, name);
    const isFolder = attemptOr(() => statSync(file).isDirectory(), false);
    const isCode =
      /\.[jt]s$/.test(name) ||
      (isFolder && ["package.json", "index.ts", "index.js"].some((one) => isThere(join(file, one))));
    return isCode ? [at(file, file, file, { kind: "file", file })] : [];
  });
}

const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

const at = (name: string, path: string | undefined, where: string, entry: Entry): ThirdParty =>
  path !== undefined && attemptOr(() => statSync(path), undefined)
    ? { name, where, code: { path, entry } }
    : { name, where, why: "its code is not on this disk" };
