import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { EVENT_NAMES } from "../../sandbox/wire/events.ts";
import { unavailableIn } from "../../src/bundle/unavailable-members.ts";
import { needsTime } from "../support/needs.ts";
import { onToolCall, startSession, temporaryFolder } from "../support/session.ts";
import { declared, MEMBERS, PI_VERSION, PLACES, SESSION_EVENTS } from "./pi-members.ts";

describe.each(Object.entries(MEMBERS))("%s", (type, members) => {
  const at = PLACES[type] as string;

  test("has every member", async () => {
    const names = JSON.stringify([...members.keys()]);
    const lacking = `${names}.filter((name) => !(name in ${at}))`;
    const { call, host } = await startSession({
      gate: {
        source: `export default (pi: any) => {
          let ofCommand: string[] = [];
          pi.registerCommand("look", { handler: (_args: string, ctx: any) => { ofCommand = ${lacking}; } });
          pi.on("tool_call", (_event: any, ctx: any) => ({ block: true, reason: JSON.stringify([${lacking}, ofCommand]) }));
        };`,
        grant: { capabilities: { events: { see: ["tool_call"], block: true }, commands: ["look"] } },
      },
    });
    expect(await host.offers.runCommand("command", "look", "")).toEqual({});
    // What is for commands alone is looked for by hooks that go on without it.
    const ofEvents = type === "ExtensionCommandContext" ? [...members.keys()] : [];
    expect(await call()).toMatchObject({ reason: JSON.stringify([ofEvents, []]) });
  });

  const named = (status: string): string[] => [...members].filter(([, one]) => one === status).map(([name]) => name);

  test("names each member that is left out", async () => {
    const names = named("left out");
    if (names.length === 0) return;
    const { call, log } = await startSession({
      gate: onToolCall(
        `for (const name of ${JSON.stringify(names)}) ${at}[name](() => {}, () => {}); return undefined;`,
      ),
    });
    expect(await call()).toBeUndefined();
    expect(log.map(({ text }) => text).sort()).toEqual(
      names.map((name) => `${at}.${name} is not supported here`).sort(),
    );
  });

  test("a member that is impossible is found in the source that uses it", () => {
    for (const name of named("impossible")) expect(unavailableIn(`${at}.${name}(x)`)).toEqual([`${at}.${name}`]);
    for (const name of [...named("works"), ...named("left out")]) expect(unavailableIn(`${at}.${name}(x)`)).toEqual([]);
  });

  test("says why a member is impossible", async () => {
    const names = named("impossible");
    if (names.length === 0) return;
    const { call } = await startSession({
      gate: onToolCall(
        `const said = ${JSON.stringify(names)}.map((name) => { try { ${at}[name](() => {}); return name; }
           catch (error: any) { return error.message; } });
         return { block: true, reason: said.join("\\n") };`,
      ),
    });
    const verdict = await call();
    const lines = verdict && "reason" in verdict ? verdict.reason.split("\n") : [];
    expect(lines).toEqual(
      names.map((name) => expect.stringMatching(`^${at}.${name} cannot be offered to a contained hook: `)),
    );
  });
});

test("every event of an extension can be heard", async () => {
  const { host, log } = await startSession({
    gate: `export default (pi: any) => { for (const name of ${JSON.stringify([...EVENT_NAMES, ...SESSION_EVENTS])}) pi.on(name, () => {}); };`,
  });
  expect(log).toEqual([]);
  expect(host.hooks[0]).not.toHaveProperty("unsupported");
});

test("the lists are those of pi's own types", needsTime(), async () => {
  const folder = temporaryFolder();
  const pack = ["pack", `@earendil-works/pi-coding-agent@${PI_VERSION}`, "--silent", "--pack-destination", folder];
  execFileSync("npm", pack, { cwd: folder });
  execFileSync("tar", ["xzf", `earendil-works-pi-coding-agent-${PI_VERSION}.tgz`], { cwd: folder });
  const types = readFileSync(join(folder, "package/dist/core/extensions/types.d.ts"), "utf8");
  const { members, events } = declared(types);
  for (const [name, names] of Object.entries(members))
    expect([...(MEMBERS[name]?.keys() ?? [])].sort(), name).toEqual([...names].sort());
  expect(events.filter((name) => !SESSION_EVENTS.includes(name) && !EVENT_NAMES.includes(name))).toEqual([]);
});
