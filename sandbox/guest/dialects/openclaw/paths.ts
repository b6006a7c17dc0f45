import type { GuestInit } from "../../../wire/messages.ts";

/** An absolute path, as OpenClaw makes one of what a person writes: `~` is the home folder, and the rest lies below the project. */
export function resolvedPath(given: string, { cwd, machine }: Pick<GuestInit, "cwd" | "machine">): string {
  const [separators, separator, absolute] =
    machine.platform === "win32" ? [/[\\/]/, "\\", /^([\\/]|[a-z]:)/i] : ["/", "/", /^\//];
  const path = given.trim();
  if (path === "") return "";
  const isOfHome = /^~($|[\\/])/.test(path);
  const [root, ...names] = (
    isOfHome ? machine.home + path.slice(1) : absolute.test(path) ? path : `${cwd}/${path}`
  ).split(separators);
  const way: string[] = [];
  for (const name of names)
    if (name === "..") way.pop();
    else if (name !== "" && name !== ".") way.push(name);
  return `${root}${separator}${way.join(separator)}`;
}

/** Where OpenClaw, and its plugins, keep what lasts. */
export const stateFolder = ({ machine }: Pick<GuestInit, "machine">): string => `${machine.home}/.openclaw`;
