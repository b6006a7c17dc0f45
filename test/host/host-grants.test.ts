import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { onToolCall, startSession } from "../support/session.ts";

const READS = {
  source: onToolCall(`const { readFileSync } = require("node:fs");
    try { return { block: true, reason: readFileSync("/etc/hostname", "utf8").length > 0 ? "read" : "empty" }; }
    catch (error) { return { block: true, reason: error.code }; }`),
  grant: { capabilities: { events: { see: ["tool_call"] } } },
};
const FS = { read: ["/etc/hostname"] };

describe("grants that a person decides in the agent", () => {
  test("nothing is granted by the question, and the answer counts at once", async () => {
    const { host, call, audit } = await startSession({ gate: READS });
    const question = host.grants.question("gate", "fs", FS);
    expect(question.text).toBe('Grant hook gate this: fs {"read":["/etc/hostname"]}?');
    expect(await call()).toMatchObject({ reason: "NOT_GRANTED" });
    question.answer("session");
    expect(await call()).toMatchObject({ reason: "read" });
    expect(host.grants.of("gate")).toMatchObject({ fs: FS });
    expect(audit.map(({ outcome }) => outcome)).toContain("consent: session");
  });

  test("one for always is in the user's file, and a revocation takes it out of both", async () => {
    const { source } = READS;
    const { host, folder, call } = await startSession({ gate: source });
    expect(host.grants.question("gate", "fs", FS).answer("always")).toBe(true);
    const stored = () => JSON.parse(readFileSync(join(folder, "home", "grants.json"), "utf8")).hooks.gate.capabilities;
    expect(stored()).toMatchObject({ fs: FS });
    host.grants.revoke("gate", "fs");
    expect(stored()).not.toHaveProperty("fs");
    expect(await call()).toMatchObject({ reason: "NOT_GRANTED" });
  });

  test("a revocation of everything leaves the guard", async () => {
    const { host, call } = await startSession({ gate: READS });
    host.grants.question("gate", "fs", FS).answer("session");
    host.grants.revoke("gate");
    expect(Object.keys(host.grants.of("gate"))).toEqual(["events"]);
    expect(await call()).toMatchObject({ block: true, reason: "NOT_GRANTED" });
  });

  test("what was read cannot be changed through what is returned", async () => {
    const { host } = await startSession({ gate: READS });
    Object.assign(host.grants.of("gate"), { fs: { read: ["/**"] } });
    expect(host.grants.of("gate")).not.toHaveProperty("fs");
  });

  test.each([
    ["an unknown hook", "nobody", "fs", FS, "no hook has the id nobody"],
    ["a power that no manifest asks for", "gate", "fs", undefined, "gate asks for no fs in a manifest"],
    ["a power that does not exist", "gate", "magic", {}, "magic"],
    ["a malformed one", "gate", "fs", { reed: [] }, "fs"],
    ["a name of an object's own", "gate", "constructor", undefined, "constructor is no power"],
    [
      "one that is too long to be read",
      "gate",
      "env",
      Array.from({ length: 200 }, (_, at) => `A${"B".repeat(100)}${at}`),
      "too long",
    ],
  ])("refuses %s", async (_what, id, power, value, why) => {
    const { host } = await startSession({ gate: READS });
    expect(() => host.grants.question(id, power, value)).toThrow(why);
  });
});
