import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { discoverAndLoadExtensions, type Extension } from "@earendil-works/pi-coding-agent";
import { HookHost } from "../../dist/src/index.js";
import type { HookScreen } from "../../src/hook-screen.ts";
import { print, type Row, round, Times } from "./measure.ts";

/** What the community's extensions mainly do: a tool, a command, a component that is drawn, a read of the session. */
const EXTENSION = `
export default function (pi: any) {
  pi.registerTool({
    name: "weigh", label: "Weigh", description: "Weighs a thing",
    parameters: { type: "object", properties: { thing: { type: "string" } } },
    execute: async (id: string, { thing }: any) => ({ content: [{ type: "text", text: thing + ": 5 kg" }], details: {} }),
  });
  pi.registerCommand("count", { handler: async (args: string) => { if (args.length > 100) throw new Error("too long"); } });
  pi.registerCommand("last", { handler: async (args: string, ctx: any) => {
    for (let left = Number(args); left > 0; left--) if (!ctx.sessionManager.getLeafEntry()) throw new Error("none");
  } });
  pi.registerCommand("branch", { handler: async (args: string, ctx: any) => {
    let letters = 0;
    for (const entry of ctx.sessionManager.getBranch()) letters += JSON.stringify(entry).length;
    if (letters < 1000) throw new Error("nothing read");
  } });
  pi.registerCommand("draw", { handler: async (args: string, ctx: any) => { await ctx.ui.custom(() => list()); } });
}
export const list = () => ({
  at: 0,
  handleInput() { this.at++; },
  invalidate() {},
  render(width: number) { return Array.from({ length: 20 }, (_, row) => (row === this.at % 20 ? "> " : "  ") + "row " + row + ".".repeat(width - 20)); },
});
`;

const ROUNDS = 5;
const TERMINAL = { width: 80, rows: 24 };
const START_COUNT = 20;

const entry = (id: number, letters: number) => ({
  type: "message",
  id: String(id),
  message: { role: "user", content: [{ type: "text", text: "x".repeat(letters) }] },
});
const ENTRIES = Array.from({ length: 1000 }, (_, id) => entry(id, 1000));

/** Extensions of pi, each beside the same in pi's own loader, in the agent's process. */
export async function extensions(folder: string): Promise<boolean> {
  const work = join(folder, "extensions");
  mkdirSync(join(work, "agent"), { recursive: true });
  const paths = Array.from({ length: START_COUNT }, (_, at) => join(work, `extension-${at}.ts`));
  for (const path of paths) writeFileSync(path, EXTENSION);
  const screens: HookScreen[] = [];
  const start = (count: number): Promise<HookHost> =>
    HookHost.start({
      cwd: work,
      home: join(work, "home"),
      discover: false,
      hasUI: true,
      ui: {
        select: async () => null,
        confirm: async () => false,
        input: async () => null,
        notify: () => {},
        custom: (screen) => void screens.push(screen),
      },
      agent: { session: { branch: () => ENTRIES, leafEntry: () => ENTRIES.at(-1) } },
      hooks: paths.slice(0, count).map((path) => ({
        path,
        grant: { capabilities: { tools: ["*"], commands: ["*"], ui: ["draw"], session: ["entries"] } },
      })),
      consent: () => "deny",
      log: () => {},
    });
  const load = async (count: number): Promise<Extension[]> =>
    (await discoverAndLoadExtensions(paths.slice(0, count), work, join(work, "agent"))).extensions;

  const host = await start(1);
  const [plain] = (await load(1)) as [Extension];
  const { offers } = host;
  const command = async (name: string, args: string): Promise<void> => {
    const { error } = await offers.runCommand("command", name, args);
    if (error !== undefined) throw new Error(error);
  };
  const session = { getBranch: () => ENTRIES, getLeafEntry: () => ENTRIES.at(-1) };
  const inProcess = (name: string, args: string) =>
    plain.commands.get(name)?.handler(args, { sessionManager: session } as never);
  const tool = plain.tools.get("weigh");
  const rows = [
    await compared("a call of a tool", 300, {
      contained: () => offers.runTool("weigh", { thing: "stone" }, { toolCallId: "1" }),
      own: () => tool?.definition.execute("1", { thing: "stone" }, undefined, undefined, {} as never),
    }),
    await compared("a command", 300, { contained: () => command("count", "1"), own: () => inProcess("count", "1") }),
    await compared("the last entry of the session", 20, {
      contained: () => command("last", "10"),
      own: () => inProcess("last", "10"),
      uses: 10,
    }),
    await compared("1000 entries of a session of 1 MB", 3, {
      contained: () => command("branch", ""),
      own: () => inProcess("branch", ""),
    }),
    await frame(host, screens, paths[0] as string),
  ];
  await host.close();
  rows.push(await started(start, load));
  return print("Extensions of pi, contained and in the agent's process", rows);
}

const shown = (us: number): string => (us > 10_000 ? `${round(us / 1000)} ms` : `${round(us, us < 10 ? 1 : 0)} µs`);

const row = (what: string, ours: Times, theirs: Times): Row => ({
  what,
  value: shown(ours.median),
  beside: `${shown(theirs.median)} in the agent's process`,
  ratio: ours.median / theirs.median,
});

/** `uses`: how many one run has. */
async function compared(
  what: string,
  runs: number,
  { contained, own, uses = 1 }: { contained(): unknown; own(): unknown; uses?: number },
): Promise<Row> {
  const [ours, theirs] = [new Times(), new Times()];
  for (let turn = 0; turn < ROUNDS; turn++)
    for (const [times, act] of [
      [ours, contained],
      [theirs, own],
    ] as const) {
      const began = performance.now();
      for (let left = runs; left > 0; left--) await act();
      times.add(((performance.now() - began) * 1000) / runs / uses);
    }
  return row(what, ours, theirs);
}

/** From a key to the lines that it led to. */
async function frame(host: HookHost, screens: HookScreen[], path: string): Promise<Row> {
  const run = host.offers.runCommand("command", "draw", "");
  while (screens.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  const screen = screens[0] as HookScreen;
  let changed: () => void = () => {};
  screen.onChange(() => changed());
  const next = (act: () => void): Promise<void> => {
    const drawn = new Promise<void>((resolve) => {
      changed = resolve;
    });
    act();
    return drawn;
  };
  await next(() => screen.render(TERMINAL));
  const { list } = (await import(path)) as { list(): { handleInput(): void; render(width: number): string[] } };
  const own = list();
  const made = await compared("a key, and the frame that it led to", 100, {
    contained: () => next(() => screen.handleInput("a")).then(() => screen.render(TERMINAL)),
    own: () => {
      own.handleInput();
      return own.render(TERMINAL.width);
    },
  });
  screen.close();
  await run;
  return made;
}

/** All bundles are cached, as they are at any start but the first. */
async function started(
  start: (count: number) => Promise<HookHost>,
  load: (count: number) => Promise<unknown>,
): Promise<Row> {
  await (await start(START_COUNT)).close();
  const [ours, theirs] = [new Times(), new Times()];
  for (let turn = 0; turn < ROUNDS; turn++) {
    let began = performance.now();
    const host = await start(START_COUNT);
    ours.add((performance.now() - began) * 1000);
    await host.close();
    began = performance.now();
    await load(START_COUNT);
    theirs.add((performance.now() - began) * 1000);
  }
  return row(`a start with ${START_COUNT} extensions`, ours, theirs);
}
