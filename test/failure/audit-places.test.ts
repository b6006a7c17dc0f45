import { execFileSync } from "node:child_process";
import {
  closeSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { factsIn } from "../support/audit-log.ts";
import { sampled } from "../support/length.ts";
import { onToolCall, temporaryFolder } from "../support/session.ts";
import { remoteHost } from "./remote-host.ts";

const GATE = onToolCall(`
  const { command } = event.input;
  if (command === "rm") return { block: true, reason: "no rm" };
  if (command !== "exec") return undefined;
  const told = await ctx.exec("echo", []).then(({ code }: any) => "ended with " + code, (error: any) => error.message);
  return { block: true, reason: told };`);
const GRANT = { capabilities: { exec: [{ program: "echo", args: [] }] } };
const blocked = (reason: unknown) => ({ block: true, hook: "gate", reason });
const TOLD = expect.stringMatching(/^the audit log cannot be written\b/);
const KEPT = '{"not":"the audit\'s"}\n';

/** Replaces a file by something else. Returns a check that nothing was written to it, or through it. */
type Make = (path: string, elsewhere: string) => () => void;

const pipe: Make = (path) => {
  execFileSync("mkfifo", [path]);
  return () => expect(lstatSync(path).isFIFO()).toBe(true);
};

const link =
  (target: string, content?: string): Make =>
  (path, elsewhere) => {
    const file = join(elsewhere, target);
    if (content !== undefined) writeFileSync(file, content);
    symlinkSync(file, path);
    return () => {
      expect(lstatSync(path).isSymbolicLink()).toBe(true);
      expect(existsSync(file) ? readFileSync(file, "utf8") : undefined).toBe(content);
    };
  };

const SPECIAL: { name: string; make: Make }[] = [
  { name: "a pipe", make: pipe },
  {
    name: "a pipe with a reader",
    make(path, elsewhere) {
      const isThere = pipe(path, elsewhere);
      const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
      onTestFinished(() => closeSync(reader));
      return () => {
        isThere();
        expect(readSync(reader, Buffer.alloc(1))).toBe(0);
      };
    },
  },
  {
    name: "a link to /dev/full",
    make(path) {
      symlinkSync("/dev/full", path);
      return () => expect(lstatSync(path).isSymbolicLink()).toBe(true);
    },
  },
  { name: "a link to a file elsewhere", make: link("file", KEPT) },
  { name: "a link to nothing", make: link("nothing") },
];

const directory: Make = (path) => {
  mkdirSync(path);
  return () => expect(readdirSync(path)).toEqual([]);
};
const plainFile: Make = (path) => {
  writeFileSync(path, KEPT);
  return () => expect(readFileSync(path, "utf8")).toBe(KEPT);
};

const DAY_MS = 24 * 60 * 60 * 1000;
/** Today's file and, should midnight pass during the test, tomorrow's. */
const dayFiles = () => [0, DAY_MS].map((ms) => `${new Date(Date.now() + ms).toISOString().slice(0, 10)}.jsonl`);

const PLACES: { place: string; paths: () => string[]; later?: string; things: typeof SPECIAL }[] = [
  {
    place: "the audit's folder",
    paths: () => ["audit"],
    things: [
      ...SPECIAL.filter(({ name }) => name !== "a link to a file elsewhere"),
      { name: "a file", make: plainFile },
    ],
  },
  {
    place: "today's audit file",
    paths: () => dayFiles().map((file) => `audit/${file}`),
    things: [...SPECIAL, { name: "a folder", make: directory }],
  },
  {
    // Its head is read from the newest file, which is a different one in that case.
    place: "today's audit file beside a later one",
    paths: () => dayFiles().map((file) => `audit/${file}`),
    later: "audit/9999-12-31.jsonl",
    things: [...SPECIAL, { name: "a folder", make: directory }],
  },
];

test.each(sampled(PLACES.flatMap(({ things, ...place }) => things.map((thing) => ({ ...place, ...thing })))))(
  "$place that is $name when a host starts, or becomes one later, prevents no verdict, and is reported once each time",
  async (given) => {
    const { paths, later, make } = given;
    const { ask, close, folder } = remoteHost(GATE, GRANT);
    const home = join(folder, "home");
    const remove = () => rmSync(join(home, "audit"), { recursive: true, force: true });
    const audited = async () => (await ask("audited")) as number;
    const isKept = () => factsIn(home).map(({ outcome }) => outcome);

    function replace(): () => void {
      remove();
      const checks = paths().map((path) => {
        mkdirSync(dirname(join(home, path)), { recursive: true });
        return make(join(home, path), temporaryFolder());
      });
      if (later) writeFileSync(join(home, later), KEPT);
      return () => {
        for (const check of checks) check();
        if (later) expect(readFileSync(join(home, later), "utf8")).toBe(KEPT);
      };
    }

    async function judges(isWritten: boolean): Promise<void> {
      const before = await audited();
      for (let times = 0; times < 2; times++) {
        expect(await ask("call", "ls")).toBeNull();
        expect(await ask("call", "rm")).toEqual(blocked("no rm"));
      }
      expect(await ask("state")).toBe("active");
      // Listeners still receive each line.
      expect(await audited()).toBe(before + 4);
      const used = isWritten ? "ended with 0" : expect.stringContaining("no power is used");
      expect(await ask("call", "exec")).toEqual(blocked(used));
    }

    let isUntouched = replace();
    await ask("start");
    await judges(false);
    isUntouched();
    expect(await ask("log")).toEqual([TOLD]);

    remove();
    await judges(true);
    expect(isKept()).toContain("block");

    isUntouched = replace();
    await judges(false);
    isUntouched();
    expect(await ask("log")).toEqual([TOLD, TOLD]);
    await close();
  },
);
