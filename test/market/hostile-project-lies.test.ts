import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, test, vi } from "vitest";
import { packed } from "../support/registry.ts";
import { writeFiles } from "../support/session.ts";
import { Terminal } from "./journey-terminal.ts";
import { asks, GATE, NOTHING, World } from "./world.ts";

vi.setConfig({ testTimeout: 600_000 });

/** An attacker's host that imitates the registry, and the requests that it got. */
async function stranger(answer: Buffer): Promise<{ url: string; asked: string[] }> {
  const asked: string[] = [];
  const server = createServer(({ url = "" }, response) => {
    asked.push(url);
    response.writeHead(200, { "content-type": "application/octet-stream" }).end(answer);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

type Entry = Record<string, unknown>;

/** Data that only a registry gives about a package. Here, a file contains it. */
const JSON_OF_EVIL = JSON.stringify({
  name: "gate",
  version: "1.0.0",
  _npmUser: { name: "ada" },
  dist: {},
  ...asks({}),
});
const EVIL = { "package.json": JSON_OF_EVIL, "index.ts": GATE.replace("no rm", "evil") };
const ELSEWHERE = /names no package|not a version|lies outside|is from no registry|not a commit of/;

test("a lock whose names resolve to other packages installs nothing, and makes no request", async () => {
  const world = await World.make();
  world.registry.publish({ name: "gate", version: "1.0.0", files: { "index.ts": GATE }, json: asks({}) });
  world.registry.publish({ name: "word", version: "1.0.0", files: { "index.js": "0" } });
  const { url, asked } = await stranger(packed(EVIL));
  writeFiles(join(world.folder, "far"), EVIL);
  writeFiles(world.work, { "near/package.json": JSON_OF_EVIL, "near/index.ts": EVIL["index.ts"] });

  // With the digest of the attacker's code.
  const colleague = join(world.folder, "colleague");
  const added = await world.run(["add", `${url}/evil.tgz`, "--project", "--grant", "none", "--json"], {
    env: { CORDON_HOME: colleague },
  });
  expect(added.stderr).toBe("");
  const said = JSON.parse(added.stdout);
  const entry: Entry = {
    version: "1.0.0",
    source: "npm:gate",
    integrity: said.integrity,
    digest: said.hooks[0].digest,
    requested: {},
    provenance: "none",
    package: "gate",
    file: "index.ts",
  };
  asked.length = 0;
  const commit = "0123456789012345678901234567890123456789";
  const pin = { name: "word", integrity: `sha512-${"A".repeat(86)}==` };

  const LIES: [name: string, lie: Entry][] = [
    ["a version that is a URL", { version: `${url}/evil.tgz` }],
    ["a version that is another package", { version: "npm:word@1.0.0" }],
    ["a version that is a file", { version: "file:../far" }],
    ["a version that is a folder above", { version: "../far" }],
    ["a version that is a repository", { version: `git+${pathToFileURL(join(world.folder, "far"))}` }],
    ["a version that is a tag", { version: "latest" }],
    ["a package of a registry that is a URL", { source: `npm:${url}/evil.tgz` }],
    ["a package of a registry that is a folder", { source: "npm:../far" }],
    ["a package of a registry that is a folder of the project", { source: "npm:./near" }],
    ["a repository that is a folder", { source: "git:../far" }],
    ["a repository that is a file", { source: "git:../far/index.ts" }],
    ["a repository that is a package of a registry", { source: "git:gate" }],
    ["a folder that is a package of a registry", { source: "path:gate" }],
    ["a repository whose commit is a URL", { source: `git:git+${url}/gate.git`, resolved: `${url}/evil.tgz` }],
    [
      "a repository whose commit is of another repository",
      { source: "git:git+http://127.0.0.1:9/gate.git", resolved: `git+${url}/gate.git#${commit}` },
    ],
    [
      "a repository whose commit is of a repository on this disk",
      { source: `git:git+${url}/gate.git`, resolved: `git+${pathToFileURL(join(world.folder, "far"))}#${commit}` },
    ],
    [
      "a repository whose commit is a branch",
      { source: `git:git+${url}/gate.git`, resolved: `git+${url}/gate.git#main` },
    ],
    [
      "a dependency that is the folder above",
      { source: "path:./near", dependencies: { "node_modules/word": { ...pin, version: ".." } } },
    ],
    [
      "a dependency that is a file of the project",
      { source: "path:./near", dependencies: { "node_modules/word": { ...pin, version: "1.0.0-x.tgz" } } },
    ],
  ];
  writeFiles(world.work, { "1.0.0-x.tgz": "" });
  const terminal = await Terminal.open(world);
  const wrong: object[] = [];
  for (const [name, lie] of LIES) {
    const hooks = { gate: { ...entry, ...lie } };
    writeFiles(world.work, { ".cordon/hooks.lock": JSON.stringify({ version: 1, hooks }) });
    world.registry.requests.length = 0;
    const told = (
      await terminal.run("cordon accept; echo code $?", async () => {
        // If the lie is believed, the person says no.
        while (!/code \d|Accept gate\?/.test(terminal.read())) await pause(50);
        if (terminal.read().includes("Accept gate?")) terminal.press("Enter");
      })
    ).replace(/\n/g, "");
    const { lock, grants, installed } = world.disk();
    const requests = asked.splice(0);
    if (
      !/cordon: .*code 1$/.test(told) ||
      !ELSEWHERE.test(told) ||
      requests.length > 0 ||
      JSON.stringify({ lock, grants, installed }) !== JSON.stringify({ lock: {}, grants: {}, installed: [] })
    )
      wrong.push({ name, told, requests, lock: Object.keys(lock) });
  }
  expect(wrong).toEqual([]);
  expect(world.disk()).toMatchObject({ lock: NOTHING.lock, grants: NOTHING.grants, installed: [] });
});
