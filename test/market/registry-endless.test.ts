import { join } from "node:path";
import { expect, test } from "vitest";
import { Sigstore } from "../support/sigstore.ts";
import { asks, GATE, World } from "./world.ts";

/** Of one document the limit, and what is on the way. An attempt may be made twice. */
const MOST_BYTES = 2 * 90 * 1024 * 1024;

interface Row {
  /** The document of a registry that never ends. */
  path: string;
  command: readonly string[];
  code: number;
  says: RegExp;
}

const TOO_LARGE =
  /^cordon: (gate|nothing) could not be fetched: an answer of the registry is larger than 64 MB \(LOAD_FAILED\)$/m;
const ADD = ["add", "gate", "--grant", "none"];

const ROWS: Row[] = [
  { path: "gate", command: ADD, code: 1, says: TOO_LARGE },
  { path: "colour", command: ADD, code: 1, says: TOO_LARGE },
  { path: "nothing", command: ["add", "nothing", "--grant", "none"], code: 1, says: TOO_LARGE },
  { path: "-/npm/v1/keys", command: ADD, code: 1, says: TOO_LARGE },
  { path: "-/npm/v1/attestations/gate@1.0.0", command: ADD, code: 1, says: TOO_LARGE },
  {
    path: "-/v1/search",
    command: ["search", "gate"],
    code: 0,
    says: /^note: the registry was not searched: an answer of the registry is larger than 64 MB$/m,
  },
];

test.each(ROWS)("a registry's $path that never ends is not read to its end", async ({ path, command, code, says }) => {
  const world = await World.make();
  await new Sigstore().trustIn(join(world.home, "cache", "tuf"));
  const files = { "index.ts": GATE };
  world.registry.publish({ name: "colour", version: "1.0.0", files: { "index.js": "" } });
  world.registry.publish({
    ...{ name: "gate", version: "1.0.0", files, json: asks({}), dependencies: { colour: "1" } },
    ...(path.includes("attestations") ? { attest: () => Promise.resolve("{}") } : {}),
  });
  world.registry.endless.add(path);
  const done = await world.run(command);
  expect(done.code).toBe(code);
  expect(done.stdout + done.stderr).toMatch(says);
  expect(world.registry.endlessBytes).toBeGreaterThan(0);
  expect(world.registry.endlessBytes).toBeLessThan(MOST_BYTES);
});
