import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { execPower, faultOf } from "../../src/powers/exec-grant.ts";
import { sampled } from "../support/length.ts";
import { onToolCall, startSession, temporaryFolder, writeFiles } from "../support/session.ts";

const git = (cwd: string, ...args: string[]): string =>
  execFileSync("git", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });

/** An upstream repository, one that names it, a web server of it, and an `ssh` that reaches it. */
async function startWorld() {
  const world = temporaryFolder();
  const [up, work, bin, marker] = ["up", "work", "bin", "marker"].map((name) => join(world, name)) as [
    string,
    string,
    string,
    string,
  ];
  for (const folder of [up, bin]) mkdirSync(folder);
  git(up, "init", "-qb", "main", "--template=");
  git(up, "config", "user.name", "x");
  git(up, "config", "user.email", "x@example.org");
  writeFiles(up, { "a.txt": "one\n" });
  git(up, "add", ".");
  git(up, "commit", "-qm", "first");
  git(world, "clone", "-q", "--template=", up, work);
  writeFiles(up, { "a.txt": "one\ntwo\n", ".gitattributes": "* filter=f merge=m\n" });
  git(up, "add", ".");
  git(up, "commit", "-qm", "second");
  git(up, "update-server-info");
  const [key, cert] = [join(world, "key.pem"), join(world, "cert.pem")];
  const made = "-x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost".split(" ");
  const files = ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", cert];
  execFileSync("openssl", ["req", ...made, ...files], { stdio: "ignore" });
  const asked: string[] = [];
  const server = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, ({ url = "" }, response) => {
    asked.push(url);
    const path = url.split("?", 1)[0] as string;
    const file = join(up, ".git", path.slice("/repo/".length));
    if (path.startsWith("/locked/")) response.writeHead(401, { "www-authenticate": "Basic" }).end();
    else if (path.startsWith("/repo/") && existsSync(file)) response.end(readFileSync(file));
    else response.writeHead(404).end();
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  onTestFinished(() => void server.close());
  const https = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  // The person's own settings count.
  writeFiles(world, { ".gitconfig": `[http]\n\tsslCAInfo = ${cert}\n[user]\n\tname = x\n\temail = x@example.org\n` });
  // The last argument is the command for the other machine.
  writeFileSync(
    join(bin, "ssh"),
    `#!/bin/sh\necho "$@" >> ${join(world, "ssh.log")}\nfor last; do :; done\nexec sh -c "$last"\n`,
    { mode: 0o755 },
  );
  writeFileSync(join(bin, "mark"), `#!/bin/sh\ntouch ${marker}\n`, { mode: 0o755 });
  vi.stubEnv("HOME", world);
  vi.stubEnv("PATH", `${bin}:${process.env.PATH}`);
  onTestFinished(() => void vi.unstubAllEnvs());
  const mark = join(bin, "mark");
  return { world, up, work, https, ssh: `ssh://other${up}`, mark, isMarked: () => existsSync(marker), asked };
}
type World = Awaited<ReturnType<typeof startWorld>>;

interface Answer {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs git in the world's work tree, under an entry for just this command. */
async function runs({ work }: World, args: string[], more: object = { gitNetwork: true }): Promise<Answer> {
  const source = onToolCall("return { block: true, reason: JSON.stringify(await ctx.exec('git', event.input.args)) };");
  const exec = [{ program: "git", args, fullAccess: true, ...more }];
  const { host, call } = await startSession({ gate: { source, grant: { capabilities: { exec } } } }, { cwd: work });
  const verdict = await call({ args });
  await host.close();
  return JSON.parse((verdict as { reason: string }).reason);
}

test("git reaches no other machine without its right, and says what would allow it", async () => {
  const world = await startWorld();
  for (const url of [`${world.https}/repo`, world.ssh]) {
    const { code, stderr } = await runs(world, ["fetch", url], {});
    expect({ code, stderr }).toMatchObject({
      code: 128,
      stderr: expect.stringMatching(/transport '\w+' not allowed.*"gitNetwork": true would allow https and ssh/s),
    });
  }
  git(world.work, "remote", "set-url", "origin", world.ssh);
  expect((await runs(world, ["fetch"], {})).stderr).toContain('"gitNetwork": true');
  expect(world.asked).toEqual([]);
});

test("with its right it fetches and pulls over https and ssh", async () => {
  const world = await startWorld();
  expect(await runs(world, ["fetch", `${world.https}/repo`])).toMatchObject({ code: 0 });
  expect(git(world.work, "log", "-1", "--format=%s", "FETCH_HEAD")).toBe("second\n");
  git(world.work, "remote", "set-url", "origin", world.ssh);
  expect(await runs(world, ["pull", "--ff-only"])).toMatchObject({ code: 0 });
  expect(git(world.work, "log", "-1", "--format=%s")).toBe("second\n");
  expect(readFileSync(join(world.world, "ssh.log"), "utf8")).toContain("-oBatchMode=yes");
  expect((await runs(world, ["ls-remote", world.ssh])).stdout).toContain("refs/heads/main");
});

test("no other transport comes with the right", async () => {
  const world = await startWorld();
  const others = [
    world.up,
    `file://${world.up}`,
    `ext::${world.mark}`,
    "git://127.0.0.1/x",
    "http://127.0.0.1:9/x",
    "foo::bar",
  ];
  for (const url of others)
    expect([url, await runs(world, ["fetch", url])]).toMatchObject([
      url,
      { code: 128, stderr: expect.stringMatching(/transport '\w+' not allowed/) },
    ]);
  expect(world.isMarked()).toBe(false);
});

// biome-ignore format: a table
const TRAPS: readonly [name: string, lay: (world: World) => Record<string, string>, args: (world: World) => string[], said: RegExp | number][] = [
  ["core.sshCommand", ({ mark }) => ({ "core.sshCommand": mark, "ssh.variant": "simple" }), ({ ssh }) => ["fetch", ssh], 0],
  ["core.gitProxy", ({ mark }) => ({ "core.gitProxy": mark }), () => ["fetch", "git://127.0.0.1/x"], 128],
  ["protocol.ext.allow", () => ({ "protocol.ext.allow": "always", "protocol.allow": "always" }), ({ mark }) => ["fetch", `ext::${mark}`], 128],
  ["an uploadpack of a remote", ({ mark, ssh }) => ({ "remote.origin.url": ssh, "remote.origin.uploadpack": mark }), () => ["fetch"], /other machines: remote\.origin\.uploadpack/],
  ["a receivepack of a remote", ({ mark, ssh }) => ({ "remote.origin.url": ssh, "remote.origin.receivepack": mark }), () => ["push", "origin", "HEAD:refs/heads/other"], /other machines: remote\.origin\.receivepack/],
  ["a helper of a remote", ({ mark }) => ({ "remote.origin.vcs": mark }), () => ["fetch"], /how to reach other machines: remote\.origin\.vcs/],
  ["another place for a URL", ({ https, mark }) => ({ [`url.ext::${mark}.insteadOf`]: https }), ({ https }) => ["fetch", `${https}/repo`], /other machines: url\./],
  ["a proxy", () => ({ "http.proxy": "http://127.0.0.1:9" }), ({ https }) => ["fetch", `${https}/repo`], /other machines: http\.proxy/],
  ["no check of certificates", ({ https }) => ({ [`http.${https}.sslVerify`]: "false" }), ({ https }) => ["fetch", `${https}/repo`], /other machines: http\..*sslverify/],
  ["a file for cookies", ({ world }) => ({ "http.saveCookies": "true", "http.cookieFile": join(world, "written") }), ({ https }) => ["fetch", `${https}/repo`], /other machines: http\.savecookies/],
  ["credential.helper", ({ mark }) => ({ "credential.helper": `!${mark}` }), ({ https }) => ["fetch", `${https}/locked`], 128],
  ["a credential helper of one place", ({ mark, https }) => ({ [`credential.${https}.helper`]: `!${mark}` }), ({ https }) => ["fetch", `${https}/locked`], 128],
  ["core.askPass", ({ mark }) => ({ "core.askPass": mark }), ({ https }) => ["fetch", `${https}/locked`], 128],
  ["filters and merge drivers at a pull", ({ mark, ssh }) => ({ "remote.origin.url": ssh, "filter.f.smudge": mark, "filter.f.process": mark, "filter.f.required": "true", "merge.m.driver": mark }), () => ["pull", "--ff-only"], 0],
  ["hooks at a pull", ({ mark, ssh, work }) => { for (const name of ["reference-transaction", "post-merge", "pre-auto-gc", "post-checkout"]) { mkdirSync(join(work, ".git", "hooks"), { recursive: true }); writeFileSync(join(work, ".git", "hooks", name), `#!/bin/sh\n${mark}\n`, { mode: 0o755 }); } return { "remote.origin.url": ssh, "gc.auto": "1" }; }, () => ["pull", "--ff-only"], 0],
  ["a hook at a push, and a signing program", ({ mark, ssh, work }) => { mkdirSync(join(work, ".git", "hooks"), { recursive: true }); writeFileSync(join(work, ".git", "hooks", "pre-push"), `#!/bin/sh\n${mark}\n`, { mode: 0o755 }); return { "remote.origin.url": ssh, "push.gpgSign": "if-asked", "gpg.program": mark }; }, () => ["push", "origin", "HEAD:refs/heads/other"], 0],
  ["settings that are included", ({ world, mark }) => { writeFiles(world, { included: `[core]\n\tsshCommand = ${mark}\n` }); return { "include.path": join(world, "included") }; }, ({ ssh }) => ["fetch", ssh], /includes other files/],
];

test.each(sampled(TRAPS, 3))(
  "a repository's own settings run nothing when git may use the network: %s",
  async (_name, lay, args, said) => {
    const world = await startWorld();
    for (const [key, value] of Object.entries(lay(world))) git(world.work, "config", key, value);
    const { code, stderr } = await runs(world, args(world));
    if (typeof said === "number") expect({ code, stderr }).toMatchObject({ code: said });
    else expect({ code, stderr }).toMatchObject({ code: 128, stderr: expect.stringMatching(said) });
    expect(world.isMarked()).toBe(false);
    expect(existsSync(join(world.world, "written"))).toBe(false);
  },
);

test("only some commands of git may have the right, and no grant without it covers one with it", () => {
  const entry = (program: string, ...args: string[]) => ({ program, args, fullAccess: true, gitNetwork: true });
  expect(faultOf(entry("git", "fetch"))).toBeUndefined();
  for (const wrong of [
    entry("curl"),
    entry("git"),
    entry("git", "submodule", "update"),
    entry("git", "archive"),
    entry("sh", "fetch"),
  ])
    expect(faultOf(wrong)).toMatch(/"gitNetwork": true is for clone, fetch, ls-remote, pull, push of git alone/);
  const { gitNetwork: _, ...plain } = entry("git", "fetch");
  expect([
    execPower.covers([plain], [entry("git", "fetch")]),
    execPower.covers([entry("git", "fetch")], [plain]),
  ]).toEqual([false, true]);
});
