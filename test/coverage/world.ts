import { execFileSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { vi } from "vitest";
import type { Row } from "./row.ts";

/** Folders that represent a person's machine for one hook: always the same paths, created anew each time. */
export interface World {
  readonly base: string;
  /** The project. */
  readonly work: string;
  /** The folders of `os.homedir()` and `os.tmpdir()`. */
  readonly home: string;
  readonly tmp: string;
  /** The hook, at a person's usual path. */
  readonly hook: string;
  /** Of the loopback server, or a free one. */
  readonly port: number;
}

export const pathsOf = (base: string, row: Row, port = 0): World => {
  const [work, home, tmp] = [join(base, "work"), join(base, "home"), join(base, "tmp")] as const;
  return { base, work, home, tmp, hook: join(home, ".pi/agent/hooks", `${row.hook}.ts`), port };
};

/** Creates the row's initial state of the world. */
export function prepare(row: Row, world: World): void {
  for (const name of ["work", "home", "tmp", "bin"]) {
    rmSync(join(world.base, name), { recursive: true, force: true });
    mkdirSync(join(world.base, name), { recursive: true });
  }
  mkdirSync(dirname(world.hook), { recursive: true });
  copyFileSync(join(import.meta.dirname, "hooks", `${row.hook}.ts`), world.hook);
  const files = { "home/.gitconfig": "[user]\n\tname = Ada\n\temail = ada@example.com\n", ...row.files };
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(world.base, path)), { recursive: true });
    writeFileSync(join(world.base, path), content);
    if (path.startsWith("bin/")) chmodSync(join(world.base, path), 0o755);
  }
  if (!row.repository) return;
  git(world, "init", "--quiet", "--initial-branch=main");
  git(world, "add", "--all");
  git(world, "commit", "--quiet", "--allow-empty", "-m", "first");
  for (const [path, content] of Object.entries(row.changed ?? {})) writeFileSync(join(world.base, path), content);
}

/** git as the person runs it. */
export const git = (world: World, ...args: string[]): string =>
  execFileSync("git", args, { cwd: world.work, encoding: "utf8" });

/** The process's environment becomes that of the world; `vi.unstubAllEnvs` ends that. */
export function enter(row: Row, world: World): void {
  const variables = {
    HOME: world.home,
    TMPDIR: world.tmp,
    PATH: `${join(world.base, "bin")}:${process.env.PATH}`,
    CI: "",
    ...row.env?.(world),
  };
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value === "" ? undefined : value);
}

export const write = (path: string, content: string) => (world: World) =>
  writeFileSync(join(world.base, path), content);

/** A file's text, or undefined. */
export function read(world: World, path: string): string | undefined {
  const file = join(world.base, path);
  return existsSync(file) ? readFileSync(file, "utf8") : undefined;
}

/** Matching names in a folder. */
export const list = (world: World, path: string, fits: RegExp): string[] => {
  const folder = join(world.base, path);
  return existsSync(folder) ? readdirSync(folder).filter((name) => fits.test(name)) : [];
};

/** A loopback server with the row's answers; without any it is gone at once and leaves its port free. */
export async function serve({ answers }: Row) {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => (body += chunk));
    request.on("end", () => {
      requests.push(`${request.method} ${request.url} ${body} ${request.headers["x-signature"] ?? ""}`.trim());
      const answer = answers?.[request.url ?? ""];
      response.writeHead(answer?.status ?? (answer ? 200 : 404), { "content-type": "application/json" });
      response.end(answer?.body ?? "{}");
    });
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  const close = () =>
    new Promise((closed) => {
      server.close(closed);
      server.closeAllConnections();
    });
  if (!answers) await close();
  return { port, requests, close: answers ? close : async () => {} };
}
