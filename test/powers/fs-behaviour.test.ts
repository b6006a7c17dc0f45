import { expect, test } from "vitest";
import { descriptors } from "./fs-behaviour-descriptors.ts";
import { listing, making, removing, renaming } from "./fs-behaviour-folders.ts";
import { openFiles } from "./fs-behaviour-open.ts";
import { facts, reading } from "./fs-behaviour-reading.ts";
import { watching } from "./fs-behaviour-watching.ts";
import { copying, flags, streams, writing } from "./fs-behaviour-writing.ts";
import { type Case, inCordon, inNode, runOf } from "./fs-sides.ts";

const TABLES: { name: string; cases: Case[] }[] = [
  { name: "reading", cases: reading },
  { name: "stat and its kin", cases: facts },
  { name: "writing", cases: writing },
  { name: "flags and appending", cases: flags },
  { name: "descriptors", cases: descriptors },
  { name: "open files, modes and times", cases: openFiles },
  { name: "copying", cases: copying },
  { name: "streaming", cases: streams },
  { name: "listing", cases: listing },
  { name: "making folders", cases: making },
  { name: "removing", cases: removing },
  { name: "renaming", cases: renaming },
  { name: "watching", cases: watching },
];

test.each(TABLES)(
  "$name in a hook gives the same results as in Node, except for the listed differences",
  async ({ cases }) => {
    const runs = cases.map(runOf);
    expect(new Set(runs).size).toBe(runs.length);
    const node = await inNode(runs);
    const cordon = await inCordon(runs);
    for (const one of cases) {
      const run = runOf(one);
      if (typeof one === "string") {
        expect.soft(cordon.get(run), run).toEqual(node.get(run));
        continue;
      }
      expect.soft(node.get(run), `Node: ${run}`).toMatchObject({ result: one.node });
      expect.soft(cordon.get(run), `Cordon, as ${one.why}: ${run}`).toMatchObject({ result: one.cordon });
    }
  },
  120_000,
);
