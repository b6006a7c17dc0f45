import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Capabilities, powersOf } from "../../src/grants/schema.ts";
import { acceptFile } from "../../src/market/install.ts";
import type { StagedHook } from "../../src/market/stage.ts";
import { mayBlock } from "../../src/powers/events.ts";
import { onToolCall, temporaryFolder, writeFiles } from "../support/session.ts";
import { HOOK } from "./hostile-tar.ts";
import { atTerminal } from "./hostile-terminal.ts";
import { asks, Machine } from "./world.ts";

/** What the manifests of these hooks ask for; `undefined` for one that says nothing of powers. */
const MANIFESTS: Record<string, Capabilities | undefined> = {
  "no powers named": undefined,
  nothing: {},
  "a power, and nothing of events": { env: ["CI"] },
  "one event, to block": { events: { see: ["tool_call"], block: true } },
  "one event": { events: { see: ["tool_call"] } },
  "one event, as an observer": { events: { see: ["tool_call"], block: false } },
  "an event that nobody blocks": { events: { see: ["session"] } },
  "no event": { events: { see: [] } },
  "an event of extensions": { events: { see: ["tool_call", "input"], rewriteUserInput: true } },
  "results to guard and to change": {
    events: { see: ["tool_result"], guardResult: ["read"], rewriteResult: ["read"] },
  },
  "to cancel": { events: { see: ["*"], block: true, cancel: true } },
  "one dialog": { events: { see: ["tool_call"], block: true }, ui: ["confirm"] },
  "what is typed": { ui: ["typing"] },
  "all of that": {
    events: { see: ["*", "input"], cancel: true, rewriteInput: ["*"] },
    ui: ["notify", "draw"],
    env: ["CI"],
    net: { connect: ["example.com:443"] },
  },
};

/** What a hook that says nothing of powers may be given: what one of the user's own has. */
const USUAL: Capabilities = {
  events: { see: ["*"], block: true, cancel: true },
  ui: ["notify", "select", "confirm", "input"],
};

const subsets = (names: readonly string[]): string[][] =>
  Array.from({ length: 2 ** names.length }, (_, chosen) => names.filter((_name, at) => chosen & (1 << at)));

const staged = (capabilities: Capabilities | undefined): StagedHook => ({
  id: "/project/.cordon/hooks/gate.ts",
  file: "gate.ts",
  manifest: capabilities && { capabilities },
  digest: `sha256-${"0".repeat(64)}`,
  sha256: "0".repeat(64),
  builder: "1",
  uses: [],
  lacks: [],
  settings: [],
  carries: false,
});

/** What the grants have after a person accepted a hook with these powers. */
function stored(capabilities: Capabilities | undefined, chosen: readonly string[]): Capabilities {
  const home = temporaryFolder();
  const hook = staged(capabilities);
  acceptFile(home, hook, () => {}, chosen);
  return JSON.parse(readFileSync(join(home, "grants.json"), "utf8")).hooks[hook.id].capabilities;
}

const CHOICES = Object.entries(MANIFESTS).flatMap(([name, asks]) =>
  subsets(Object.keys(asks ?? USUAL)).map((chosen) => ({ name, asks, chosen, which: chosen.join(" ") || "none" })),
);

test.each(CHOICES)(
  "$name, and $which chosen: it has what it asks for and was given, and no more",
  ({ asks, chosen }) => {
    const all: Capabilities = asks ?? USUAL;
    const now = stored(asks, chosen);
    // Without `events` in its manifest, it hears and blocks.
    const hearing: Capabilities = { events: { see: ["*"], block: true } };
    expect(powersOf.covers(all.events && asks ? all : powersOf.union(all, hearing), now)).toBe(true);
    expect(Object.keys(now).sort()).toEqual([...new Set([...chosen, "events"])].sort());
    for (const power of chosen) expect(now).toHaveProperty(power, (all as Record<string, unknown>)[power]);
    // What was not chosen of `events`: it decides nothing but a block, and hears and guards what it asked for.
    if (chosen.includes("events")) return;
    expect(Object.keys(now.events ?? {}).filter((right) => !["see", "block", "guardResult"].includes(right))).toEqual(
      [],
    );
    expect(now.events?.see).toEqual(asks?.events?.see ?? ["*"]);
    expect(mayBlock(now.events)).toBe(asks?.events ? mayBlock(asks.events) : true);
  },
);

const ASKS: Capabilities = { events: { see: ["tool_call"], block: true }, env: ["CI"] };
const LEAST: Capabilities = { events: { see: ["tool_call"], block: true } };

/** Entries that a person, an older version or a mishap left in the grants of an installed hook, without its `events`. */
const ENTRIES: Record<string, (digest: string) => object> = {
  "no entry at all": () => ({}),
  "an entry of other bytes": () => ({ gate: { digest: `sha256-${"1".repeat(64)}`, capabilities: USUAL } }),
  "an entry without powers": (digest) => ({ gate: { digest } }),
  "an entry with no power": (digest) => ({ gate: { digest, capabilities: {} } }),
};

test("whatever its entry lacks, an installed hook hears and blocks as it asks for, and `list` says so", async () => {
  const machine = new Machine();
  const folder = machine.package(
    "gate",
    { cordon: { hooks: ["./index.ts"], capabilities: ASKS } },
    { "index.ts": HOOK },
  );
  const said = await machine.install(folder, "none");
  expect(said).toContain("\ninstalled gate without powers: in new sessions it may hear and block");
  const [row] = (await machine.json<{ hooks: { powers: string[] }[] }>(["list"])).hooks;
  expect(row?.powers).toEqual([]);
  const { digest } = machine.disk().grants.gate ?? { digest: "" };
  for (const [name, entry] of Object.entries(ENTRIES)) {
    mkdirSync(machine.home, { recursive: true });
    writeFileSync(join(machine.home, "grants.json"), JSON.stringify({ version: 1, hooks: entry(digest) }));
    const { hooks } = await machine.host();
    expect([name, hooks[0]?.capabilities]).toEqual([name, LEAST]);
  }
});

test("the commands that `add` prints for a hook without powers work as they stand, and `trace` looks at this project", async () => {
  const machine = new Machine();
  const json = asks({ events: ASKS.events, fs: { read: ["$CWD/notes.txt"] }, env: ["CI"] });
  const body = `const notes = require("node:fs").readFileSync("notes.txt", "utf8");
    if (notes === "milk") await ctx.exec("git", ["status"]).catch(() => {});`;
  const said = await machine.install(machine.package("gate", json, { "index.ts": onToolCall(body) }), "none");
  const printed = [...said.matchAll(/\bcordon (?:grant|trace) [^,\n]*?(?=,|\n| proposes)/g)].map(([line]) => line);
  expect(printed).toEqual(["cordon trace gate", "cordon grant gate fs", "cordon grant gate env"]);
  writeFiles(machine.work, { "notes.txt": "milk" });
  const { capabilities } = await machine.json<{ capabilities: Capabilities }>(["trace", "gate"]);
  expect(capabilities.exec).toEqual([{ program: "git", args: ["status"] }]);
  for (const line of printed.slice(1))
    expect(await atTerminal(machine, line, [[/Grant/, "y"]])).toMatchObject({ code: 0 });
  expect(Object.keys(machine.disk().grants.gate?.capabilities ?? {}).sort()).toEqual(["env", "events", "fs"]);
});

test("for a hook that names no powers, `add` prints no grant of a power that would need a value", async () => {
  const machine = new Machine();
  const body = 'require("node:fs").readFileSync("notes.txt");';
  const folder = machine.package("gate", { cordon: { hooks: ["./index.ts"] } }, { "index.ts": onToolCall(body) });
  const said = await machine.install(folder, "none");
  expect(said).toContain("for what it was refused: cordon trace gate proposes what to grant\n");
  expect(said).not.toContain("cordon grant");
});

test("a hook without powers withholds the results that it asks to guard, which its installation shows and says", async () => {
  const machine = new Machine();
  const events = { see: ["tool_result"], guardResult: ["*"], rewriteResult: ["*"] };
  const folder = machine.package(
    "gate",
    { cordon: { hooks: ["./index.ts"], capabilities: { events } } },
    {
      "index.ts": `import type { HookAPI } from "cordon/hooks";
export default (pi: HookAPI) => { pi.on("tool_result", () => ({ content: [{ type: "text", text: "***" }] })); };
`,
    },
  );
  const said = await machine.install(folder, "none");
  expect(said).toContain("the result is withheld");
  expect(said).toContain("\ninstalled gate without powers: in new sessions it may hear and withhold results");
  const { stdout } = await machine.run(["list"]);
  expect(stdout).toMatch(/^gate .* only withholding results$/m);
});
