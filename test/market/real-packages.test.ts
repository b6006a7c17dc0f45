import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { Capabilities } from "../../src/grants/schema.ts";
import { Budget } from "../../src/market/archive.ts";
import { fetchTarball } from "../../src/market/download.ts";
import { npmOptions } from "../../src/market/npm-config.ts";
import { lockPath, readLock } from "../../src/store/hooks-lock.ts";
import { type Width, widthOf } from "../coverage/width.ts";
import { cordon } from "../support/command.ts";
import { REAL_PACKAGES, type RealPackage } from "./real-packages.ts";

/** For fetching, building and rehearsing a package with its dependencies, on a busy machine. */
const LONG_MS = 300_000;

const place = realpathSync(mkdtempSync(join(tmpdir(), "cordon-real-")));
/** The files of the user's home have no effect. */
const USER = { HOME: join(place, "user") };
mkdirSync(USER.HOME);
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

  const answersTo = async (
    cwd: string,
    events: readonly (readonly [event: object, expected: unknown])[],
    grants: Record<string, Capabilities>,
  ): Promise<Answer[]> => {
    const given = Object.fromEntries(Object.entries(grants).map(([id, capabilities]) => [id, { capabilities }]));
    writeFileSync(join(cwd, "grants.json"), JSON.stringify({ version: 1, hooks: given }));
    const input = events.map(([event]) => `${JSON.stringify(event)}\n`).join("");
    const args = ["run", "--json", "--cwd", cwd, "--grants", join(cwd, "grants.json")];
    const { stdout, stderr } = await cordon(args, { cwd, home, input, env: USER });
    const answers = stdout
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as Answer);
    expect(answers.length, stderr).toBe(events.length);
    return answers;
  };

  test.each(cases)("$name", { timeout: LONG_MS }, async ({ grants = {}, files = {}, events }) => {
    const answers = await answersTo(write(mkdtempSync(join(place, "project-")), files), events, grants);
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

  const compared = cases.flatMap((one) => (one.least ? [{ ...one, least: one.least }] : []));
  test.each(compared)(
    "$name: so it does with the least grant, and with what trace proposes",
    { timeout: LONG_MS },
    async ({ grants = {}, files = {}, events, least }) => {
      const cwd = write(mkdtempSync(join(place, "project-")), files);
      const [id = ""] = Object.keys(grants);
      const { code, stdout, stderr } = await cordon(["trace", id, "--json", "--cwd", cwd], { cwd, home, env: USER });
      expect(code, stderr).toBe(0);
      const { capabilities, rounds } = JSON.parse(stdout) as { capabilities: Capabilities; rounds: number };
      const blocks = events.map(([, expected]) =>
        typeof expected === "object" && "blocked" in expected
          ? { block: true, reason: expect.stringMatching(expected.blocked) }
          : null,
      );
      for (const grant of [least, capabilities]) {
        const results = (await answersTo(cwd, events, { [id]: grant })).map(({ result }) => result);
        expect(results, JSON.stringify(grant)).toMatchObject(blocks);
      }
      measured.push({ rounds, ...widthOf(capabilities, least) });
    },
  );
}

/** What trace proposed for those that it was tried with, whose verdicts are right with that alone. */
const measured: ({ rounds: number } & Width)[] = [];

// In turn, since parallel builds would slow each other, and a build has a time limit.
for (const real of REAL_PACKAGES) describe(`${real.name} ${real.version}`, () => verify(real));

test("what trace proposes is enough for them, and nothing of it is wider than what they need", () => {
  const count = (part: keyof Width): number => measured.reduce((sum, one) => sum + one[part].length, 0);
  expect(measured.map(({ rounds }) => rounds).sort()).toEqual([1, 1, 1, 2, 2]);
  expect({ wider: count("wider"), missing: count("missing") }).toEqual({ wider: 0, missing: 0 });
  // Tools, commands and files that these few events do not lead to.
  expect(count("more")).toBeLessThanOrEqual(100);
});
