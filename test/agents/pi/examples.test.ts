import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { needs } from "../../support/needs.ts";
import { differences, runExample } from "./differential.ts";
import { EXAMPLES } from "./examples.ts";
import { installPi, lacksNamespace } from "./install.ts";
import { exampleTable } from "./table.ts";

test("the README beside this file has the table", () => {
  const bare = (text: string): string => text.replace(/-+/g, "-").replace(/ +/g, " ");
  expect(bare(readFileSync(join(import.meta.dirname, "README.md"), "utf8"))).toContain(bare(exampleTable()));
});

const missing = lacksNamespace();

/** Two runs of pi on a busy machine. */
const LONG_MS = 180_000;

/** Several rows run side by side: each has folders of its own. */
async function inNewFolder<T>(run: (folder: string) => Promise<T>): Promise<T> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "cordon-example-")));
  try {
    return await run(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

describe("pi's examples, in pi 1.5.2 as they are and within Cordon", needs(missing), () => {
  test("each has a row", async () => {
    const { folder } = await installPi("1.5.2");
    const names = readdirSync(join(folder, "examples", "extensions")).filter((name) => name !== "README.md");
    expect(EXAMPLES.map(({ name }) => name)).toEqual(names.sort());
  });

  test.concurrent.each(EXAMPLES)("$name", { timeout: LONG_MS }, async (example) => {
    const plain = await inNewFolder((folder) => runExample(example, folder, false));
    const contained = await inNewFolder((folder) => runExample(example, folder, true));
    expect(plain.requests.length + plain.errors.length).toBeGreaterThan(0);
    expect(differences(plain, contained)).toEqual(Object.keys(example.differs ?? {}));
  });
});
