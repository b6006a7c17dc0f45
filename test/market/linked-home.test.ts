import { mkdirSync, realpathSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test, vi } from "vitest";
import { begin } from "../../src/host/begin.ts";
import { cordon } from "../support/command.ts";
import { temporaryFolder, writeFiles } from "../support/session.ts";
import { calls, GATE } from "./world.ts";

/** `link`: what is a link. `home`: a path of Cordon's home that leads through it. */
const LINKS = [
  { name: "the home", link: "link", home: "link" },
  { name: "the folder above it", link: "user", home: "user/.cordon" },
  { name: "a folder further above", link: "a", home: "a/b/.cordon" },
];

test.each(LINKS)("where $name is a link, either path leads to the same hooks", async ({ link, home }) => {
  const folder = realpathSync(temporaryFolder());
  const linked = join(folder, home);
  const real = linked.replace(join(folder, link), join(folder, "real"));
  mkdirSync(dirname(real), { recursive: true });
  mkdirSync(join(folder, "real"), { recursive: true });
  symlinkSync("real", join(folder, link));
  writeFiles(folder, { "work/one.ts": GATE, "work/two.ts": GATE });
  const run = (args: readonly string[], at: string, input = "") =>
    cordon(args, { cwd: join(folder, "work"), home: at, input, env: { HOME: folder } });
  expect(await run(["add", "./one.ts", "--grant", "none"], linked)).toMatchObject({ code: 0, stderr: "" });
  expect(await run(["add", "./two.ts", "--grant", "none"], real)).toMatchObject({ code: 0, stderr: "" });
  for (const at of [linked, real]) {
    const { stdout, stderr } = await run(["run", "--json"], at, calls("rm x", "ls"));
    expect(
      stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line).result?.reason),
    ).toEqual(["no rm", undefined]);
    expect(stderr).toBe("");
    expect(
      JSON.parse((await run(["list", "--json"], at)).stdout).hooks.map(({ state }: { state: string }) => state),
    ).toEqual(["active", "active"]);
  }
});

test("a link to the home is Cordon's own, too, by whatever path a session has the home", () => {
  const folder = realpathSync(temporaryFolder());
  mkdirSync(join(folder, "real"));
  symlinkSync("real", join(folder, "link"));
  vi.stubEnv("CORDON_HOME", join(folder, "link"));
  for (const home of [undefined, join(folder, "link"), join(folder, "real")]) {
    const { services, home: own } = begin({ cwd: folder, agentDir: join(folder, "agent"), ...(home ? { home } : {}) });
    expect(own).toBe(join(folder, "real"));
    for (const name of ["link", "real", "link/grants.json"])
      expect(services.session.own.holds(join(folder, name))).toBe(true);
    expect(services.session.own.holds(join(folder, "other"))).toBe(false);
  }
  vi.unstubAllEnvs();
});
