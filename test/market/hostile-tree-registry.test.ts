import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, test, vi } from "vitest";
import { packed } from "../support/registry.ts";
import { writeFiles } from "../support/session.ts";
import { HOOK, manifestOf } from "./hostile-tar.ts";
import { Machine, NO_NAMES } from "./world.ts";

vi.setConfig({ testTimeout: 300_000 });

const TOKEN = "what-only-the-registry-may-see";

interface Host {
  url: string;
  asked: { path: string; authorization: string | undefined }[];
}

async function host(answer: (request: IncomingMessage, response: ServerResponse, url: string) => void): Promise<Host> {
  const asked: Host["asked"] = [];
  let url = "";
  const server = createServer((request, response) => {
    asked.push({ path: request.url ?? "", authorization: request.headers.authorization });
    response.on("error", () => {});
    answer(request, response, url);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, asked };
}

const GATE = packed({ "package.json": manifestOf(), "index.ts": HOOK });
const WORD = packed({
  "package.json": JSON.stringify({ name: "word", version: "1.0.0" }),
  "index.js": 'module.exports = "no";',
});
const integrityOf = (bytes: Buffer): string => `sha512-${createHash("sha512").update(bytes).digest("base64")}`;

const document = (name: string, tarball: string, integrity?: string): string =>
  JSON.stringify({
    name,
    "dist-tags": { latest: "1.0.0" },
    versions: { "1.0.0": { name, version: "1.0.0", dist: { tarball, ...(integrity ? { integrity } : {}) } } },
    time: { "1.0.0": "2026-01-01T00:00:00Z" },
  });

/** How a registry serves a tarball: its URL, and the answer there. */
interface Way {
  tarball: (registry: string, other: string) => string;
  answer?: (response: ServerResponse, other: string, bytes: Buffer) => void;
  integrity?: false;
  /** npm distinguishes hosts by name, and here all have the same name. */
  byName?: true;
  installs: boolean;
}

const redirect =
  (to: (other: string) => string, status = 302) =>
  (response: ServerResponse, other: string): void =>
    void response.writeHead(status, { location: to(other) }).end();

const own = (registry: string): string => `${registry}/t.tgz`;
const SECRET = pathToFileURL("/etc/hostname").href;

const WAYS: [name: string, way: Way][] = [
  ["on itself", { tarball: own, installs: true }],
  ["on another host", { tarball: (_registry, other) => `${other}/t.tgz`, installs: true }],
  ["by a redirect", { tarball: own, answer: redirect((other) => `${other}/t.tgz`), byName: true, installs: true }],
  [
    "by a permanent redirect",
    { tarball: own, answer: redirect((other) => `${other}/t.tgz`, 308), byName: true, installs: true },
  ],
  ["by a redirect to a file", { tarball: own, answer: redirect(() => SECRET), installs: false }],
  ["by a redirect to itself", { tarball: own, answer: redirect(() => "/t.tgz"), installs: false }],
  ["in a file", { tarball: () => SECRET, installs: false }],
  ["in a file without a hash", { tarball: () => SECRET, integrity: false, installs: false }],
  ["at a path", { tarball: () => "/etc/hostname", installs: false }],
  ["in a repository", { tarball: (_registry, other) => `git+${other}/x.git`, installs: false }],
  ["in data", { tarball: () => `data:application/octet-stream;base64,${GATE.toString("base64")}`, installs: false }],
  [
    "with another user's name before the host",
    { tarball: (_registry, other) => `${other.replace("//", "//ada:pass@")}/t.tgz`, installs: true },
  ],
  [
    "without an end",
    {
      tarball: own,
      answer: (response) => {
        const chunk = Buffer.alloc(1024 * 1024, 1);
        const more = (): void => {
          while (!response.destroyed && response.write(chunk));
        };
        response.on("drain", more);
        more();
      },
      integrity: false,
      installs: false,
    },
  ],
  [
    "cut off in the middle",
    {
      tarball: own,
      answer: (response, _other, bytes) => {
        response.writeHead(200, { "content-length": String(bytes.length) });
        response.write(bytes.subarray(0, 100), () => response.destroy());
      },
      installs: false,
    },
  ],
];

handsOut("package", "gate", GATE, (_machine) => "gate");
handsOut("dependency", "word", WORD, (machine) =>
  machine.package("gate", { dependencies: { word: "1" } }, { "index.ts": `import "word";\n${HOOK}` }),
);

function handsOut(kind: string, name: string, bytes: Buffer, spec: (machine: Machine) => string): void {
  test.each(WAYS)(
    `a ${kind} whose tarball is %s is installed or refused, and only the registry gets its token`,
    async (_name, way) => {
      const machine = new Machine();
      const other = await host((_request, response) => response.end(bytes));
      const registry = await host(({ url: path }, response, url) => {
        if (path === "/t.tgz" && way.answer) way.answer(response, other.url, bytes);
        else if (path === "/t.tgz") response.end(bytes);
        else if (path === `/${name}`)
          response
            .writeHead(200, { "content-type": "application/json" })
            .end(document(name, way.tarball(url, other.url), way.integrity === false ? undefined : integrityOf(bytes)));
        else response.writeHead(404).end("{}");
      });
      writeFiles(join(machine.folder, "user"), {
        ".npmrc": `registry=${registry.url}/\n//${registry.url.slice(7)}/:_authToken=${TOKEN}\nfetch-retries=0\n`,
      });
      const done = await machine.run(["add", spec(machine), "--grant", "none"]);
      if (!way.byName) expect(other.asked.filter(({ authorization }) => authorization?.includes(TOKEN))).toEqual([]);
      expect(registry.asked[0]?.authorization).toBe(`Bearer ${TOKEN}`);
      expect({ code: done.code, stderr: done.stderr }).toEqual({
        code: way.installs ? 0 : 1,
        stderr: way.installs ? "" : expect.stringMatching(/^cordon: .*\n$/),
      });
      expect(done.stderr).not.toContain(TOKEN);
      if (way.installs) expect((await machine.host()).said).toBe("no");
      else expect(machine.names()).toEqual(NO_NAMES);
    },
  );
}
