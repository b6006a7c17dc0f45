import { type ChildProcess, execFile, fork, spawn } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import type { Variant } from "./measure.ts";
import { EVENT, HANDLER } from "./rivals.ts";

const PACKAGES = ["quickjs-emscripten@0.32.0", "workerd@1.20261117.1", "secure-exec@0.2.1"];

/** Installs the rivals for the bench alone, and keeps them in the system's temporary folder. Undefined where that fails. */
async function installed(): Promise<string | undefined> {
  const folder = join(tmpdir(), "cordon-bench-rivals");
  const done = join(folder, "done");
  if (existsSync(done)) return folder;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "private": true }');
  try {
    await promisify(execFile)("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", ...PACKAGES], {
      cwd: folder,
      timeout: 300_000,
    });
  } catch {
    return undefined;
  }
  writeFileSync(done, "");
  return folder;
}

const judge = `let handler; ${HANDLER}; factory({ on(type, it) { handler = it; } });`;

async function gone(child: ChildProcess): Promise<void> {
  const exit = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGKILL");
  await exit;
}

/** A child process with Node's own channel: it has all rights, and contains nothing. */
async function forked(folder: string): Promise<Variant> {
  const program = join(folder, "forked.cjs");
  writeFileSync(
    program,
    `${judge} process.on("message", async (event) => process.send({ result: await handler(event, {}) }));`,
  );
  const child = fork(program);
  const once = (): Promise<void> =>
    new Promise((resolve) => {
      child.once("message", () => resolve());
      child.send(EVENT);
    });
  await once();
  return { name: "child_process.fork", once, close: () => gone(child) };
}

/** An engine in WebAssembly, within this process. Its handlers cannot wait. */
async function quickjs(packages: string): Promise<Variant> {
  const found = createRequire(join(packages, "package.json")).resolve("quickjs-emscripten");
  const { getQuickJS } = await import(pathToFileURL(found).href);
  const runtime = (await getQuickJS()).newRuntime();
  runtime.setMemoryLimit(64 * 1024 * 1024);
  const vm = runtime.newContext();
  const made = `${judge} globalThis.deliver = (text) => { let answer; handler(JSON.parse(text), {}).then((result) => { globalThis.answer = JSON.stringify({ result }); }); };`;
  vm.unwrapResult(vm.evalCode(made)).dispose();
  const deliver = vm.getProp(vm.global, "deliver");
  return {
    name: "quickjs-emscripten, in this process",
    async once() {
      const text = vm.newString(JSON.stringify(EVENT));
      vm.unwrapResult(vm.callFunction(deliver, vm.undefined, text)).dispose();
      vm.unwrapResult(runtime.executePendingJobs());
      const answer = vm.getProp(vm.global, "answer");
      JSON.parse(vm.getString(answer));
      answer.dispose();
      text.dispose();
    },
    async close() {
      deliver.dispose();
      vm.dispose();
      runtime.dispose();
    },
  };
}

/** Cloudflare's runtime, asked by HTTP over a Unix socket with a connection that is kept. */
async function workerd(packages: string, folder: string): Promise<Variant | undefined> {
  const program = join(packages, "node_modules", "@cloudflare", `workerd-${process.platform}-64`, "bin", "workerd");
  if (!existsSync(program)) return undefined;
  const socketPath = join(folder, "workerd.sock");
  const worker = `${judge} export default { async fetch(request) { return Response.json({ result: (await handler(await request.json(), {})) ?? null }); } };`;
  writeFileSync(join(folder, "worker.js"), worker);
  writeFileSync(
    join(folder, "workerd.capnp"),
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (services = [(name = "main", worker = .judge)],
  sockets = [(name = "http", address = "unix:${socketPath}", http = (), service = "main")]);
const judge :Workerd.Worker = (modules = [(name = "worker.js", esModule = embed "worker.js")], compatibilityDate = "2026-01-01");
`,
  );
  const child = spawn(program, ["serve", join(folder, "workerd.capnp")], { stdio: "ignore" });
  for (let tries = 0; !existsSync(socketPath) && tries < 100; tries++) await pause(100);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const once = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const asked = request({ socketPath, agent, method: "POST" }, (response) => {
        let text = "";
        response.on("data", (part) => {
          text += part;
        });
        response.on("end", () => {
          JSON.parse(text);
          resolve();
        });
      });
      asked.on("error", reject);
      asked.end(JSON.stringify(EVENT));
    });
  await once();
  const close = async (): Promise<void> => {
    agent.destroy();
    await gone(child);
  };
  return { name: "workerd, HTTP over a Unix socket", once, close };
}

/** An isolate for each call, as its documentation shows it. */
async function secureExec(packages: string): Promise<Variant> {
  const found = join(packages, "node_modules", "secure-exec", "dist", "index.js");
  const { NodeRuntime, createNodeDriver, createNodeRuntimeDriverFactory } = await import(pathToFileURL(found).href);
  const runtime = new NodeRuntime({
    systemDriver: createNodeDriver(),
    runtimeDriverFactory: createNodeRuntimeDriverFactory(),
  });
  const once = async (): Promise<void> => {
    const code = `${judge} export const answer = { result: await handler(${JSON.stringify(EVENT)}, {}) };`;
    const { code: status } = await runtime.run(code);
    if (status !== 0) throw new Error(`secure-exec ended with ${status}`);
  };
  await once();
  return { name: "secure-exec, an isolate for each call", once, close: async () => runtime.dispose() };
}

/** Other ways to run such a hook, as far as they can be installed here. */
export async function installedRivals(folder: string): Promise<Variant[]> {
  mkdirSync(folder, { recursive: true });
  const packages = await installed();
  if (packages === undefined) {
    console.log("quickjs-emscripten, workerd and secure-exec could not be installed: they are left out");
    return [await forked(folder)];
  }
  const served = await workerd(packages, folder);
  return [await forked(folder), await quickjs(packages), ...(served ? [served] : []), await secureExec(packages)];
}
