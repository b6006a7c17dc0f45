import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startSession } from "../support/session.ts";

/** A person who is asked about a path sees where it leads, and allows that alone. */

const READS = `import { readFile } from "node:fs/promises";
export default (pi: any) => { pi.on("tool_call", async ({ input }: any) => {
  const said = await readFile(input.path, "utf8").catch((error: any) => error.code);
  return { block: true, reason: said };
}); };`;

/** What a hook that may ask for the project reads of a path, and what a person was asked. `meanwhile`: while the question is open. */
async function asks(path: string, answer: "once" | "session", meanwhile: (work: string) => void = () => {}) {
  const texts: string[] = [];
  const session = await startSession(
    {
      reader: {
        source: READS,
        manifest: { optional: { fs: { read: ["$CWD/**"] } } },
        grant: { capabilities: { events: { see: ["tool_call"], block: true } } },
      },
    },
    {
      hasUI: true,
      consent: ({ text }) => {
        texts.push(text);
        meanwhile(work);
        return answer;
      },
    },
  );
  const work = join(session.folder, "work");
  mkdirSync(join(work, "private"));
  for (const name of ["thesis", "other"]) writeFileSync(join(work, "private", `${name}.txt`), name);
  writeFileSync(join(work, "plain.md"), "plain");
  symlinkSync("private/thesis.txt", join(work, "README.md"));
  symlinkSync("private", join(work, "docs"));
  const verdict = await session.call({ path });
  const said = verdict && "block" in verdict ? verdict.reason : undefined;
  return { said, texts, audit: session.audit, work };
}

test.each([
  ["a link", "README.md", "private/thesis.txt"],
  ["a folder that is a link", "docs/thesis.txt", "private/thesis.txt"],
])("%s: the question and the audit say where it leads", async (_what, path, target) => {
  const { said, texts, audit, work } = await asks(path, "once");
  expect(said).toBe("thesis");
  const value = `read ${path}, which leads to ${join(work, target)}`;
  expect(texts).toEqual([expect.stringContaining(`wants to use fs: ${value}`)]);
  expect(audit).toContainEqual(expect.objectContaining({ value, outcome: "consent: once" }));
});

test("a file of its own leads nowhere else", async () => {
  const { said, texts } = await asks("plain.md", "once");
  expect(said).toBe("plain");
  expect(texts).toEqual([expect.not.stringContaining("leads to")]);
});

test.each(["once", "session"] as const)(
  "a link that is replaced while the question is open gives nothing: %s",
  async (answer) => {
    const { said } = await asks("README.md", answer, (work) => {
      rmSync(join(work, "README.md"));
      symlinkSync("private/other.txt", join(work, "README.md"));
    });
    expect(said).toBe("NOT_GRANTED");
  },
);

test("a file that becomes a link while the question is open gives nothing", async () => {
  const { said } = await asks("plain.md", "once", (work) => {
    rmSync(join(work, "plain.md"));
    symlinkSync("private/other.txt", join(work, "plain.md"));
  });
  expect(said).toBe("NOT_GRANTED");
});
