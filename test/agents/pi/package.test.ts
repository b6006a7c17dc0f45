import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { PACKAGE_ROOT } from "../../../src/base/package-root.ts";
import { needs } from "../../support/needs.ts";
import { runtimeIn } from "../../support/runtime.ts";
import { onToolCall, temporaryFolder } from "../../support/session.ts";
import { installPi, lacksNamespace, PI_VERSIONS } from "./install.ts";
import { Scene } from "./scene.ts";
import { bash } from "./script.ts";

const run = promisify(execFile);
const jsonOf = (folder: string) => JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
const OWN = join(PACKAGE_ROOT, "packages", "pi-cordon");

test("pi-cordon is of Cordon's version, and needs exactly that", () => {
  const { version } = jsonOf(PACKAGE_ROOT);
  expect(jsonOf(OWN)).toMatchObject({ version, dependencies: { cordon: version } });
});

describe("the packed pi-cordon", needs(lacksNamespace()), () => {
  /** A registry that has the packed packages; of all others it names the real one. */
  async function registry(): Promise<string> {
    const packs = temporaryFolder();
    for (const folder of [PACKAGE_ROOT, OWN])
      await run("npm", ["pack", "--ignore-scripts", "--pack-destination", packs], { cwd: folder });
    const { stdout } = await run("npm", ["config", "get", "registry"], { cwd: packs });
    const server = createServer((request, response) => {
      const path = request.url ?? "/";
      const json = [PACKAGE_ROOT, OWN].map(jsonOf).find(({ name }) => path === `/${name}`);
      if (json) {
        const tarball = `${address}/packed/${json.name}-${json.version}.tgz`;
        const versions = { [json.version]: { ...json, devDependencies: {}, dist: { tarball } } };
        response.end(JSON.stringify({ name: json.name, "dist-tags": { latest: json.version }, versions }));
      } else if (path.startsWith("/packed/")) response.end(readFileSync(join(packs, path.slice("/packed/".length))));
      else response.writeHead(302, { location: new URL(path.slice(1), stdout.trim()).href }).end();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return address;
  }

  test.each(PI_VERSIONS)(
    "pi install npm:pi-cordon: pi %s runs the hooks of the person's folder",
    { timeout: 300_000 },
    async (version) => {
      const folder = temporaryFolder();
      const home = join(folder, "home");
      mkdirSync(join(home, ".pi/agent"), { recursive: true });
      const { program } = await installPi(version);
      const own = Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name));
      const path = [dirname(process.execPath), process.env.PATH].join(delimiter);
      const env = {
        ...Object.fromEntries(own),
        HOME: home,
        PATH: path,
        PI_SKIP_VERSION_CHECK: "1",
        npm_config_registry: await registry(),
      };
      await run(process.execPath, [program, "install", "npm:pi-cordon"], { cwd: folder, env });
      expect(jsonOf(join(home, ".pi/agent/npm/node_modules/cordon")).name).toBe("cordon");
      runtimeIn(join(home, ".cordon", "runtime"));
      const scene = await Scene.start({
        version,
        folder,
        mode: "print",
        prompt: "go",
        turns: [bash("touch ran")],
        files: { "home/.cordon/hooks/gate.ts": onToolCall('return { block: true, reason: "not today" };') },
      });
      expect(await scene.end()).toBe(0);
      expect(scene.results).toEqual([expect.stringMatching(/^Blocked by hook .*gate\.ts: not today$/)]);
      expect(existsSync(join(scene.work, "ran"))).toBe(false);
      expect(scene.stderr).not.toMatch(/warn|peer/i);
    },
  );
});
