import { type ChildProcess, spawn } from "node:child_process";
import { realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll } from "vitest";
import { openclaw } from "../../src/agents/setup/openclaw.ts";
import type { Plugin } from "../../src/agents/setup/setup.ts";
import { builtForHost } from "../../src/base/package-root.ts";
import { writeFiles } from "../support/session.ts";
import type { Asked, Came } from "./plugin-host.ts";
import type { World } from "./world.ts";

type CallOptions = Partial<Omit<Extract<Asked, { kind: "call" }>, "kind" | "event">> & { id?: string; tool?: string };

/** OpenClaw's plugin, as it is entered. */
export const PLUGIN = openclaw.plugin as Plugin;

/** A process with OpenClaw's plugin as it is built, which asks the daemon of a world. It is ended after the file's tests. */
export class PluginProcess {
  readonly child: ChildProcess;
  readonly #answers: AsyncIterator<string>;
  #turn: Promise<unknown> = Promise.resolve();
  #calls = 0;

  constructor(world: World, { latestMs = 60_000, plugin = PLUGIN.loaded(world.home), env = {} } = {}) {
    const files = PLUGIN.files(world.home, realpathSync(process.execPath), builtForHost("cli", "start.js"));
    for (const [path, text] of Object.entries(files)) writeFiles(dirname(path), { [basename(path)]: text });
    const host = join(import.meta.dirname, "plugin-host.ts");
    this.child = spawn(process.execPath, [host, plugin, String(latestMs)], {
      cwd: world.work,
      env: { PATH: "/usr/bin:/bin", ...env },
      stdio: ["pipe", "pipe", "inherit"],
    });
    this.#answers = createInterface({ input: this.child.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]();
    afterAll(() => this.child.kill());
  }

  ask(asked: Asked): Promise<Came> {
    const done = this.#turn.then(async () => {
      this.child.stdin?.write(`${JSON.stringify(asked)}\n`);
      return JSON.parse((await this.#answers.next()).value);
    });
    this.#turn = done;
    return done;
  }

  /** A call of the shell, or of another tool. */
  call(params: Record<string, unknown> | string, options: CallOptions = {}): Promise<Came> {
    const { id = `call_${++this.#calls}`, tool = "exec", context = CONTEXT, ...more } = options;
    const input = typeof params === "string" ? { command: params } : params;
    const event = { toolName: tool, params: input, runId: "r", ...(id === "" ? {} : { toolCallId: id }) };
    return this.ask({ kind: "call", event, context, ...more });
  }

  result(result: object, context = CONTEXT): Promise<Came> {
    return this.ask({
      kind: "result",
      event: { toolCallId: "t", toolName: "exec", args: { command: "ls" }, isError: false, result },
      context,
    });
  }
}

export const CONTEXT = { agentId: "main", sessionKey: "agent:main:main", sessionId: "s", runId: "r" };
