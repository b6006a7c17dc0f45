import { cpSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { PACKAGE_ROOT } from "../../src/base/package-root.ts";
import { startSession, temporaryFolder } from "../support/session.ts";

const HOOKS = join(PACKAGE_ROOT, "hooks");
const MANY = 78;

/** Copies of our own hooks, each with what its manifest asks for. */
function copies(folder: string) {
  const names = readdirSync(HOOKS).filter((name) => name.endsWith(".ts"));
  return Array.from({ length: MANY }, (_, at) => {
    const name = names[at % names.length] as string;
    const own = join(folder, String(Math.floor(at / names.length)));
    if (at % names.length === 0)
      cpSync(HOOKS, own, { recursive: true, filter: (path) => basename(path) !== "hostile" });
    const manifest = manifestOf(join(own, name));
    return { path: join(own, name), id: `${name} ${at}`, grant: { capabilities: manifest.capabilities ?? {} } };
  });
}

function manifestOf(path: string): { capabilities?: object } {
  try {
    return JSON.parse(readFileSync(path.replace(/\.ts$/, ".hook.json"), "utf8"));
  } catch {
    return {};
  }
}

test(`${MANY} hooks load in one host, and each guards`, { timeout: 300_000 }, async () => {
  const { host, call } = await startSession({}, { hooks: copies(temporaryFolder()) });
  expect(
    host.hooks.map(({ id, state, reason }) => ({ id, state, reason })).filter(({ state }) => state !== "active"),
  ).toEqual([]);
  expect(host.hooks).toHaveLength(MANY);
  expect(await call("rm -rf /")).toMatchObject({ block: true });
  await host.close();
});
