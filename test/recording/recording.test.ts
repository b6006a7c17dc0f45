import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { attemptOr } from "../../src/base/attempt.ts";
import type { HookEvent } from "../../src/hook-api.ts";
import { takeRecorded } from "../../src/recording/recorded.ts";
import { RecordingFile, recordingFault } from "../../src/recording/recording-file.ts";
import { cordon } from "../support/command.ts";
import { onToolCall, startSession, type TestSession, temporaryFolder } from "../support/session.ts";

const GATE = onToolCall('if (event.input.command?.includes("rm")) return { block: true, reason: "no rm" };');

const linesOf = (path: string) =>
  readFileSync(path, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

const pathOf = ({ host }: TestSession): string => host.recording?.path ?? "";

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

describe("a recorded session", () => {
  test("has each event with what hooks said, heard or not, in a file of the person alone", async () => {
    const session = await startSession({ gate: GATE }, { record: true });
    const path = pathOf(session);
    await session.call("ls");
    await session.call("rm x");
    await session.host.emit({ type: "turn_start", turnIndex: 0, timestamp: 1 });
    await session.host.close();
    expect(path.startsWith(join(session.folder, "home", "recordings"))).toBe(true);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const lines = linesOf(path);
    expect(lines.map(({ type, recorded }) => [type, recorded.verdict])).toEqual([
      ["tool_call", null],
      ["tool_call", { block: true, reason: "no rm", hook: "gate" }],
      ["turn_start", null],
    ]);
    expect(lines[0].recorded.session).toEqual({
      cwd: join(session.folder, "work"),
      hooks: [{ id: "gate", digest: expect.stringMatching(/^sha256-/) }],
    });
    expect(session.log.map(({ text }) => text)).toEqual([
      `records this session in ${path}; secrets in it are masked as far as they are recognised`,
      `recorded 3 events in ${path}`,
    ]);
    expect(session.host.recording).toBeUndefined();
    // It reads as any file of events.
    const { stdout } = await cordon(
      ["run", path, "--no-discover", "--hook", join(session.folder, "hooks", "gate.ts")],
      {
        cwd: folder,
        home: join(folder, "home"),
      },
    );
    expect(stdout).toMatch(/tool_call bash {2}passed[\s\S]*blocked by .*no rm[\s\S]*turn_start/);
  });

  test("a session without the option is not recorded", async () => {
    const session = await startSession({ gate: GATE });
    await session.call("ls");
    await session.host.close();
    expect([session.host.recording, readdirSync(join(session.folder, "home"))]).toEqual([
      undefined,
      expect.not.arrayContaining(["recordings"]),
    ]);
  });

  test("hides secrets, each behind one stand-in, in events and verdicts", async () => {
    const session = await startSession(
      {
        echo: {
          source: onToolCall("return { block: true, reason: event.input.command };"),
          grant: { capabilities: { events: { see: ["tool_call"] }, env: ["PLAIN_*", "HOME"] } },
        },
      },
      {
        record: true,
        env: {
          PLAIN_VALUE: "granted-variable",
          DB_PASSWORD: "correct-horse",
          AWS_SECRET_ACCESS_KEY: "/9Kx3mQ0bW7vTzL5pYc2hR8nD1sFgJ4uEaVo+iXk",
          ADMIN_PASSWORD: "~correct-staple",
          PIN_TOKEN: "829117720461",
          HOME: "/home/person",
          OTHER: "ordinary-words",
        },
      },
    );
    const path = pathOf(session);
    const github = "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";
    const npm = "npm_abcdefghijklmnopqrstuvwxyz0123456789";
    const texts = [
      `git push https://me:pushword@example.com ${github}`,
      `echo ${github} ordinary-words /home/person`,
      "curl -H 'Authorization: Bearer abcdefgh12345678'",
      "export API_KEY=hunter2hunter2 granted-variable correct-horse",
      npm,
      "deploy /9Kx3mQ0bW7vTzL5pYc2hR8nD1sFgJ4uEaVo+iXk ~correct-staple 829117720461",
      "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA\n-----END RSA PRIVATE KEY-----",
    ];
    for (const text of texts) await session.call(text);
    await session.host.emit({ type: "before_provider_headers", headers: { "x-api-key": "short-one" } } as HookEvent);
    await session.host.close();
    const file = readFileSync(path, "utf8");
    for (const secret of [
      "pushword",
      github,
      "abcdefgh12345678",
      "hunter2hunter2",
      "granted-variable",
      "correct-horse",
      npm,
      "MIIEpAIB",
      "short-one",
      "9Kx3mQ0b",
      "correct-staple",
      "829117720461",
    ])
      expect(file, secret).not.toContain(secret);
    const [first, second, ...rest] = linesOf(path);
    const standIn = /ghp_masked-secret-\d{4}/.exec(first.input.command)?.[0];
    expect(standIn).toBeDefined();
    expect(second.input.command).toBe(`echo ${standIn} ordinary-words /home/person`);
    expect(second.recorded.verdict.reason).toBe(second.input.command);
    expect(second.recorded.masked).toEqual(["/input/command"]);
    expect(rest.at(-1).recorded.masked).toEqual(["/headers/x-api-key"]);
  });

  test("hides what a line too long for it showed first", async () => {
    const session = await startSession({ gate: GATE }, { record: true });
    const path = pathOf(session);
    await session.call("ls");
    await session.call(`token=shown-before ${"x ".repeat(1e6)}`);
    await session.call("echo shown-before");
    await session.host.close();
    const lines = linesOf(path);
    expect(lines.map(({ input, recorded }) => [input.command, recorded.leftOut?.events])).toEqual([
      ["ls", 1],
      ["echo masked-secret-0001", undefined],
    ]);
  });

  test.each([
    [
      "shows more secrets than can be hidden",
      Array.from({ length: 10_001 }, (_, at) => `token=abcdefgh${at}`).join("\n"),
      /ends: there are more secrets than can be hidden: 10000, /,
    ],
    [
      "is too long to look for secrets",
      `token=shown-before ${"x ".repeat(4.2e6)}`,
      /ends: an event is too long to look for secrets in it: 8388608 letters/,
    ],
  ])("ends with an event that %s, and judges on", async (_what, text, why) => {
    const session = await startSession({ gate: GATE }, { record: true });
    const path = pathOf(session);
    await session.call("ls");
    await session.call(text);
    await session.call("echo shown-before abcdefgh10000");
    expect(await session.call("rm x")).toMatchObject({ block: true, reason: "no rm" });
    await session.host.close();
    const lines = linesOf(path);
    expect(lines.map(({ input, recorded }) => [input.command, recorded.leftOut])).toEqual([
      ["ls", { events: 1, bytes: expect.any(Number) }],
    ]);
    expect(lines[0].recorded.leftOut.bytes).toBeGreaterThan(text.length);
    const [, warned, ended] = session.log.filter(({ text }) => text.includes(path));
    expect(warned).toEqual({ level: "warn", text: expect.stringMatching(why) });
    expect(ended?.text).toMatch(/^recorded 1 event in .*; left out: 1 event \(\d+ bytes\)$/);
  });

  test("goes on when the recording cannot be written, and says so once", async () => {
    const session = await startSession({ gate: GATE }, { record: true });
    const path = pathOf(session);
    await session.call("ls");
    await expect.poll(() => session.host.recording?.events).toBe(1);
    const descriptor = readdirSync("/proc/self/fd").find((fd) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`) === path;
      } catch {
        return false;
      }
    });
    // From now on it is a file that cannot be written, under the same number.
    closeSync(Number(descriptor));
    while (openSync("/dev/null", "r") !== Number(descriptor));
    expect(await session.call("rm x")).toMatchObject({ block: true, reason: "no rm" });
    expect(await session.call("ls")).toBeUndefined();
    await expect.poll(() => session.host.recording).toBeUndefined();
    await session.host.close();
    expect(session.log.filter(({ level }) => level === "error").map(({ text }) => text)).toEqual([
      expect.stringContaining("cannot be written and ends"),
    ]);
  });

  test("that cannot even begin its file judges as ever", async () => {
    mkdirSync(join(folder, "home"));
    writeFileSync(join(folder, "home", "recordings"), "in the way");
    const session = await startSession({ gate: GATE }, { record: true, home: join(folder, "home") });
    expect(await session.call("rm x")).toMatchObject({ block: true });
    expect(session.log).toEqual([{ level: "error", text: expect.stringContaining("this session is not recorded") }]);
  });
});

const line = (text: string) => ({ type: "message", text, metadata: {}, recorded: { version: 1 as const, at: "now" } });
const bytesOf = (value: object): number => Buffer.byteLength(`${JSON.stringify(value)}\n`);

describe("a recording that grows too long", () => {
  const one = line("x".repeat(100));
  const room = 200;
  test.each([
    ["as many events as it may have", { events: 3 }, [undefined, undefined, undefined]],
    ["one event more", { events: 2 }, [undefined, { events: 1, bytes: bytesOf(one) }]],
    ["two events more", { events: 1 }, [{ events: 2, bytes: 2 * bytesOf(one) }]],
    ["as many bytes as it may have", { bytes: 3 * bytesOf(one) + room }, [undefined, undefined, undefined]],
    ["one byte more", { bytes: 3 * bytesOf(one) + room - 1 }, [undefined, { events: 1, bytes: bytesOf(one) }]],
    ["lines as long as they may be", { lineBytes: bytesOf(one) }, [undefined, undefined, undefined]],
    ["lines of one byte more", { lineBytes: bytesOf(one) - 1 }, []],
  ])("%s", (_what, limits, left) => {
    const path = join(folder, "recording.jsonl");
    const file = new RecordingFile(path, folder, { events: 100, bytes: 1e6, lineBytes: 1e5, ...limits });
    for (let at = 0; at < 3; at++) file.add(one);
    file.close();
    const text = readFileSync(path, "utf8");
    expect(text === "" ? [] : linesOf(path).map(({ recorded }) => recorded.leftOut)).toEqual(left);
    expect(file.events + file.leftOut.events).toBe(3);
  });

  test("says where something is missing", () => {
    const path = join(folder, "recording.jsonl");
    const file = new RecordingFile(path, folder, { events: 100, bytes: 1e6, lineBytes: 1000 });
    for (const text of ["a", "x".repeat(2000), "x".repeat(2000), "b"]) file.add(line(text));
    file.close();
    const big = bytesOf(line("x".repeat(2000)));
    expect(linesOf(path).map(({ text, recorded }) => [text, recorded.leftOut])).toEqual([
      ["a", { events: 2, bytes: 2 * big }],
      ["b", undefined],
    ]);
  });
});

// biome-ignore format: a table
const PLACES: [what: string, place: (at: string) => string, fault: string | undefined][] = [
  ["a new file", (at) => join(at, "a.jsonl"), undefined],
  ["a folder that is not there", (at) => join(at, "new", "a.jsonl"), "there is no folder"],
  ["an empty file", (at) => written(at, ""), "stays as it is"],
  ["a recording", (at) => written(at, `${JSON.stringify(line("old"))}\n`), "stays as it is"],
  ["a file of events", (at) => written(at, '{"type":"agent_start"}\n'), "stays as it is"],
  ["a link to a recording", (at) => linked(at), "a link"],
  ["a link to nothing", (at) => dangling(at), "a link"],
  ["a folder of the project that leads elsewhere", (at) => leading(at), "a link is on the way"],
  ["a folder", (at) => at, "stays as it is"],
  ["a device", () => "/dev/null", "stays as it is"],
];
function written(at: string, text: string): string {
  writeFileSync(join(at, "there"), text);
  return join(at, "there");
}
function linked(at: string): string {
  symlinkSync(written(at, `${JSON.stringify(line("old"))}\n`), join(at, "link"));
  return join(at, "link");
}
function dangling(at: string): string {
  symlinkSync(join(at, "nothing"), join(at, "link"));
  return join(at, "link");
}
function leading(at: string): string {
  const elsewhere = temporaryFolder();
  symlinkSync(elsewhere, join(at, "logs"));
  return join(at, "logs", "a.jsonl");
}

test.each(PLACES)("a recording is written to %s only if that loses nothing", (_what, place, fault) => {
  const path = place(folder);
  const before = attemptOr(() => readFileSync(path, "utf8"), undefined);
  const open = (): void => {
    const file = new RecordingFile(path, folder);
    file.add(line("new"));
    file.close();
  };
  if (fault === undefined) {
    expect(recordingFault(path, folder)).toBeUndefined();
    open();
    expect([linesOf(path).length, statSync(path).mode & 0o777]).toEqual([1, 0o600]);
  } else {
    expect(recordingFault(path, folder) ?? "").toContain(fault);
    expect(open).toThrow(fault);
    expect(attemptOr(() => readFileSync(path, "utf8"), undefined)).toBe(before);
  }
});

test("a recording without events leaves no file, which would be in the way of the next", () => {
  const path = join(folder, "a.jsonl");
  new RecordingFile(path, folder).close();
  expect(existsSync(path)).toBe(false);
});

test("a host refuses a file that it may not write to", async () => {
  writeFileSync(join(folder, "notes.md"), "mine");
  await expect(startSession({}, { record: join(folder, "notes.md") })).rejects.toMatchObject({ code: "BAD_GRANT" });
  expect(readFileSync(join(folder, "notes.md"), "utf8")).toBe("mine");
});

test("what is no recording's is left in an event", () => {
  const event = { type: "message", recorded: { version: 2 } };
  expect(takeRecorded(event)).toEqual({ event });
});
