/** How often a hook may do something in a minute: as often as the entry says that allows it, whatever other entries say. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import type { ExecGrant } from "../../src/powers/exec-grant.ts";
import { startFacts } from "../guest/facts.ts";
import { temporaryFolder } from "../support/session.ts";
import { agentsOf, lender, runs } from "./agents-lender.ts";

const runsEach = (words: readonly string[], times: number): string => `
  const said = [];
  for (let at = 0; at < ${times}; at++)
    for (const word of ${JSON.stringify(words)})
      said.push(await ctx.exec("echo", [word]).then(() => word, (e: any) => e.code));
  return said.join(" ");`;

const one = (word: string, perMinute?: number): ExecGrant[number] => ({
  ...{ program: "echo", args: [word] },
  ...(perMinute === undefined ? {} : { perMinute }),
});

test.each<[claim: string, exec: ExecGrant, words: string[], said: string]>([
  ["one entry", [one("a", 2)], ["a"], "a a RATE_LIMITED"],
  ["the smallest limit", [one("a", 1)], ["a"], "a RATE_LIMITED RATE_LIMITED"],
  ["one more than it does", [one("a", 3)], ["a"], "a a a"],
  ["beside one without a limit", [one("a", 1), one("b")], ["a", "b"], "a b RATE_LIMITED b RATE_LIMITED b"],
  ["each for itself", [one("a", 1), one("b", 2)], ["a", "b"], "a b RATE_LIMITED b RATE_LIMITED RATE_LIMITED"],
])("programs: %s", async (_claim, exec, words, said) => {
  const { ask } = await startFacts({ go: runsEach(words, 3) }, { grant: { capabilities: { exec } } });
  expect(await ask("go")).toBe(said);
});

test("programs: what a policy lowers a limit to", async () => {
  const policy = join(temporaryFolder(), "policy.json");
  const maximum = {
    exec: [{ program: "echo", args: [{ rest: "any" }], perMinute: 1 }],
    events: { see: ["*"], block: true },
  };
  writeFileSync(policy, JSON.stringify({ version: 1, maximum }));
  vi.stubEnv("CORDON_POLICY", policy);
  onTestFinished(() => void vi.unstubAllEnvs());
  const { ask } = await startFacts({ go: runsEach(["a"], 3) }, { grant: { capabilities: { exec: [one("a", 9)] } } });
  expect(await ask("go")).toBe("a RATE_LIMITED RATE_LIMITED");
});

test("messages: in whichever ways they are sent", async () => {
  const sent: string[] = [];
  const agent = { sendMessage: () => void sent.push("message") };
  const { ask, errors } = await startFacts(
    {
      go: `pi.send("a"); pi.sendUserMessage("b"); pi.sendMessage({ customType: "c", content: "c", display: true });
        await new Promise((done) => setTimeout(done, 200)); return 1;`,
    },
    { grant: { capabilities: { send: { perMinute: 2 } } }, agent, onSend: (text) => void sent.push(text) },
  );
  await ask("go");
  expect([sent.length, errors.map(({ code }) => code)]).toEqual([2, ["RATE_LIMITED"]]);
});

test("prompts: of the entry that the agent is allowed by", async () => {
  const { services } = lender();
  const agents = [
    { tools: ["read"], perMinute: 1 },
    { tools: ["grep"], perMinute: 9 },
  ];
  const body = `const said = [];
    for (const tools of [["read"], ["grep"]]) {
      const { session } = await createAgentSession({ tools });
      for (let at = 0; at < 2; at++) said.push(await session.prompt("x").then(() => tools[0], (e: any) => e.code));
    }
    return said.join(" ");`;
  const { go } = await agentsOf(runs(body), { agents, services });
  expect(await go()).toBe("read RATE_LIMITED grep grep");
});
