import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test, vi } from "vitest";
import { packed, Registry } from "../support/registry.ts";
import { writeFiles } from "../support/session.ts";
import { asks, NOTHING, World } from "./world.ts";

vi.setConfig({ testTimeout: 600_000 });

/** Blocks the command with its own name, and says its version. */
const named = (name: string, version: string): string =>
  `export default (pi: any) => { pi.on("tool_call", async (event: any) => {
  if (event.input.command === ${JSON.stringify(name)}) return { block: true, reason: ${JSON.stringify(version)} };
}); };\n`;
const filesOf = (name: string, version: string): Record<string, string> => ({
  "package.json": JSON.stringify({ name, version, ...asks({}) }),
  "index.ts": named(name, version),
});

let world: World;
const publish = (name: string, version: string, tag?: string): void =>
  world.registry.publish({
    name,
    version,
    files: { "index.ts": named(name, version) },
    json: asks({}),
    ...(tag === undefined ? {} : { tag }),
  });
function commit(folder: string, files: Record<string, string>, tag: string): void {
  writeFiles(folder, files);
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.com", ...args], { cwd: folder });
  git("init", "-q");
  git("add", ".");
  git("commit", "-q", "-m", tag);
  git("tag", tag);
}
/** Adds each, and returns its version and source in the lock, and its answer in a later session. */
async function install(specs: Record<string, string>) {
  for (const spec of Object.values(specs)) await world.install(spec);
  const { lock, left } = world.disk();
  expect(left).toEqual([]);
  expect(Object.keys(lock).sort()).toEqual(Object.keys(specs).sort());
  const { said } = await world.verdicts(...Object.keys(specs));
  return Object.keys(specs).map((id, index) => [id, lock[id]?.version, lock[id]?.source, said[index]]);
}

beforeEach(async () => {
  world = await World.make();
});

test("names of a registry: alone, with a version, a range, a tag, a scope, and with npm:", async () => {
  for (const name of ["plain", "exact", "ranged", "tagged", "prefixed", "@team/scoped"])
    for (const version of ["1.0.0", "1.2.0", "2.0.0"]) publish(name, version);
  publish("tagged", "3.0.0-beta.1", "next");
  const installed = await install({
    plain: "plain",
    exact: "exact@1.0.0",
    ranged: "ranged@^1",
    tagged: "tagged@next",
    prefixed: "npm:prefixed@1.2.0",
    "@team/scoped": "@team/scoped@~1.0.0",
  });
  expect(installed).toEqual([
    ["plain", "2.0.0", "npm:plain", "2.0.0"],
    ["exact", "1.0.0", "npm:exact@1.0.0", "1.0.0"],
    ["ranged", "1.2.0", "npm:ranged@^1", "1.2.0"],
    ["tagged", "3.0.0-beta.1", "npm:tagged@next", "3.0.0-beta.1"],
    ["prefixed", "1.2.0", "npm:prefixed@1.2.0", "1.2.0"],
    ["@team/scoped", "1.0.0", "npm:@team/scoped@~1.0.0", "1.0.0"],
  ]);

  // An update stays within the requested range.
  for (const name of ["exact", "ranged", "@team/scoped"]) publish(name, "1.9.0", "old");
  const { hooks } = await world.json<{ hooks: { id: string; outcome: string; change?: { to: string } }[] }>(["update"]);
  expect(hooks.flatMap(({ id, outcome, change }) => (outcome === "current" ? [] : [[id, change?.to]]))).toEqual([
    ["ranged", "1.9.0"],
  ]);
});

test("tarballs, folders, files and repositories, which update reads again", async () => {
  const { folder, registry } = world;
  publish("url", "1.0.0");
  writeFileSync(join(folder, "tarball.tgz"), packed(filesOf("tarball", "1.0.0")));
  writeFiles(join(folder, "directory"), filesOf("directory", "1.0.0"));
  writeFiles(folder, { "single.ts": named("single", "1"), "single.hook.json": '{"capabilities":{"env":["CI"]}}' });
  commit(join(folder, "repository"), filesOf("repository", "1.0.0"), "v1");
  commit(join(folder, "pinned"), filesOf("pinned", "1.0.0"), "v1");
  commit(join(folder, "pinned"), filesOf("pinned", "2.0.0"), "v2");
  const git = (name: string): string => `git+file://${join(folder, name)}`;
  expect(
    await install({
      url: registry.tarballUrl("url", "1.0.0"),
      tarball: "../tarball.tgz",
      directory: join(folder, "directory"),
      single: "../single.ts",
      repository: git("repository"),
      pinned: `${git("pinned")}#v1`,
    }),
  ).toEqual([
    ["url", "1.0.0", registry.tarballUrl("url", "1.0.0"), "1.0.0"],
    ["tarball", "1.0.0", `path:${join(folder, "tarball.tgz")}`, "1.0.0"],
    ["directory", "1.0.0", `path:${join(folder, "directory")}`, "1.0.0"],
    ["single", "0.0.0", `path:${join(folder, "single.ts")}`, "1"],
    ["repository", "1.0.0", `git:${git("repository")}`, "1.0.0"],
    ["pinned", "1.0.0", `git:${git("pinned")}#v1`, "1.0.0"],
  ]);
  expect(world.disk().lock.single?.requested).toEqual({ env: ["CI"] });
  expect(world.disk().lock.url?.provenance).toBe("none");

  writeFileSync(join(folder, "tarball.tgz"), packed(filesOf("tarball", "1.0.1")));
  writeFiles(join(folder, "directory"), { "index.ts": named("directory", "1.0.0 edited") });
  writeFiles(folder, { "single.ts": named("single", "2") });
  commit(join(folder, "repository"), filesOf("repository", "1.0.1"), "v2");
  world.registry.publish({ name: "url", version: "1.0.0", files: { "index.ts": named("url", "x") }, json: asks({}) });
  const { hooks } = await world.json<{ hooks: { id: string; outcome: string; error?: string }[] }>(["update"], 1);
  expect(Object.fromEntries(hooks.map(({ id, outcome }) => [id, outcome]))).toEqual({
    url: "stopped",
    tarball: "updated",
    directory: "updated",
    single: "updated",
    repository: "updated",
    pinned: "current",
  });
  expect(hooks.find(({ id }) => id === "url")?.error).toContain("has other bytes than when it was installed");
  const names = ["url", "tarball", "directory", "single", "repository", "pinned"];
  expect((await world.verdicts(...names)).said).toEqual(["1.0.0", "1.0.1", "1.0.0 edited", "2", "1.0.1", "1.0.0"]);
  expect(world.disk().left).toEqual([]);
});

test.each([
  ["../nowhere", "no such file or folder"],
  ["./gone.tgz", "no such file or folder"],
  ["other@npm:plain", "cannot be added"],
  ["UPPER case", "names no package"],
  ["nobody-has-this", "404"],
  ["plain@9", "No matching version"],
  ["plain@gone", "No matching version"],
  ["git+file:///nowhere/at/all", "could not be fetched"],
])("%s: one line names the error, and nothing is left", async (spec, says) => {
  publish("plain", "1.0.0");
  const { code, stdout, stderr } = await world.run(["add", spec, "--grant", "none"]);
  expect([code, stdout]).toEqual([1, ""]);
  expect(stderr).toContain(says);
  expect(stderr.trim().split("\n")).toEqual([expect.stringMatching(/^cordon: .*\(LOAD_FAILED\)$/)]);
  expect(world.disk()).toEqual(NOTHING);
});

test("the user's .npmrc names registry and token; a project's .npmrc is ignored", async () => {
  const team = await Registry.start();
  try {
    publish("plain", "1.0.0");
    publish("@team/gate", "6.6.6");
    team.publish({
      name: "@team/gate",
      version: "1.0.0",
      files: { "index.ts": named("@team/gate", "ours") },
      json: asks({}),
    });
    const rc = [
      `registry=${world.registry.url}`,
      `@team:registry=${team.url}`,
      `${team.url.replace("http:", "")}:_authToken=\${TOKEN}`,
    ];
    writeFiles(world.folder, { "user/.npmrc": rc.join("\n") });
    writeFiles(world.work, { ".npmrc": "registry=http://127.0.0.1:9/\n@team:registry=http://127.0.0.1:9/\n" });
    const env = { TOKEN: "secret" };
    for (const name of ["plain", "@team/gate"]) {
      const { code, stderr } = await world.run(["add", name, "--grant", "none"], { env });
      expect([code, stderr]).toEqual([0, ""]);
    }
    expect(world.disk().lock["@team/gate"]?.version).toBe("1.0.0");
    expect(new Set(team.requests.map(({ authorization }) => authorization))).toEqual(new Set(["Bearer secret"]));
    expect(world.registry.requests.filter(({ authorization }) => authorization !== undefined)).toEqual([]);
  } finally {
    await team.close();
  }
});
