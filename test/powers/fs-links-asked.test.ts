import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startSession, temporaryFolder } from "../support/session.ts";

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

test("of two paths, the question says which one leads elsewhere, and allows no other to", async () => {
  const texts: string[] = [];
  const source = `import { copyFile } from "node:fs/promises";
export default (pi: any) => { pi.on("tool_call", async () => {
  const said = await copyFile("in.txt", "out.txt").then(() => "copied", (error: any) => error.code);
  return { block: true, reason: said };
}); };`;
  const { call, folder } = await startSession(
    {
      copies: {
        source,
        manifest: { optional: { fs: { read: ["$CWD/**"], write: ["$CWD/**"] } } },
        grant: { capabilities: { events: { see: ["tool_call"], block: true } } },
      },
    },
    {
      hasUI: true,
      consent: ({ text }) => {
        texts.push(text);
        // The first question is answered while the other path leads there.
        if (texts.length === 1)
          for (const [from, to] of [
            ["in.txt", "kept"],
            ["out.txt", "in.txt"],
            ["kept", "out.txt"],
          ])
            renameSync(join(work, from as string), join(work, to as string));
        return "once";
      },
    },
  );
  const work = join(folder, "work");
  writeFileSync(join(work, "target"), "mine");
  writeFileSync(join(work, "out.txt"), "theirs");
  symlinkSync("target", join(work, "in.txt"));
  expect(await call()).toMatchObject({ reason: "NOT_GRANTED" });
  expect(readFileSync(join(work, "target"), "utf8")).toBe("mine");
  expect(await call()).toMatchObject({ reason: "copied" });
  expect(texts).toEqual([
    expect.stringContaining(`copy in.txt and out.txt, which leads to ${join(work, "target")} (in.txt)`),
    expect.stringContaining(`copy in.txt and out.txt, which leads to ${join(work, "target")} (out.txt)`),
  ]);
});

test("a link that no grant allows is an error of its hook's alone, whoever could be asked", async () => {
  const asked: string[] = [];
  const { call, host } = await startSession(
    {
      links: `import { symlinkSync } from "node:fs";
export default (pi: any) => { pi.on("tool_call", () => {
  const codes = [["a/../b", "l"], ["x", ".pi/x"], ["x", ".config"]].map(([to, at]: any) => { try { symlinkSync(to, at); return "made"; } catch (error: any) { return error.code; } });
  return { block: true, reason: codes.join() };
}); };`,
    },
    { hasUI: true, consent: ({ text }) => (asked.push(text) === 0 ? "deny" : "always") },
  );
  expect(await call()).toMatchObject({ reason: "NOT_GRANTED,NOT_GRANTED,NOT_GRANTED" });
  expect(asked).toEqual([]);
  expect(host.hooks).toMatchObject([{ state: "active" }]);
});

test("a link takes no place above Cordon's own folders, also where they are not there yet", async () => {
  const cwd = temporaryFolder();
  const source = `import * as fs from "node:fs";
export default (pi: any) => { pi.on("tool_call", () => {
  fs.mkdirSync("out/agent", { recursive: true });
  const codes = ["late", "early"].map((at) => { try { fs.symlinkSync("out", at); return "made"; } catch (error: any) { return error.code; } });
  return { block: true, reason: codes.join() };
}); };`;
  const grant = { capabilities: { events: { see: ["tool_call"], block: true }, fs: { write: ["$CWD/**"] } } };
  const { call } = await startSession({ links: { source, grant } }, { cwd, agentDir: join(cwd, "late", "agent") });
  expect(await call()).toMatchObject({ reason: "EPERM,made" });
});
