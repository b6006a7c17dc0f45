import { execFileSync } from "node:child_process";
import { readFileSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { NO_OWN_SNAPSHOT, V8_FLAGS } from "../../sandbox/wire/v8-flags.ts";
import { locateRuntime, type Runtime } from "../../src/runtime/locate.ts";
import { mayUseOwnSnapshot } from "../../src/runtime/own-snapshot.ts";
import { SandboxProcess } from "../../src/supervisor/process.ts";
import { processFacts } from "../sandbox/proc.ts";
import { temporaryFolder } from "../support/session.ts";
import { differences, isReference, type ReadOnlyPart, snapshotsIn } from "./v8-snapshots.ts";

const { node: version } = process.versions;

let runtime: Runtime;
/** V8's own snapshot in the program of this Node, and Node's. */
let own: ReadOnlyPart;
let nodes: ReadOnlyPart;
beforeAll(async () => {
  runtime = await locateRuntime({ home: "/nonexistent", workspaces: [] });
  const found = snapshotsIn(readFileSync(runtime.node), process.versions.v8);
  expect(found).toHaveLength(2);
  const [one, other] = found.toSorted((a, b) => a.contexts - b.contexts);
  own = one?.part as ReadOnlyPart;
  nodes = other?.part as ReadOnlyPart;
});

test("in the Node that Cordon brings, the read-only objects of both snapshots are the same", () => {
  expect(differences(own, nodes)).toEqual([]);
  expect(own.segments.reduce((sum, { bytes }) => sum + bytes.length, 0)).toBeGreaterThan(100_000);
  // Of functions that an isolate makes after it began, none has the number of one that it began with.
  expect(nodes.nextFunction).toBeGreaterThanOrEqual(own.nextFunction);
});

/** A part with another byte at this place of its first segment. */
function changed(part: ReadOnlyPart, at: number): ReadOnlyPart {
  const [first, ...others] = part.segments.map((segment) => ({ ...segment, bytes: Buffer.from(segment.bytes) }));
  if (!first) throw new Error("no segment");
  first.bytes[at] = (first.bytes[at] ?? 0) ^ 1;
  return { ...part, segments: [first, ...others] };
}

test("a byte that differs in one of them is found, wherever it is", () => {
  const [first] = own.segments;
  if (!first) throw new Error("no segment");
  fc.assert(
    fc.property(fc.nat(first.bytes.length - 1), (at) => {
      const [word, isLow] = [at >> 3, (at & 7) < 4];
      // What V8 makes anew: the upper half of a reference, and what may be the hash of a name.
      fc.pre(isReference(first, word) ? isLow : !isLow || !isReference(first, word - 1));
      expect(differences(own, changed(own, at))).toHaveLength(1);
    }),
  );
  // It follows a map, too, but that of numbers.
  expect(differences(own, changed(own, 8))).toEqual(["0: 8"]);
  const more = Buffer.concat([own.roots, Buffer.from([1, 2, 3, 4])]);
  expect(differences(own, { ...own, roots: more })).toEqual(["the roots"]);
  expect(differences(own, { ...own, pages: [...own.pages, 16] })).toEqual(["the pages"]);
  expect(differences(own, { ...own, segments: own.segments.slice(1) })).toEqual(["the segments"]);
});

test("only that very Node uses its own snapshot: another version or another size does not", () => {
  const folder = temporaryFolder();
  const [link, longer] = [join(folder, "link"), join(folder, "longer")];
  symlinkSync(runtime.node, link);
  writeFileSync(longer, "");
  truncateSync(longer, readFileSync(runtime.node).length + 1);
  expect(runtime.ownSnapshot).toBe(true);
  const said = [link, longer, join(folder, "none"), folder].map((node) => mayUseOwnSnapshot(node, version));
  expect(said).toEqual([true, false, false, false]);
  expect(["26.9.0", "26.10.1", "6.10.0", ""].map((other) => mayUseOwnSnapshot(runtime.node, other))).toEqual(
    Array(4).fill(false),
  );
});

test("isolates do the same in a process that uses its own snapshot", () => {
  const program = fileURLToPath(new URL("isolates-program.mjs", import.meta.url));
  const [theirs, ours] = [[NO_OWN_SNAPSHOT], []].map((flags) =>
    execFileSync(runtime.node, [...flags, ...V8_FLAGS, program, runtime.addon], { encoding: "utf8" }),
  );
  expect(ours).toBe(theirs);
  // All isolates, and both realms of each, said the same.
  expect(ours?.trim().split("\n")).toHaveLength(1);
});

test.each([true, false])("a sandbox process whose Node may use its own snapshot: %s", async (ownSnapshot) => {
  const sandbox = new SandboxProcess({ ...runtime, ownSnapshot }, { memoryMb: 64, jit: false });
  await sandbox.ready;
  const command = processFacts(sandbox.pid as number)?.command;
  sandbox.kill({ code: "CRASHED", summary: "the test is over" });
  await sandbox.gone;
  expect(command?.includes("--no-node-snapshot")).toBe(!ownSnapshot);
});
