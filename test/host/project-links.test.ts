import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test, vi } from "vitest";
import { cordon } from "../support/command.ts";
import { writeFiles } from "../support/session.ts";
import { accept, blocking, discoverIn, places } from "./places.ts";

/** What a repository may have for a link: a folder of hooks, or what contains one. */
const FOLDERS = [".cordon/hooks", ".pi/hooks"] as const;
/** Where that link is. */
const DEPTHS = [
  { name: "the folder of hooks", of: (path: string) => path },
  { name: "the folder around it", of: (path: string) => dirname(path) },
];

/** Puts a link into the project: `at` or what is around it leads to `to`, or to what is around that. */
function link(folder: string, at: string, to: string): void {
  const path = join(folder, "project", at);
  mkdirSync(dirname(path), { recursive: true });
  rmSync(path, { recursive: true, force: true });
  symlinkSync(to, path);
}

const WRITES = `import { writeFileSync } from "node:fs";
export default (pi: any) => pi.on("tool_call", (_e: any, ctx: any) => { writeFileSync(ctx.cwd + "/out.txt", "written"); });`;

for (const hooks of FOLDERS)
  test.each(DEPTHS)(
    `$name as a link to where another project's hooks were accepted gives them nothing: ${hooks}`,
    async ({ of }) => {
      const folder = places({ [`other/${hooks}/writes.ts`]: WRITES });
      const there = { cwd: join(folder, "other") };
      const [pending] = (await discoverIn(folder, there)).host.hooks;
      if (!pending) throw new Error("no hook was found");
      await accept(folder, pending, {
        capabilities: { events: { see: ["tool_call"], block: true }, fs: { write: ["$CWD/out.txt"] } },
      });
      const honest = await discoverIn(folder, there);
      expect(honest.host.hooks).toMatchObject([{ state: "active" }]);
      await honest.blocked();
      expect(existsSync(join(folder, "other", "out.txt"))).toBe(true);

      for (const to of [join(folder, "other", of(hooks)), folder, "/"]) {
        link(folder, of(hooks), to);
        const { host, blocked } = await discoverIn(folder);
        expect(host.hooks.filter(({ state }) => state !== "pending")).toEqual([]);
        expect(await blocked()).toBeUndefined();
        expect(existsSync(join(folder, "project", "out.txt"))).toBe(false);
      }
    },
  );

test("a folder of hooks as a link to that of a project within it gives its hooks nothing", async () => {
  const folder = places({ "project/sub/.cordon/hooks/gate.ts": blocking("of sub") });
  const [pending] = (await discoverIn(folder, { cwd: join(folder, "project/sub") })).host.hooks;
  if (!pending) throw new Error("no hook was found");
  await accept(folder, pending);
  for (const to of ["../sub/.cordon/hooks", ".."]) {
    link(folder, ".cordon/hooks", to);
    const { host } = await discoverIn(folder);
    expect(host.hooks.filter(({ state }) => state !== "pending")).toEqual([]);
  }
});

/** A person's own places of hooks. */
const OWN = [
  { name: "pi's folder", place: "agent/hooks", settings: [] },
  { name: "Cordon's folder", place: "home/hooks", settings: [] },
  { name: "a folder that pi's settings name", place: "mine", settings: ["mine/gate.ts"] },
];

for (const hooks of FOLDERS)
  for (const { name, of } of DEPTHS)
    test.each(OWN)(`${name} (${hooks}) as a link to $name leaves the person's guard in force`, async (own) => {
      const folder = places({ [`${own.place}/gate.ts`]: blocking("mine") });
      writeFiles(folder, {
        "agent/settings.json": JSON.stringify({ hooks: own.settings.map((path) => join(folder, path)) }),
      });
      const honest = await (await discoverIn(folder)).blocked();
      expect(honest).toContain("mine");
      const around = join(folder, "around");
      mkdirSync(around);
      symlinkSync(join(folder, own.place), join(around, "hooks"));
      link(folder, of(hooks), of(hooks) === hooks ? join(folder, own.place) : around);
      const { blocked, host } = await discoverIn(folder);
      expect(await blocked()).toBe(honest);
      expect(host.hooks.filter(({ state }) => state === "active")).toHaveLength(1);
    });

test("a folder of hooks as a link to where an installed guard lies leaves it in force", async () => {
  const folder = places({
    "pkg/package.json": JSON.stringify({
      name: "gate",
      version: "1.0.0",
      cordon: { hooks: ["./index.ts"], capabilities: { events: { see: ["tool_call"], block: true } } },
    }),
    "pkg/index.ts": blocking("installed"),
  });
  const home = join(folder, "home");
  const added = await cordon(["add", join(folder, "pkg"), "--grant", "none"], { cwd: join(folder, "project"), home });
  expect(added).toMatchObject({ code: 0 });
  const honest = await discoverIn(folder);
  expect(await honest.blocked()).toContain("installed");
  const [installed] = readdirSync(join(home, "installed"));
  for (const at of FOLDERS) {
    link(folder, at, join(home, "installed", installed as string));
    const { host, log, blocked } = await discoverIn(folder);
    expect(await blocked()).toContain("installed");
    expect(host.hooks.filter(({ state }) => state === "active")).toHaveLength(1);
    expect(log.filter(({ text }) => text.includes("left out"))).toEqual([]);
    rmSync(join(folder, "project", dirname(at)), { recursive: true });
  }
});

test("an accepted guard whose folder became a link goes on guarding", async () => {
  const folder = places({ "project/.cordon/hooks/gate.ts": blocking("accepted") });
  const [pending] = (await discoverIn(folder)).host.hooks;
  if (!pending) throw new Error("no hook was found");
  await accept(folder, pending);
  renameSync(join(folder, "project/.cordon/hooks"), join(folder, "elsewhere"));
  for (const to of [join(folder, "elsewhere"), join(folder, "user"), join(folder, "nothing")]) {
    link(folder, ".cordon/hooks", to);
    expect(await (await discoverIn(folder)).blocked()).toContain("accepted");
  }
});

test("a hook of a project that a person's settings name is theirs; by a path of the project, it waits to be accepted", async () => {
  const folder = places({ "project/.pi/hooks/gate.ts": blocking("named"), "user/x": "" });
  const settings = (hooks: string[]) => writeFiles(folder, { "agent/settings.json": JSON.stringify({ hooks }) });
  vi.stubEnv("HOME", folder);
  for (const [named, state] of [
    [join(folder, "project/.pi/hooks/gate.ts"), "active"],
    ["~/project/.pi/hooks/gate.ts", "active"],
    ["./.pi/hooks/gate.ts", "pending"],
    [".pi/hooks/gate.ts", "pending"],
  ] as const) {
    settings([named]);
    const { host } = await discoverIn(folder);
    expect(host.hooks.map((hook) => hook.state)).toEqual([state]);
  }
  vi.unstubAllEnvs();
});
