import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { HookHost } from "../../dist/src/index.js";
import { BuildProcess } from "../../src/bundle/build-process.ts";
import { writeFiles } from "../support/session.ts";
import { print, type Row, round, Times } from "./measure.ts";
import { EVENT, HOOK } from "./rivals.ts";

const TURNS = 8;

const HOOKS: readonly [what: string, file: string, source: string][] = [
  ["a hook without imports", "gate.ts", HOOK],
  [
    "a hook with files, paths and programs",
    "files.ts",
    `import { execFileSync } from "node:child_process";
    import { readFileSync } from "node:fs";
    import { join } from "node:path";
    export default (pi) => {
      pi.on("tool_call", () => undefined);
      pi.on("session_shutdown", () => execFileSync(readFileSync(join("a", "b"), "utf8")));
    };`,
  ],
  [
    "a hook with a component of pi's",
    "component.ts",
    `import { Text } from "@earendil-works/pi-tui";
    export default (pi) => {
      pi.on("tool_call", () => undefined);
      pi.on("session_shutdown", (_event, ctx) => ctx.ui.custom(() => new Text("hello")));
    };`,
  ],
  [
    "an extension with a tool and TypeBox",
    "tool.ts",
    `import { Type } from "typebox";
    export default (pi) => {
      pi.on("tool_call", () => undefined);
      pi.registerTool({
        name: "tool", label: "Tool", description: "A tool", parameters: Type.Object({ path: Type.String() }),
        execute: async () => ({ content: [] }),
      });
    };`,
  ],
];

/** Reads paths of files. Bundles each as a program for Node, with the packages that it imports. */
const ESBUILD = `
const { build } = require(${JSON.stringify(fileURLToPath(import.meta.resolve("esbuild")))});
require("node:readline").createInterface({ input: process.stdin }).on("line", async (entry) => {
  await build({
    entryPoints: [entry], bundle: true, write: false, format: "esm", platform: "node", sourcemap: "external", outdir: "/",
    nodePaths: [${JSON.stringify(join(import.meta.dirname, "..", "..", "node_modules"))}],
  });
  console.log();
});`;

/** Builds in one process: the first, which starts it, and the next ones. */
interface Builder {
  build(file: string): Promise<unknown>;
  end(): Promise<unknown>;
}

function cordon(root: string): Builder {
  const process = new BuildProcess(globalThis.process.execPath);
  return {
    async build(entry) {
      const answer = await process.build({ root, entry });
      if ("lost" in answer || !answer.ok) throw new Error(JSON.stringify(answer));
    },
    end: () => process.end(),
  };
}

function esbuild(root: string): Builder {
  const child = spawn(process.execPath, ["-e", ESBUILD], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async build(file) {
      child.stdin.write(`${join(root, file)}\n`);
      await lines.next();
    },
    end() {
      child.kill("SIGKILL");
      return once(child, "exit");
    },
  };
}

/** How long a hook takes that nobody has built before, beside esbuild for a program of Node's, and a session with it. */
export async function builds(folder: string): Promise<boolean> {
  writeFiles(folder, Object.fromEntries(HOOKS.map(([, file, source]) => [file, source])));
  const rows = [...(await built(folder)), ...(await started(folder))];
  return print("A hook is built, and starts with a session", rows);
}

async function built(folder: string): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [what, file] of HOOKS) {
    const times = [cordon, esbuild].map((start) => ({ start, first: new Times(), next: new Times() }));
    for (let turn = 0; turn < TURNS; turn++)
      for (const { start, first, next } of times) {
        const builder = start(folder);
        for (const time of [first, next, next]) {
          const started = performance.now();
          await builder.build(file);
          time.add(performance.now() - started);
        }
        await builder.end();
      }
    const [ours, theirs] = times as [(typeof times)[number], (typeof times)[number]];
    for (const [which, name] of [
      ["first", "with the start of its process"],
      ["next", "the next in that process"],
    ] as const)
      rows.push({
        what: `${what}, ${name}`,
        value: `${round(ours[which].median)} ms`,
        beside: `${round(theirs[which].median)} ms esbuild for Node, without its built-in modules`,
        ratio: ours[which].median / theirs[which].median,
      });
  }
  return rows;
}

/** Sessions with hooks that are built, in turns, each until its first verdict. */
async function started(folder: string): Promise<Row[]> {
  const times = new Map(HOOKS.map(([what]) => [what, new Times()]));
  // The first turn builds them.
  for (let turn = -1; turn < TURNS; turn++)
    for (const [what, file] of HOOKS) {
      const path = join(folder, file);
      const before = performance.now();
      const host = await HookHost.start({
        cwd: folder,
        home: join(folder, "home"),
        discover: false,
        spare: false,
        consent: () => "deny",
        log: () => {},
        hooks: [{ path, grant: { capabilities: { events: { see: ["tool_call"], block: true } } } }],
      });
      await host.emitToolCall({ ...EVENT, input: { ...EVENT.input } });
      if (turn >= 0) times.get(what)?.add(performance.now() - before);
      await host.close();
    }
  const [[, plain], ...others] = [...times] as [[string, Times], ...[string, Times][]];
  return others.map(([what, { median }]) => ({
    what: `a session with ${what}, which is built, to its first verdict`,
    value: `${round(median)} ms`,
    beside: `${round(plain.median)} ms a session with a hook without imports`,
    ratio: median / plain.median,
  }));
}
