import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { needs } from "../../support/needs.ts";
import { COMMUNITY } from "./community.ts";
import { installPackage } from "./community-install.ts";
import { proposedFor, runPackage } from "./community-run.ts";
import { differences } from "./differential.ts";
import { SourceMissing } from "./git-source.ts";
import { lacksNamespace } from "./install.ts";
import { communityTable } from "./table.ts";

test("the README beside this file has the table", () => {
  const bare = (text: string): string => text.replace(/-+/g, "-").replace(/ +/g, " ");
  expect(bare(readFileSync(join(import.meta.dirname, "README.md"), "utf8"))).toContain(bare(communityTable()));
});

/** A build, two rehearsals and two runs of pi on a busy machine, and a download. */
const LONG_MS = 400_000;

async function inNewFolder<T>(run: (folder: string) => Promise<T>): Promise<T> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "cordon-package-")));
  try {
    return await run(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

describe("packages for pi, in pi as they are and within Cordon as trace proposes", needs(lacksNamespace()), () => {
  test.concurrent.for(COMMUNITY)("$name", { timeout: LONG_MS }, async (one, { expect, skip }) => {
    await installPackage(one).catch((error) => {
      if (error instanceof SourceMissing) skip(error.message);
      throw error;
    });
    const plain = await inNewFolder((folder) => runPackage(one, folder));
    const contained = await inNewFolder(async (folder) => {
      const granted = await proposedFor(one, folder);
      for (const left of readdirSync(folder)) rmSync(join(folder, left), { recursive: true });
      return runPackage(one, folder, granted);
    });
    expect(plain.requests.length + plain.errors.length).toBeGreaterThan(0);
    const differing = differences(plain, contained);
    if (one.not) expect(differing, "it does its job now").not.toEqual([]);
    else expect(differing).toEqual(Object.keys(one.differs ?? {}));
  });
});
