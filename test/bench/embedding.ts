import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { PACKAGE_ROOT } from "../../src/base/package-root.ts";
import { print, round, Times } from "./measure.ts";
import { EVENT, HOOK } from "./rivals.ts";

const run = promisify(execFile);
const TURNS = 12;

/** CPU time of a program's own process, in ms, and its memory at its end, in MB. */
interface Used {
  cpu: number;
  rss: number;
}

const NEVER = Number.NaN;

/** What Cordon's entry needs of Node: the imports of its file and of the chunks that it names. */
function builtinsOf(entry: string): string[] {
  const seen = new Set<string>();
  const found = new Set<string>();
  const read = (path: string): void => {
    if (seen.has(path)) return;
    seen.add(path);
    const text = readFileSync(path, "utf8");
    for (const [, name = ""] of text.matchAll(/(?:^|[;}\s])(?:import|export)\b[^;'"()]*?["']([^"']+)["']/g)) {
      if (name.startsWith("node:")) found.add(name);
      else if (name.startsWith(".")) read(join(path, "..", name));
    }
  };
  read(entry);
  return [...found];
}

/** The modules of Node itself that a program has loaded at its end. */
async function builtinsIn(text: string, path: string): Promise<string[]> {
  const list = "process.moduleLoadList.map((name) => name.replace('NativeModule ', '')).filter(isBuiltin)";
  const told = `const { isBuiltin } = await import("node:module"); console.log(JSON.stringify(${list})); process.exit(0);`;
  writeFileSync(path, `${text}\n${told}`);
  const { stdout } = await run(process.execPath, [path]);
  return (JSON.parse(stdout) as string[]).map((name) => `node:${name}`);
}

const importing = (names: readonly string[]): string =>
  names.map((name) => `import ${JSON.stringify(name)};`).join("\n");

/** What the library costs the program that embeds it: its import, and the start of a session. */
export async function embedding(folder: string): Promise<boolean> {
  const entry = join(PACKAGE_ROOT, "dist", "src", "index.js");
  const url = JSON.stringify(pathToFileURL(entry).href);
  mkdirSync(join(folder, "work"), { recursive: true });
  const hooks = Array.from({ length: 4 }, (_, at) => {
    const path = join(folder, `gate-${at}.ts`);
    writeFileSync(path, `${HOOK}\n// ${at}`);
    return { path };
  });
  const options = { cwd: join(folder, "work"), home: join(folder, "home"), discover: false, spare: false, hooks };
  const session = `import { HookHost } from ${url}; const host = await HookHost.start(${JSON.stringify(options)}); await host.emitToolCall(${JSON.stringify(EVENT)});`;
  const programs = {
    nothing: "",
    builtins: importing(builtinsOf(entry)),
    import: `import ${url};`,
    // The first session builds its hooks, too.
    needed: importing(await builtinsIn(session, join(folder, "first.mjs"))),
    session,
  };
  const used = new Map<string, { cpu: Times; rss: Times }>();
  const told =
    "const { user, system } = process.cpuUsage(); console.log(JSON.stringify({ cpu: (user + system) / 1000, rss: process.memoryUsage.rss() / 2 ** 20 })); process.exit(0);";
  for (const [name, text] of Object.entries(programs)) {
    writeFileSync(join(folder, `${name}.mjs`), `${text}\n${told}`);
    used.set(name, { cpu: new Times(), rss: new Times() });
  }
  for (let turn = 0; turn < TURNS; turn++)
    for (const [name, times] of used) {
      const { stdout } = await run(process.execPath, [join(folder, `${name}.mjs`)]);
      const { cpu, rss }: Used = JSON.parse(stdout);
      times.cpu.add(cpu);
      times.rss.add(rss);
    }
  const of = (name: string): Used => ({
    cpu: used.get(name)?.cpu.median ?? NEVER,
    rss: used.get(name)?.rss.median ?? NEVER,
  });
  const row = (what: string, name: string, floor: string, cpuGoal: number, mbGoal: number) => {
    const [mine, base] = [of(name), of(floor)];
    const [cpu, rss] = [mine.cpu - base.cpu, mine.rss - base.rss];
    return [
      {
        what: `${what}: CPU time`,
        value: `${round(cpu)} ms more`,
        beside: `${round(base.cpu - of("nothing").cpu)} ms: Node's built-ins`,
        ratio: cpu / cpuGoal,
        goal: 1,
      },
      {
        what: `${what}: memory`,
        value: `${round(rss, 1)} MB more`,
        beside: `${round(base.rss - of("nothing").rss, 1)} MB: Node's built-ins`,
        ratio: rss / mbGoal,
        goal: 1,
      },
    ];
  };
  return print(`What it costs who embeds it (medians of ${TURNS}, ratio to the goal)`, [
    ...row('import "cordon" (60 ms, 12 MB)', "import", "builtins", 60, 12),
    ...row("import, start with four cached hooks, first verdict (120 ms, 25 MB)", "session", "needed", 120, 25),
  ]);
}
