import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sha256 } from "../../src/bundle/digest.ts";
import { accept, blocking, discoverIn, places } from "../host/places.ts";
import { writeFiles } from "../support/session.ts";
import { countingRuntime } from "./counting-runtime.ts";

const GATE = "project/.pi/hooks/gate.ts";
const MISMATCH = /its sources are those that were accepted, but its build is not; run: cordon accept/;

/** A project whose gate a person accepted. */
async function acceptedProject(source = blocking("honest")): Promise<string> {
  const folder = places({ [GATE]: source });
  const first = await discoverIn(folder);
  await accept(folder, first.hook(GATE));
  await first.host.close();
  return folder;
}

type Entry = { bundle: Record<string, unknown>; capabilities?: object; digest: string };

function entryOf(folder: string): Entry {
  return JSON.parse(readFileSync(join(folder, "home/grants.json"), "utf8")).hooks[join(folder, GATE)];
}

function changeRecord(folder: string, change: object): void {
  const entry = entryOf(folder);
  const hooks = { [join(folder, GATE)]: { ...entry, bundle: { ...entry.bundle, ...change } } };
  writeFiles(folder, { "home/grants.json": JSON.stringify({ version: 1, hooks }) });
}

/** Changes the kept bundle, and its hash to match. */
function tamper(folder: string): void {
  const bundles = join(folder, "home", "bundles");
  for (const name of readdirSync(bundles).filter((one) => one.endsWith(".json"))) {
    const { bundle } = JSON.parse(readFileSync(join(bundles, name), "utf8"));
    const other = bundle.replaceAll("honest", "stolen");
    expect(other).not.toBe(bundle);
    writeFileSync(join(bundles, name), JSON.stringify({ sha256: sha256(other), bundle: other }));
  }
}

test("accepted sources give the bundle that was built at acceptance", async () => {
  const folder = await acceptedProject();
  const { hook, blocked, log } = await discoverIn(folder);
  expect(hook(GATE).state).toBe("active");
  expect(await blocked()).toBe(`${GATE}: honest`);
  expect(log).toEqual([]);
});

test("another bundle of the same digest blocks with DIGEST_MISMATCH and the remedy", async () => {
  const folder = await acceptedProject();
  changeRecord(folder, { sha256: "0".repeat(64) });
  const { hook, blocked } = await discoverIn(folder);
  expect(hook(GATE)).toMatchObject({ state: "failed", reason: expect.stringMatching(MISMATCH) });
  expect(await blocked()).toMatch(/DIGEST_MISMATCH/);
});

test("a kept bundle that was replaced, with a matching hash, is not run: the sources are built", async () => {
  const folder = await acceptedProject();
  tamper(folder);
  const { hook, blocked } = await discoverIn(folder);
  expect(hook(GATE).state).toBe("active");
  expect(await blocked()).toBe(`${GATE}: honest`);
});

test("it is not run without the sources either", async () => {
  const folder = await acceptedProject();
  tamper(folder);
  rmSync(join(folder, GATE));
  const { hook, blocked } = await discoverIn(folder);
  expect(hook(GATE)).toMatchObject({
    state: "failed",
    reason: expect.stringContaining("its accepted form is not kept"),
  });
  expect(await blocked()).toMatch(/DIGEST_MISMATCH/);
});

test.each([
  ["nothing else", ["tool_call"], undefined],
  ["more", [], "also tool_call"],
  ["less", ["session", "tool_call"], "no more session"],
  ["something else", ["session"], "no more session, also tool_call"],
])("a bundle of another builder is rehearsed again, hears %s, and that is reported", async (_name, hears, told) => {
  const folder = await acceptedProject();
  const { digest, capabilities, bundle } = entryOf(folder);
  changeRecord(folder, { builder: "2-esbuild-0.1.0", sha256: "0".repeat(64), hears });
  const { hook, blocked, log, host } = await discoverIn(folder);
  expect(hook(GATE).state).toBe("active");
  expect(await blocked()).toBe(`${GATE}: honest`);
  expect(log.map(({ text }) => text)).toEqual(told === undefined ? [] : [expect.stringContaining(told)]);
  await host.close();
  // From then on this bundle is used, with the same grants.
  expect(entryOf(folder)).toMatchObject({ digest, bundle });
  expect(entryOf(folder).capabilities).toEqual(capabilities);
  const again = await discoverIn(folder);
  expect(again.log).toEqual([]);
  expect(readdirSync(join(folder, "home", "quarantine"))).toEqual([]);
});

test("a guard that has no handler any more, as another version of Cordon builds it, blocks in this session and the next", async () => {
  const folder = await acceptedProject('export default (pi: any) => pi.on("session", () => {});');
  changeRecord(folder, { builder: "2-esbuild-0.1.0", sha256: "0".repeat(64), hears: ["session", "tool_call"] });
  for (let session = 0; session < 2; session++) {
    const { blocked, log, host } = await discoverIn(folder);
    expect(log.map(({ text }) => text)).toEqual([expect.stringContaining("no more tool_call")]);
    expect(await blocked()).toContain("guarded tool calls before");
    await host.close();
  }
});

test("a hook that is not accepted is not built when a session starts", async () => {
  const folder = places({});
  for (let at = 0; at < 8; at++)
    writeFiles(folder, { [`project/.pi/hooks/large-${at}.ts`]: `export const enum E { ${"a,".repeat(1000)} }` });
  writeFiles(folder, { [GATE]: blocking("honest") });
  const builds = countingRuntime(join(folder, "home"));
  const { host } = await discoverIn(folder);
  expect(host.hooks.map(({ state }) => state)).toEqual(Array.from({ length: 9 }, () => "pending"));
  expect(builds()).toBe(0);
  await accept(folder, host.hooks.find(({ path }) => path.endsWith("gate.ts")) as (typeof host.hooks)[number]);
  const next = await discoverIn(folder);
  expect(next.host.hooks.filter(({ state }) => state === "active")).toHaveLength(1);
  expect(builds()).toBeLessThanOrEqual(1);
});

test("a hook that guarded tool calls when it was accepted blocks them until it guards again", async () => {
  const late = `export default (pi: any) => {
    pi.on("session", ({ reason }: any) => reason === "clear" && pi.on("tool_call", (event: any) => event.input.command === "no" ? { block: true, reason: "no" } : undefined));
  };`;
  const folder = await acceptedProject(late);
  changeRecord(folder, { hears: ["session", "tool_call"] });
  const { host } = await discoverIn(folder);
  const call = (command: string) =>
    host.emitToolCall({ type: "tool_call", toolName: "bash", toolCallId: "1", input: { command } });
  expect(await call("ls")).toMatchObject({ block: true, reason: expect.stringContaining("guarded tool calls before") });
  await host.emit({ type: "session", reason: "clear", entries: [], sessionFile: null, previousSessionFile: null });
  expect(await call("ls")).toBeUndefined();
  expect(await call("no")).toMatchObject({ block: true, reason: "no" });
});
