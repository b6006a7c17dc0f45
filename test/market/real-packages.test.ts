import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { Budget } from "../../src/market/archive.ts";
import { fetchTarball } from "../../src/market/download.ts";
import { npmOptions } from "../../src/market/npm-config.ts";
import { lockPath, readLock } from "../../src/store/hooks-lock.ts";
import { cordon } from "../support/command.ts";
import { REAL_PACKAGES, type RealPackage } from "./real-packages.ts";

/** For fetching, building and rehearsing a package with its dependencies, on a busy machine. */
const LONG_MS = 300_000;

const place = realpathSync(mkdtempSync(join(tmpdir(), "cordon-real-")));
afterAll(() => rmSync(place, { recursive: true, force: true, maxRetries: 3 }));

function write(folder: string, files: Record<string, string>): string {
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

interface Added {
  integrity: string;
  hooks: { id: string; rehearsal: { state: string; hears: string[]; unsupported?: string[] } }[];
}
interface Answer {
  result: { block?: boolean; reason?: string } | null;
  errors: { error: string }[];
}

function verify({ name, version, integrity, refused, hooks = [], cases = [] }: RealPackage): void {
  const home = join(place, name.replace("/", "+"));
  const add = () => cordon(["add", `npm:${name}@${version}`, "--grant", "none", "--json"], { cwd: place, home });

  test("has the reviewed bytes", { timeout: LONG_MS }, async () => {
    const options = { ...(await npmOptions(place, () => {})), cache: join(place, "npm") };
    const fetched = await fetchTarball(`${name}@${version}`, join(home, "tarball"), options, new Budget());
    expect(fetched).toBe(integrity);
  });

  if (refused) {
    test("is refused, and leaves nothing", { timeout: LONG_MS }, async () => {
      const { code, stderr } = await add();
      expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringMatching(refused) });
      expect([...readLock(lockPath(home))]).toEqual([]);
    });
    return;
  }

  test("installs, and hears its hooks' events", { timeout: LONG_MS }, async () => {
    const { code, stdout, stderr } = await add();
    expect(code, stderr).toBe(0);
    const added = JSON.parse(stdout) as Added;
    expect(added.integrity).toBe(integrity);
    expect([...readLock(lockPath(home)).values()].map((entry) => entry.integrity)).toEqual(hooks.map(() => integrity));
    expect(
      added.hooks.map(({ id, rehearsal }) => ({
        id,
        state: rehearsal.state,
        hears: rehearsal.hears,
        leftOut: rehearsal.unsupported ?? [],
      })),
    ).toEqual(hooks.map((hook) => ({ state: "active", ...hook })));
  });

  test.each(cases)("$name", { timeout: LONG_MS }, async ({ grants = {}, files = {}, events }) => {
    const cwd = write(mkdtempSync(join(place, "project-")), files);
    const given = Object.fromEntries(Object.entries(grants).map(([id, capabilities]) => [id, { capabilities }]));
    writeFileSync(join(cwd, "grants.json"), JSON.stringify({ version: 1, hooks: given }));
    const input = events.map(([event]) => `${JSON.stringify(event)}\n`).join("");
    const args = ["run", "--json", "--cwd", cwd, "--grants", join(cwd, "grants.json")];
    // The files of the user's home have no effect.
    const { stdout, stderr } = await cordon(args, { cwd, home, input, env: { HOME: write(join(place, "user"), {}) } });
    const answers = stdout
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as Answer);
    expect(answers.length, stderr).toBe(events.length);
    for (const [at, [event, expected]] of events.entries()) {
      const { result, errors } = answers[at] as Answer;
      const said = errors.map(({ error }) => error);
      if (expected === "nothing") expect({ event, result, said }).toEqual({ event, result: null, said: [] });
      else if ("blocked" in expected)
        expect({ event, result }).toMatchObject({
          result: { block: true, reason: expect.stringMatching(expected.blocked) },
        });
      else
        expect({ event, result, said }).toMatchObject({
          result: null,
          said: expect.arrayContaining([expect.stringMatching(expected.error)]),
        });
    }
  });
}

// In turn, since parallel builds would slow each other, and a build has a time limit.
for (const real of REAL_PACKAGES) describe(`${real.name} ${real.version}`, () => verify(real));
