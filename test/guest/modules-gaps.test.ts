import { expect, test } from "vitest";
import { inCordon, inNode } from "../powers/fs-sides.ts";
import { startFacts } from "./facts.ts";

const after = (act: string, path: string): string => `(${act}, (fs.statSync("${path}").mode & 0o777).toString(8))`;

/** Each creates a file whose mode is compared. `tool.sh` has 755, `dir/sub/c.txt` 600 and the others 644. */
const RIGHTS = [
  after('fs.writeFileSync("tool.sh", "text")', "tool.sh"),
  after('fs.writeFileSync("dir/sub/c.txt", "text")', "dir/sub/c.txt"),
  after('fs.writeFileSync("tool.sh", "text", { mode: 0o600 })', "tool.sh"),
  after('fs.appendFileSync("tool.sh", "text", { mode: 0o600 })', "tool.sh"),
  after('fs.writeFileSync("new.txt", "text")', "new.txt"),
  after('fs.writeFileSync("new.sh", "text", { mode: 0o755 })', "new.sh"),
  after('fs.appendFileSync("new.txt", "text", { mode: 0o600 })', "new.txt"),
  after('fs.copyFileSync("tool.sh", "new.sh")', "new.sh"),
  after('fs.renameSync("tool.sh", "a.txt")', "a.txt"),
  after('fs.mkdirSync("new", { mode: 0o700 })', "new"),
  after('fs.mkdtempSync("temp-")', "."),
];

test("a file that a hook writes, appends to or copies has the same mode as in Node", async () => {
  const [node, cordon] = [await inNode(RIGHTS), await inCordon(RIGHTS)];
  for (const run of RIGHTS) {
    expect(node.get(run)?.result, run).toMatch(/^[0-7]{3}$/);
    expect.soft(cordon.get(run)?.result, run).toEqual(node.get(run)?.result);
  }
});

test("a file that is overwritten by a copy keeps its mode, unlike in Node, which copies the mode", async () => {
  const over = [
    after('fs.copyFileSync("a.txt", "tool.sh")', "tool.sh"),
    after('fs.copyFileSync("tool.sh", "dir/sub/c.txt")', "dir/sub/c.txt"),
  ];
  const [node, cordon] = [await inNode(over), await inCordon(over)];
  expect(over.map((run) => node.get(run)?.result)).toEqual(["644", "755"]);
  expect(over.map((run) => cordon.get(run)?.result)).toEqual(["755", "600"]);
});

test("one warning names what no program can be told by its environment", async () => {
  const { ask, log } = await startFacts(
    {
      run: `const { execFileSync } = await import("node:child_process");
        return execFileSync("echo", ["x"], { env: { NODE_ENV: "test", LANG: "C" }, encoding: "utf8" });`,
    },
    { grant: { capabilities: { exec: [{ program: "echo", args: ["x"] }] } } },
  );
  for (const _time of [1, 2]) expect(await ask("run")).toBe("x\n");
  expect(log.filter(({ text }) => text.includes("NODE_ENV cannot be set for a program"))).toHaveLength(1);
});

test("one warning says that no program outlives the agent, and a detached one runs all the same", async () => {
  const { ask, log } = await startFacts(
    {
      run: `const { spawn } = await import("node:child_process");
        const child = spawn("echo", ["x"], { detached: true, stdio: "ignore" }); child.unref();
        return new Promise((done) => child.on("close", done));`,
    },
    { grant: { capabilities: { exec: [{ program: "echo", args: ["x"] }] } } },
  );
  for (const _time of [1, 2]) expect(await ask("run")).toBe(0);
  expect(log.filter(({ text }) => text.includes("ends with the agent: the detached option is ignored"))).toHaveLength(
    1,
  );
});

test("a fetch without a grant is refused with Cordon's message, and a failed one is Node's TypeError", async () => {
  const told = 'await fetch(URL).then(() => "answered", (e) => [e.name, e.code, e.message, e.cause?.code])';
  const { ask } = await startFacts(
    {
      refused: `return ${told.replace("URL", '"http://127.0.0.1:9/"')};`,
      failed: `return ${told.replace("URL", '"http://127.0.0.1:1/"')};`,
    },
    { grant: { capabilities: { net: { connect: ["127.0.0.1:1"] } } } },
  );
  expect(await ask("refused")).toEqual([
    "Error",
    "NOT_GRANTED",
    expect.stringContaining("was not granted net: GET 127.0.0.1:9"),
    null,
  ]);
  expect(await ask("failed")).toEqual(["TypeError", null, "fetch failed", "ECONNREFUSED"]);
});

const OTHER_CONNECTIONS = {
  agent: "{ keepAlive: true }",
  createConnection: "() => {}",
  socketPath: '"/var/run/docker.sock"',
  lookup: "() => {}",
  localAddress: '"127.0.0.2"',
  ca: '"x"',
  cert: '"x"',
  key: '"x"',
  pfx: '"x"',
  rejectUnauthorized: "false",
};

test.each(["http", "https"])(
  "an option of node:%s for another connection is an error, and makes no request",
  async (name) => {
    const made = (options: string) =>
      `const { request } = await import("node:${name}");
    try { request({ host: "127.0.0.1", port: 9, ${options} }).on("error", () => {}).destroy(); return "made"; }
    catch (error: any) { return [error.code, error.message]; }`;
    const { ask, errors } = await startFacts({
      ...Object.fromEntries(Object.entries(OTHER_CONNECTIONS).map(([key, value]) => [key, made(`${key}: ${value}`)])),
      usual: made("agent: false, rejectUnauthorized: true, ca: undefined"),
    });
    for (const key of Object.keys(OTHER_CONNECTIONS))
      expect
        .soft(await ask(key), key)
        .toEqual(["ERR_FEATURE_UNAVAILABLE_ON_PLATFORM", expect.stringMatching(new RegExp(`request: .*\\b${key}\\b`))]);
    expect(await ask("usual")).toBe("made");
    expect(errors).toEqual([]);
  },
);
