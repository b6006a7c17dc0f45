import { readFileSync } from "node:fs";
import { join } from "node:path";
import pacote from "pacote";
import { expect, test } from "vitest";
import { fetchPackage } from "../../src/runtime/fetch-package.ts";
import { NODES } from "../../src/runtime/nodes.ts";
import { differences, snapshotsIn } from "../runtime/v8-snapshots.ts";
import { temporaryFolder } from "../support/session.ts";

test.each(Object.entries(NODES))(
  "the Node for %s may use its own snapshot beside isolated-vm",
  async (platform, node) => {
    const folder = temporaryFolder();
    await fetchPackage(node, join(folder, "node.tgz"), () => {}, { cache: join(folder, "cache") });
    await pacote.extract(`file:${join(folder, "node.tgz")}`, join(folder, "node"), {
      integrity: node.integrity,
      ignoreScripts: true,
      cache: join(folder, "cache"),
    });
    const program = readFileSync(join(folder, "node", "bin", platform.startsWith("win32") ? "node.exe" : "node"));
    expect(program).toHaveLength(node.program);
    const [one, other] = snapshotsIn(program, process.versions.v8).toSorted((a, b) => a.contexts - b.contexts);
    if (!one || !other) throw new Error("not two snapshots");
    expect(differences(one.part, other.part)).toEqual([]);
    expect(other.part.nextFunction).toBeGreaterThanOrEqual(one.part.nextFunction);
  },
);
