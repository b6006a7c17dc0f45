import { existsSync, mkdirSync, readFileSync, readlinkSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { May } from "../../src/powers/fs-grant.ts";
import { checkMovedLink, giveName, leadsWithin, makeLink } from "../../src/powers/fs-links.ts";
import { besideNode, type Question } from "../guest/beside-node.ts";
import { startFacts } from "../guest/facts.ts";
import { temporaryFolder, writeFiles } from "../support/session.ts";
import { attemptAll, type FileAttack, failing, READ, WRITE } from "./fs-attack.ts";

const links = (target: string, path: string) =>
  `fs.symlinkSync(${JSON.stringify(target)}, ${JSON.stringify(path)}); return fs.readlinkSync(${JSON.stringify(path)});`;
const names = (from: string, to: string) =>
  `fs.linkSync(${JSON.stringify(from)}, ${JSON.stringify(to)}); return fs.readFileSync(${JSON.stringify(to)}, "utf8");`;
const works = { body: links("a.txt", "l"), answer: "a.txt" };
const named = { body: names("a.txt", "l"), answer: "alpha" };
const INVALID = failing("EINVAL");

// biome-ignore format: a table
const ATTACKS: FileAttack[] = [
  { name: "reading a link outside", grant: READ, body: 'return fs.readlinkSync("../outside/l");', links: { "outside/l": "note.txt", "proj/l": "a.txt" }, works: { body: 'return fs.readlinkSync("l");', answer: "a.txt" } },
  { name: "reading a link through a link", grant: READ, body: 'return fs.readlinkSync("out/l");', links: { "outside/l": "note.txt", "proj/out": "../outside", "proj/l": "a.txt" }, works: { body: 'return fs.readlinkSync("l");', answer: "a.txt" } },
  { name: "a link to a file outside", grant: WRITE, body: links("../proj/../outside/note.txt", "l"), answer: INVALID, works },
  { name: "a link outside by ..", grant: WRITE, body: links("../outside/note.txt", "l"), works },
  { name: "a link outside by .. from below", grant: WRITE, body: links("../../outside/note.txt", "docs/l"), works: { body: links("../a.txt", "docs/l"), answer: "../a.txt" } },
  { name: "a link outside by an absolute path", grant: WRITE, body: 'fs.symlinkSync(W + "/outside/note.txt", "l");', works: { body: 'fs.symlinkSync(W + "/proj/a.txt", "l"); return fs.readlinkSync("l") === W + "/proj/a.txt";', answer: true } },
  { name: "a link to nothing outside", grant: WRITE, body: links("../outside/new.txt", "l"), works: { body: links("new.txt", "l"), answer: "new.txt" } },
  { name: "a link from outside", grant: WRITE, body: links("../proj/a.txt", "../outside/l"), works },
  { name: "a link where only reading is granted", grant: READ, body: links("a.txt", "l"), works: { ...works, grant: WRITE } },
  { name: "a link to what may only be read", grant: { read: ["$CWD/**"], write: ["$CWD/docs/**"] }, body: links("../a.txt", "docs/l"), works: { body: links("b.txt", "docs/l"), answer: "b.txt" } },
  { name: "a chain: a link to a link outside", grant: WRITE, links: { "proj/out": "../outside" }, body: links("out/note.txt", "l"), works },
  { name: "a chain: a link to a link that leads nowhere yet", grant: WRITE, links: { "proj/out": "../outside/later" }, body: links("out", "l"), works },
  { name: "a chain: through a link to nothing inside", grant: WRITE, links: { "proj/soon": "missing" }, body: links("soon/x", "l"), works },
  { name: "a chain: .. behind a link is another folder's", grant: WRITE, links: { "proj/out": "../outside/dir" }, body: links("out/../note.txt", "l"), answer: INVALID, works: { body: links("docs/b.txt", "l"), answer: "docs/b.txt" } },
  { name: "a chain: a link whose own text has .. behind a link", grant: WRITE, links: { "proj/out": "../outside/dir", "proj/in": "out/../note.txt" }, body: links("in", "l"), works },
  { name: "a link to what holds secrets", grant: WRITE, body: links(".env", "l"), works },
  { name: "a link to what is loaded as code", grant: WRITE, body: links("package.json", "l"), works },
  { name: "a link to a folder of which only the name is granted", grant: { read: ["$CWD/**"], write: ["$CWD/l", "$CWD/docs"] }, body: links("docs", "l"), works: { ...works, body: links("docs", "l"), answer: "docs", grant: { read: ["$CWD/**"], write: ["$CWD/l", "$CWD/docs", "$CWD/docs/**"] } } },
  { name: "a link to the kernel's files", grant: { read: ["/**"], write: ["/**"] }, body: links("/proc/self/environ", "l"), works },
  { name: "a relative link that is moved to where it leads out", grant: { read: ["$CWD/**", "{W}/outside/**"], write: ["$CWD/**"] }, links: { "proj/docs/deep/l": "../../a.txt" }, body: 'fs.renameSync("docs/deep/l", "docs/l2"); fs.renameSync("docs/l2", "l3");', works: { body: 'fs.renameSync("docs/deep/l", "docs/deep/l2"); return fs.readlinkSync("docs/deep/l2");', answer: "../../a.txt", grant: WRITE } },
  { name: "a folder with such a link", grant: WRITE, links: { "proj/docs/deep/l": "../../a.txt" }, body: 'fs.renameSync("docs/deep", "deep");', works: { body: 'fs.renameSync("docs/deep", "docs/other"); return fs.readFileSync("docs/other/l", "utf8");', answer: "alpha" } },
  { name: "a second name for a file outside", grant: WRITE, body: names("../outside/note.txt", "l"), works: named },
  { name: "a second name outside", grant: WRITE, body: names("a.txt", "../outside/l"), works: named },
  { name: "a second name for what may only be read", grant: { read: ["$CWD/**"], write: ["$CWD/docs/**"] }, body: names("a.txt", "docs/l"), works: { body: names("docs/b.txt", "docs/l"), answer: "beta" } },
  { name: "a second name by which a file could be read", grant: { read: ["$CWD/docs/**"], write: ["$CWD/**", "$CWD/.env"] }, body: names(".env", "docs/l"), works: { body: names("docs/b.txt", "docs/l"), answer: "beta" } },
  { name: "a second name for a link, which leads outside from there", grant: WRITE, links: { "proj/docs/l": "../../proj/a.txt" }, body: names("docs/l", "l"), answer: INVALID, works: named },
  { name: "a second name for what has one outside", grant: WRITE, twins: { "proj/twin": "outside/note.txt" }, body: names("twin", "l"), answer: failing("EMLINK"), works: named },
  { name: "a second name for what holds secrets", grant: WRITE, body: names(".env", "l"), works: named },
  { name: "a second name through a link", grant: WRITE, links: { "proj/out": "../outside" }, body: names("out/note.txt", "l"), works: named },
  { name: "a second name for a pipe", grant: WRITE, pipes: ["proj/pipe"], body: names("pipe", "l"), answer: INVALID, works: named },
];
test("links that lead out of a grant", { timeout: 120_000 }, () => attemptAll(ATTACKS));

test("a target of as many parts as a path may have, and one more, which costs the host no time", () => {
  const folder = temporaryFolder();
  const may: May = () => true;
  const parts = folder.split("/").length;
  const began = performance.now();
  expect(leadsWithin(folder, "x/".repeat(100 - parts).slice(0, -1), may)).toBe(true);
  expect(leadsWithin(folder, "x/".repeat(101 - parts).slice(0, -1), may)).toBe(false);
  expect(leadsWithin(folder, "x/".repeat(2047), may)).toBe(false);
  expect(performance.now() - began).toBeLessThan(5000);
});

describe("what is swapped between the check and the act", () => {
  const all =
    (folder: string): May =>
    (_right, real) =>
      real === join(folder, "in") || real.startsWith(`${join(folder, "in")}/`);
  const world = () => {
    const folder = temporaryFolder();
    writeFiles(folder, { "in/a.txt": "alpha", "in/sub/b.txt": "beta", "out/secret.txt": "secret" });
    return folder;
  };

  test("a folder on the way to the target becomes a link: the link is not made", () => {
    const folder = world();
    const may = all(folder);
    expect(leadsWithin(join(folder, "in"), "sub/b.txt", may)).toBe(true);
    rmSync(join(folder, "in/sub"), { recursive: true });
    symlinkSync("../out", join(folder, "in/sub"));
    const link = { asked: "l", real: join(folder, "in/l") };
    expect(() => makeLink(link, "sub/b.txt", may)).toThrow("not the hook's to write");
    expect(existsSync(link.real)).toBe(false);
  });

  test("the folder of the link becomes a link: nothing is made there", () => {
    const folder = world();
    renameSync(join(folder, "in/sub"), join(folder, "in/was"));
    symlinkSync("../out", join(folder, "in/sub"));
    const link = { asked: "sub/l", real: join(folder, "in/sub/l") };
    expect(() => makeLink(link, join(folder, "in/a.txt"), all(folder))).toThrow();
    expect(() => giveName({ asked: "a.txt", real: join(folder, "in/a.txt") }, link, all(folder))).toThrow();
    expect(existsSync(join(folder, "out/l"))).toBe(false);
  });

  test("a file becomes a link to one outside: it gets no second name", () => {
    const folder = world();
    rmSync(join(folder, "in/a.txt"));
    symlinkSync("../out/secret.txt", join(folder, "in/a.txt"));
    const paths = ["a.txt", "l"].map((name) => ({ asked: name, real: join(folder, "in", name) }));
    expect(() => giveName(paths[0] as never, paths[1] as never, all(folder))).toThrow("EINVAL");
    expect(existsSync(join(folder, "in/l"))).toBe(false);
  });

  test("a link that is moved is judged where it comes to lie", () => {
    const folder = world();
    mkdirSync(join(folder, "in/x/y"), { recursive: true });
    symlinkSync("../../a.txt", join(folder, "in/x/y/l"));
    const move = (to: string) => () => {
      const [here, there] = [join(folder, "in/x/y/l"), join(folder, "in", to)];
      checkMovedLink(here, here, there, all(folder), "l");
    };
    expect(move("x/z/l")).not.toThrow();
    expect(move("x/l")).toThrow("not the hook's to write");
    expect(move("l")).toThrow("not the hook's to write");
  });
});

test("Cordon's own files get no link and no other name, whatever is granted", async () => {
  const session = await startFacts(
    {
      link: 'try { require("node:fs").symlinkSync(process.env.OWN + "/grants.json", "l"); return "made"; } catch (e) { return e.code; }',
      folder:
        'try { require("node:fs").symlinkSync(process.env.OWN, "l"); return "made"; } catch (e) { return e.code; }',
      name: 'try { require("node:fs").linkSync(process.env.OWN + "/grants.json", "l"); return "made"; } catch (e) { return e.code; }',
      inside:
        'try { require("node:fs").symlinkSync("x", process.env.OWN + "/hooks.lock"); return "made"; } catch (e) { return e.code; }',
    },
    { grant: { capabilities: { fs: { read: ["/**"], write: ["/**"] }, env: ["OWN"] } } },
  );
  process.env.OWN = join(session.folder, "home");
  writeFiles(session.folder, { "home/grants.json": '{"version":1,"hooks":{}}' });
  for (const fact of ["link", "folder", "name", "inside"]) expect(await session.ask(fact), fact).toBe("NOT_GRANTED");
  expect(readFileSync(join(session.folder, "home/grants.json"), "utf8")).toContain('"version":1');
  expect(() => readlinkSync(join(session.folder, "work/l"))).toThrow("ENOENT");
  delete process.env.OWN;
});

test("the question for a link names both, and its target", async () => {
  const { ask, errors } = await startFacts(
    {
      link: 'try { require("node:fs").symlinkSync("sub/b.txt", "l"); return "made"; } catch (e) { return e.message; }',
    },
    { grant: { capabilities: {} } },
  );
  expect(await ask("link")).toContain("symlink l to sub/b.txt");
  expect(errors[0]?.wanted).toEqual({ capability: "fs", grant: { write: ["$CWD/l", "$CWD/sub/b.txt"] } });
});

const E =
  "(e: any) => ({ name: e.name, code: e.code, errno: e.errno, syscall: e.syscall, path: e.path, dest: e.dest, message: e.message })";
const thrown = (act: string): string => `(() => { try { return ${act}; } catch (e) { return (${E})(e); } })()`;
const QUESTIONS: Question[] = [
  {
    name: "a link and what it says",
    ask: `[clean(), fs.symlinkSync("a.txt", "l1"), fs.readlinkSync("l1"), fs.lstatSync("l1").isSymbolicLink(), fs.readFileSync("l1", "utf8"), fs.realpathSync("l1") === fs.realpathSync("a.txt")]`,
  },
  {
    name: "to nothing",
    ask: `[clean(), fs.symlinkSync("none", "l2"), fs.readlinkSync("l2"), fs.existsSync("l2"), ${thrown('fs.readFileSync("l2")')}]`,
  },
  {
    name: "to a folder",
    ask: `[clean(), fs.symlinkSync("sub", "l3", "dir"), fs.readFileSync("l3/b.txt", "utf8"), fs.readdirSync("l3")]`,
  },
  { name: "upwards", ask: `[clean(), fs.symlinkSync("../a.txt", "sub/l4"), fs.readFileSync("sub/l4", "utf8")]` },
  {
    name: "promises and callbacks",
    ask: `[clean(), await fsp.symlink("a.txt", "l5"), await fsp.readlink("l5"), await new Promise((done) => fs.symlink("a.txt", "l6", (e) => fs.readlink("l6", (...all) => done([e, all])))), await new Promise((done) => fs.symlink("a.txt", "l7", "file", (...all) => done(all))), await fsp.link("a.txt", "h1"), await fsp.readFile("h1", "utf8")]`,
  },
  {
    name: "encodings",
    ask: `[clean(), fs.symlinkSync("é.txt", "l8"), fs.readlinkSync("l8", "buffer").toString("hex"), fs.readlinkSync("l8", { encoding: "base64" }), fs.readlinkSync("l8", "utf8")]`,
  },
  { name: "what is there already", ask: thrown('fs.symlinkSync("a.txt", "b.txt")') },
  { name: "no folder for it", ask: thrown('fs.symlinkSync("a.txt", "nowhere/l")') },
  {
    name: "reading what is no link",
    ask: `[${thrown('fs.readlinkSync("b.txt")')}, ${thrown('fs.readlinkSync("nothing")')}, ${thrown('fs.readlinkSync("sub")')}]`,
  },
  {
    name: "a second name",
    ask: `[clean(), fs.linkSync("b.txt", "h2"), fs.readFileSync("h2", "utf8"), fs.statSync("h2").nlink, fs.statSync("h2").ino === fs.statSync("b.txt").ino]`,
  },
  {
    name: "a second name that fails",
    ask: `[${thrown('fs.linkSync("nothing", "h3")')}, ${thrown('fs.linkSync("c.txt", "sub")')}, ${thrown('fs.linkSync("sub", "h4")')}, ${thrown('fs.linkSync("c.txt", "nowhere/h")')}]`,
  },
  {
    name: "wrong arguments",
    ask: `[caught(() => fs.symlinkSync(5 as any, "l")), caught(() => fs.symlinkSync("a", undefined as any)), caught(() => fs.symlinkSync("a", "l", "hard" as any)), caught(() => fs.linkSync(null as any, "l")), caught(() => fs.readlinkSync({} as any)), caught(() => (fs as any).symlink("a", "l"))]`,
  },
  {
    name: "an empty target",
    ask: `caught(() => fs.symlinkSync("", "l9"))`,
  },
];
besideNode("links", {
  top: `import fs from "node:fs"; import fsp from "node:fs/promises";
const clean = (): void => { for (const name of ["l1", "l2", "l3", "sub/l4", "l5", "l6", "l7", "l8", "h1", "h2"]) fs.rmSync(name, { force: true }); };`,
  questions: QUESTIONS,
  powers: { fs: { read: ["$CWD/**"], write: ["$CWD/**"] } },
  prepare: (cwd) => {
    rmSync(cwd, { recursive: true, force: true });
    writeFiles(cwd, { "a.txt": "alpha", "b.txt": "beta", "c.txt": "gamma", "sub/b.txt": "beta" });
  },
});
