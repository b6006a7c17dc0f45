import { test } from "vitest";
import { descriptors } from "./fs-behaviour-descriptors.ts";
import { listing, making, removing, renaming } from "./fs-behaviour-folders.ts";
import { openFiles } from "./fs-behaviour-open.ts";
import { facts, reading } from "./fs-behaviour-reading.ts";
import { watching } from "./fs-behaviour-watching.ts";
import { copying, flags, streams, writing } from "./fs-behaviour-writing.ts";
import { type Case, compare } from "./fs-sides.ts";

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
  ({ cases }) => compare(cases),
  120_000,
);
