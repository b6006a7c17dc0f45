import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { lackingPowers } from "../../src/daemon/lacking.ts";
import { POWERS } from "../../src/powers/powers.ts";
import { cordon } from "../support/command.ts";
import { World } from "./world.ts";

const OFFERS = `export default (pi) => {
  pi.registerTool({ name: "mine", description: "", parameters: { type: "object" }, execute: async () => ({ content: [] }) });
  pi.registerCommand("own", { description: "", handler: async () => {} });
  pi.on("tool_call", () => {});
};`;
const capabilities = {
  events: { see: ["tool_call"], block: true },
  tools: ["mine"],
  commands: ["own"],
  ui: ["confirm" as const, "draw" as const],
};

const world = new World({ offers: OFFERS }, { offers: { capabilities } });

test("what a hook was granted and offers in vain is said once in the daemon's log, and by doctor", async () => {
  await world.bash("ls");
  await world.bash("ls -l");
  const log = readFileSync(join(world.home, "run", "daemon.log"), "utf8");
  const id = world.hook("offers");
  for (const text of [
    `hook ${id}: Claude Code has no place for what it was granted: commands, tools, ui draw`,
    `hook ${id}: its tool mine is not offered: Claude Code takes none of hooks`,
    `hook ${id}: its command own is not offered: Claude Code takes none of hooks`,
  ])
    expect(log.split(text)).toHaveLength(2);
  const record = { version: 1, agents: [{ agent: "claude-code", at: "", files: [] }] };
  writeFileSync(join(world.home, "agents.json"), JSON.stringify(record));
  const { stdout } = await cordon(["doctor", "--json"], { cwd: world.work, home: world.home });
  expect(stdout).toContain(`hook ${id}: Claude Code has no place for`);
});

test("a hook that only guards, asks and reads lacks nothing", () => {
  const own = {
    events: { see: ["*"] },
    exec: [],
    fs: [],
    net: [],
    env: [],
    ui: ["confirm", "select", "input", "notify"],
  };
  expect(lackingPowers(own as never)).toEqual([]);
});

test("each power either works in every such agent, or is named", () => {
  const inAll = ["events", "exec", "fs", "net", "env", "sqlite", "bus", "ui", "spawn"];
  for (const name of Object.keys(POWERS)) {
    const named = lackingPowers({ [name]: name === "ui" ? ["draw"] : {} } as never).length > 0;
    expect([name, named || inAll.includes(name)]).toEqual([name, true]);
  }
});
