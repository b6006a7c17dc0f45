import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkGrant } from "../../src/grants/grant.ts";
import { findManifest } from "../../src/grants/manifest.ts";
import { readPolicies } from "../../src/grants/policy.ts";
import { checkIndex } from "../../src/market/hook-index.ts";
import { eventProblem } from "../../src/rpc/params.ts";
import { parseGrants } from "../../src/store/grants-text.ts";
import { readLock } from "../../src/store/hooks-lock.ts";
import { paramsFault, resultFault } from "../support/rpc-contract.ts";
import { writeFiles } from "../support/session.ts";

/** What reads a file of this text. */
function inFile<Value>(text: string, name: string, read: (path: string, folder: string) => Value): Value {
  const folder = mkdtempSync(join(tmpdir(), "cordon-docs-"));
  try {
    writeFiles(folder, { [name]: text, "index.ts": "" });
    return read(join(folder, name), folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Throws, or returns undefined, unless there is something. */
function there(value: unknown): void {
  if (value === undefined) throw new Error("nothing was read");
}

function fails(fault: string | undefined): void {
  if (fault !== undefined) throw new Error(fault);
}

type Message = { id?: unknown; method?: string; params?: object; result?: unknown };

/** JSON-RPC, one message a line. Answers are those of the request before them. */
function messages(text: string): void {
  let asked: { from: "agent" | "cordon"; method: string } | undefined;
  for (const line of text.split("\n")) {
    const { method, params, result } = JSON.parse(line) as Message;
    if (method === undefined) fails(asked ? resultFault(asked.from, asked.method, result) : "an answer to nothing");
    else if (paramsFault("agent", method, params) === undefined) asked = { from: "agent", method };
    else if (paramsFault("cordon", method, params) === undefined) asked = { from: "cordon", method };
    else fails(paramsFault("agent", method, params));
  }
}

/** Each throws if a text is not what it says. By the word that follows `json` in an info string. */
export const READERS: ReadonlyMap<string, (text: string) => void> = new Map([
  [
    "manifest",
    (text) => there(inFile(text, "index.hook.json", (_path, at) => findManifest(join(at, "index.ts")).manifest)),
  ],
  [
    "package",
    (text) => there(inFile(text, "package.json", (_path, at) => findManifest(join(at, "index.ts")).manifest)),
  ],
  ["capabilities", (text) => void checkGrant({ capabilities: JSON.parse(text) }, "the block")],
  ["grant", (text) => void checkGrant(JSON.parse(text), "the block")],
  ["grants", (text) => void parseGrants(text, "/home/you/.cordon/grants.json")],
  ["policy", (text) => there(inFile(text, "policy.json", (path) => readPolicies([path])[0]))],
  ["lock", (text) => there(inFile(text, "hooks.lock", (path) => readLock(path)))],
  ["index", (text) => void checkIndex(JSON.parse(text), "the block")],
  ["rpc", messages],
  [
    "events",
    (text) => {
      for (const line of text.split("\n")) {
        const problem = eventProblem(JSON.parse(line));
        if (problem) throw problem;
      }
    },
  ],
  ["text", (text) => void JSON.parse(text)],
]);
