import { generateKeyPairSync } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { CordonError, type ErrorCode } from "../../src/base/errors.ts";
import { defaultHome } from "../../src/disk/home.ts";
import { checkGrant } from "../../src/grants/grant.ts";
import { findManifest } from "../../src/grants/manifest.ts";
import { readPolicies } from "../../src/grants/policy.ts";
import { knownIndexes, readIndex, signIndex } from "../../src/market/hook-index.ts";
import { hooksIn } from "../../src/market/package.ts";
import { sourceOf } from "../../src/market/source.ts";
import { locateRuntime } from "../../src/runtime/locate.ts";
import { readGrants } from "../../src/store/grants-text.ts";
import { lockPath, readLock } from "../../src/store/hooks-lock.ts";
import { readInstalled } from "../../src/store/journal.ts";
import { refuseOwnName } from "../../src/store/own-name.ts";
import { changeProposals } from "../../src/store/project-lock.ts";
import { temporaryFolder, writeFiles } from "../support/session.ts";

/** A folder with one file, for what reads it. */
const within = (name: string, text: string, read: (folder: string) => unknown) => (): unknown => {
  const folder = temporaryFolder();
  writeFiles(folder, { [name]: text });
  return read(folder);
};

const stubbed = (name: string, value: string, read: () => unknown) => (): unknown => {
  vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  return read();
};

const index = (folder: string): Promise<unknown> => readIndex(join(folder, "team.json"), folder);
const signed = (text: object): string =>
  signIndex(text as Parameters<typeof signIndex>[0], generateKeyPairSync("ed25519").privateKey);

const REFUSALS: [what: string, code: ErrorCode, act: () => unknown][] = [
  ["a grants file that is no JSON", "BAD_GRANT", within("g.json", "{", (at) => readGrants(join(at, "g.json"), true))],
  ["a grants file that is not there", "BAD_GRANT", () => readGrants(join(temporaryFolder(), "g.json"), true)],
  ["a grant of an unknown power", "BAD_GRANT", () => checkGrant({ capabilities: { teleport: [] } }, "g")],
  ["a policy that is no policy", "BAD_GRANT", within("p.json", "[]", (at) => readPolicies([join(at, "p.json")]))],
  ["a home that is no absolute path", "BAD_GRANT", stubbed("CORDON_HOME", "home", defaultHome)],
  ["a lock that is no JSON", "BAD_GRANT", within("hooks.lock", "{", (at) => readLock(lockPath(at)))],
  ["a lock of another shape", "BAD_GRANT", within("hooks.lock", '{"version":2}', (at) => readLock(lockPath(at)))],
  ["a journal that is no journal", "BAD_GRANT", within("install.journal", "{}", readInstalled)],
  ["keys of indexes that are no JSON", "BAD_GRANT", within("indexes.json", "{", knownIndexes)],
  ["keys of indexes of another shape", "BAD_GRANT", within("indexes.json", "{}", knownIndexes)],
  [
    "a project whose .cordon is a file",
    "BAD_GRANT",
    within(".cordon", "", (at) =>
      changeProposals(at, (proposed) => {
        proposed.clear();
      }),
    ),
  ],
  [
    "a manifest with an unknown key",
    "BAD_MANIFEST",
    within("gate.hook.json", '{"powers":{}}', (at) => findManifest(join(at, "gate.ts"))),
  ],
  ["a package.json that is no JSON", "BAD_MANIFEST", within("package.json", "{", (at) => hooksIn(at, "gate"))],
  [
    "a package that names no hooks",
    "BAD_MANIFEST",
    within("package.json", '{"name":"gate","version":"1.0.0"}', (at) => hooksIn(at, "gate")),
  ],
  ["a package with Cordon's own name", "BAD_MANIFEST", () => refuseOwnName("c0rdon")],
  ["a source that names nothing", "LOAD_FAILED", () => sourceOf("./nothing", temporaryFolder())],
  ["an index that is no JSON", "LOAD_FAILED", within("team.json", "{", index)],
  ["an index that nobody signed", "LOAD_FAILED", within("team.json", "{}", index)],
  ["an index of another shape", "LOAD_FAILED", within("team.json", signed({ version: 1, hooks: [] }), index)],
  [
    "an index that is signed for another text",
    "INTEGRITY_MISMATCH",
    within("team.json", signed({ version: 1, name: "a", hooks: {} }).replace("hooks", "hook5"), index),
  ],
  [
    "an index that another key signed",
    "INTEGRITY_MISMATCH",
    within("team.json", signed({ version: 1, name: "a", hooks: {} }), async (at) => {
      await index(at);
      writeFileSync(join(at, "team.json"), signed({ version: 1, name: "a", hooks: {} }));
      await index(at);
    }),
  ],
  [
    "a runtime that is not there",
    "NO_RUNTIME",
    stubbed("CORDON_RUNTIME", "/nowhere", () => locateRuntime({ home: "/nowhere", workspaces: [] })),
  ],
];

test.each(REFUSALS)("%s is %s", async (_what, code, act) => {
  const thrown = await Promise.resolve()
    .then(act)
    .then(
      () => undefined,
      (error: unknown) => error,
    );
  expect(thrown).toBeInstanceOf(CordonError);
  expect(thrown).toMatchObject({ code, message: expect.not.stringContaining("\n") });
});
