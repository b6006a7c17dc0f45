import { chmodSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { makeRunFolder, runFolder, socketPath } from "../../src/disk/daemon-places.ts";
import type { World } from "./world.ts";

/** Listens on the daemon's socket instead of a daemon. */
async function listen(world: World, answer: string | undefined): Promise<void> {
  await world.stop();
  makeRunFolder(world.home);
  rmSync(socketPath(world.home), { force: true });
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", () => answer !== undefined && socket.end(answer));
  });
  await new Promise<void>((done) => server.listen(socketPath(world.home), done));
  onTestFinished(() => {
    server.close();
    rmSync(socketPath(world.home), { force: true });
  });
}

const http = (status: number, body: string, length = body.length) =>
  `HTTP/1.1 ${status} x\r\ncontent-length: ${length}\r\n\r\n${body}`;

export interface Failure {
  name: string;
  arrange(world: World): unknown;
  /** What the agent writes. */
  text?: string | Buffer;
}

/** What can be wrong with the daemon, and with where it lies. */
export const DAEMON_FAILURES: Failure[] = [
  { name: "the daemon hangs", arrange: (world) => listen(world, undefined) },
  { name: "the daemon closes the connection", arrange: (world) => listen(world, "") },
  { name: "the daemon says half of it", arrange: (world) => listen(world, http(200, "0\n\n.", 50)) },
  { name: "the daemon says half a head", arrange: (world) => listen(world, "HTTP/1.1 200 x\r\ncontent-le") },
  { name: "the daemon does not end its answer", arrange: (world) => listen(world, http(200, "0\n")) },
  { name: "the daemon says no length", arrange: (world) => listen(world, "HTTP/1.1 200 x\r\n\r\n0\n") },
  { name: "the daemon says nonsense", arrange: (world) => listen(world, http(200, "1\nfine\n.")) },
  { name: "the daemon sends elsewhere", arrange: (world) => listen(world, http(302, "0")) },
  { name: "the daemon is of another kind", arrange: (world) => listen(world, "SSH-2.0-OpenSSH\r\n") },
  { name: "the daemon is of another version", arrange: (world) => listen(world, http(400, "this is version 9")) },
  { name: "the daemon wants variables for ever", arrange: (world) => listen(world, http(428, "variables")) },
  { name: "the socket is a file", arrange: (world) => put(world, (path) => writeFileSync(path, "")) },
  { name: "the socket is a link", arrange: (world) => put(world, (path) => symlinkSync("/dev/null", path)) },
  {
    name: "the socket's folder is open to others",
    async arrange(world) {
      // A daemon that knows the session, and would answer.
      await world.bash("fine", "s");
      setMode(runFolder(world.home), 0o777);
    },
  },
  {
    name: "the socket's folder is a link",
    async arrange(world) {
      await world.stop();
      makeRunFolder(world.home);
      const folder = runFolder(world.home);
      renameSync(folder, `${folder}.real`);
      symlinkSync(`${folder}.real`, folder);
      onTestFinished(() => {
        rmSync(folder);
        renameSync(`${folder}.real`, folder);
      });
    },
  },
  {
    name: "the socket's folder cannot be made",
    async arrange(world) {
      await world.stop();
      const folder = runFolder(world.home);
      rmSync(folder, { recursive: true, force: true });
      writeFileSync(folder, "");
      onTestFinished(() => rmSync(folder));
    },
  },
  {
    name: "the grants are broken",
    async arrange(world) {
      await world.stop();
      const grants = join(world.home, "grants.json");
      const before = readFileSync(grants);
      writeFileSync(grants, "{");
      onTestFinished(() => writeFileSync(grants, before));
    },
  },
];

export function move(path: string): void {
  renameSync(path, `${path}.away`);
  onTestFinished(() => renameSync(`${path}.away`, path));
}

export function setMode(path: string, mode: number): void {
  const before = statSync(path).mode;
  chmodSync(path, mode);
  onTestFinished(() => chmodSync(path, before));
}

/** Puts something else where the daemon's socket was. */
async function put(world: World, make: (path: string) => void): Promise<void> {
  await world.stop();
  makeRunFolder(world.home);
  const path = socketPath(world.home);
  make(path);
  onTestFinished(() => rmSync(path));
}
