import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterAll } from "vitest";

/** Starts the site for a file of questions; it ends with the file. */
export async function startSite(): Promise<number> {
  const program = join(import.meta.dirname, "modules-http-site.ts");
  const child = spawn(process.execPath, ["--no-warnings", program], { stdio: ["pipe", "pipe", "inherit"] });
  afterAll(() => void child.kill());
  const [port] = await once(child.stdout as NonNullable<typeof child.stdout>, "data");
  return Number(String(port));
}

/** A port that is free now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}
